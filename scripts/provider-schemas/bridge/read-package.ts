/** Turns the classes of a package of bindings into fields, for the resource and data source types that are asked for. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BoundField, BoundFields, BoundType } from './bridge-format.ts';
import {
  type PythonClass,
  type PythonParameter,
  type PythonType,
  readClasses,
  readFunction,
  readSecrets,
} from './python-classes.ts';

/** Inner classes: of what is given, and of what is read. */
interface Inner {
  readonly inputs: ReadonlyMap<string, PythonClass>;
  readonly outputs: ReadonlyMap<string, PythonClass>;
}

type Side = keyof Inner;

/** Arguments and attributes of a resource, or of the provider itself; `file` like "networking/port". */
export function readResource(directory: string, file: string): BoundFields {
  const text = readFileSync(join(directory, `${file}.py`), 'utf8');
  const classes = readClasses(text);
  const main = [...classes.values()].find(({ parent }) => /^pulumi\.(Custom|Provider)Resource$/.test(parent));
  if (!main) throw new Error(`${file}.py has no class of a resource`);
  const given = classes.get(`${main.name}Args`);
  if (!given) throw new Error(`${file}.py has no class ${main.name}Args`);
  const inner = innerOf(directory, file);
  const secrets = readSecrets(text);
  const fields = united(fieldsOf(given, 'inputs', inner), fieldsOf(main, 'outputs', inner));
  return sorted(mapFields(fields, (field, name) => (secrets.has(name) ? { ...field, secret: true } : field)));
}

/** Arguments and attributes of a data source; `file` like "images/get_image_ids". */
export function readDataSource(directory: string, file: string): BoundFields {
  const text = readFileSync(join(directory, `${file}.py`), 'utf8');
  const result = [...readClasses(text).values()].find(({ name }) => /^Get\w+Result$/.test(name));
  const name = file.split('/').at(-1) ?? '';
  if (!result) throw new Error(`${file}.py has no class of a result`);
  const inner = innerOf(directory, file);
  const read = fieldsOf(result, 'outputs', inner);
  const given: Record<string, BoundField> = {};
  // The plain function lets everything out; the one for values that come later tells what must not be left out.
  for (const { python, type } of readFunction(text, `${name}_output`)) {
    const property = result.properties.find((candidate) => candidate.python === python);
    if (!property) throw new Error(`${file}.py: ${python} is given and cannot be read`);
    given[property.name] = { type: boundType(type, 'inputs', inner), input: type.optional ? 'optional' : 'required' };
  }
  return sorted(united(given, read));
}

function innerOf(directory: string, file: string): Inner {
  const classes = (name: string): ReadonlyMap<string, PythonClass> => {
    const path = join(directory, dirname(file), name);
    return existsSync(path) ? readClasses(readFileSync(path, 'utf8')) : new Map();
  };
  return { inputs: classes('_inputs.py'), outputs: classes('outputs.py') };
}

function fieldsOf(of: PythonClass, side: Side, inner: Inner): BoundFields {
  const fields: Record<string, BoundField> = {};
  const parameter = new Map<string, PythonParameter>(of.parameters.map((one) => [one.python, one]));
  for (const { python, name, type, deprecated } of of.properties) {
    const given = parameter.get(python);
    fields[name] = {
      type: boundType(type, side, inner),
      ...(side === 'inputs' ? { input: given && !given.hasDefault ? 'required' : 'optional' } : {}),
      ...(side === 'outputs' ? { output: type.optional ? 'maybe' : 'always' } : {}),
      ...(deprecated ? { deprecated } : {}),
    };
  }
  return fields;
}

function boundType(type: PythonType, side: Side, inner: Inner): BoundType {
  if (typeof type.of !== 'string') return [type.of[0], boundType(type.of[1], side, inner)];
  const name = /^'(\w+)'$/.exec(type.of)?.[1];
  if (!name) return type.of;
  const found = inner[side].get(name);
  if (!found) throw new Error(`class ${name} was not found among the ${side}`);
  return { fields: fieldsOf(found, side, inner) };
}

/** One field for what is given and what is read of it. */
function united(given: BoundFields, read: BoundFields): BoundFields {
  const joined: Record<string, BoundField> = { ...read };
  for (const [name, field] of Object.entries(given)) {
    const same = read[name];
    joined[name] = same ? { ...same, ...field, type: joinTypes(field.type, same.type) } : field;
  }
  return joined;
}

function joinTypes(given: BoundType, read: BoundType): BoundType {
  if (typeof given === 'string' || typeof read === 'string') return given;
  if ('fields' in given) return 'fields' in read ? { fields: united(given.fields, read.fields) } : given;
  return 'fields' in read ? given : [given[0], joinTypes(given[1], read[1])];
}

function mapFields(fields: BoundFields, change: (field: BoundField, name: string) => BoundField): BoundFields {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field, name)]));
}

function sorted(fields: BoundFields): BoundFields {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
}
