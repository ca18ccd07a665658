/** Reads generated classes (`index.js`, `index.d.ts`) as text: which fields a block has, and what is said of each. */
import type { Nesting, TypeSpec } from './schema-format.ts';

export interface GeneratedField {
  readonly name: string;
  readonly presence: 'required' | 'optional' | 'computed';
  /** Of a plain value; absent where `struct` is there. */
  readonly type?: TypeSpec;
  /** Name of the class of what is inside, without its suffix. */
  readonly struct?: string;
  readonly nesting?: Nesting;
  /** A block in Terraform; else an attribute, although it has a class. */
  readonly block?: boolean;
  /** At most one. */
  readonly single?: boolean;
}

export interface GeneratedClass {
  readonly main: boolean;
  readonly fields: readonly GeneratedField[];
}

interface Argument {
  readonly block: boolean;
  readonly kind: string;
  readonly storage: string;
  readonly value: string;
}

const getters: Readonly<Record<string, TypeSpec>> = {
  getStringAttribute: 'string',
  getNumberAttribute: 'number',
  getBooleanAttribute: 'bool',
  getListAttribute: ['list', 'string'],
  getNumberListAttribute: ['list', 'number'],
  getStringMapAttribute: ['map', 'string'],
  getNumberMapAttribute: ['map', 'number'],
  getBooleanMapAttribute: ['map', 'bool'],
  getAnyMapAttribute: ['map', 'dynamic'],
};

/** All classes of a resource by name; inner ones are called `…OutputReference`. */
export function readClasses(script: string, declarations: string): ReadonlyMap<string, GeneratedClass> {
  const functions = argumentsOfFunctions(script);
  const interfaces = readInterfaces(declarations);
  const classes = new Map<string, GeneratedClass>();
  for (const part of script.split(/^(?=class )/m)) {
    const head = /^class (\w+) extends (?:cdktf|\w+)\.(\w+)/.exec(part);
    if (!head?.[1] || !head[2]) continue;
    const [, name, parent] = head;
    const body = part.slice(0, part.search(/^}$/m));
    const main = /^Terraform(Resource|DataSource|Provider)$/.test(parent);
    if (!main && parent !== 'ComplexObject') continue;
    const struct = name.replace(/OutputReference$/, '');
    const settable = main
      ? readArguments(body.slice(body.indexOf('synthesizeHclAttributes')))
      : (functions.get(`${struct[0]?.toLowerCase()}${struct.slice(1)}`) ?? new Map<string, Argument>());
    const declared = interfaces.get(main ? `${name}Config` : struct) ?? new Map<string, Declared>();
    classes.set(name, { main, fields: fieldsOf(body, settable, declared, script) });
  }
  // What cannot be read back, such as blocks of a provider, has functions but no class.
  for (const [struct, settable] of functions) {
    const name = `${struct[0]?.toUpperCase()}${struct.slice(1)}`;
    const declared = interfaces.get(name) ?? new Map<string, Declared>();
    if (!classes.has(`${name}OutputReference`))
      classes.set(name, { main: false, fields: fieldsOf('', settable, declared, script) });
  }
  return classes;
}

function fieldsOf(
  body: string,
  settable: ReadonlyMap<string, Argument>,
  declared: ReadonlyMap<string, Declared>,
  script: string,
): GeneratedField[] {
  const fields = new Map<string, GeneratedField>();
  for (const [name, argument] of settable) {
    const said = declared.get(camel(name));
    const presence = said?.required ? 'required' : 'optional';
    const struct = argument.block ? argument.storage.replace(/(List|Map)$/, '') : undefined;
    if (!struct) {
      fields.set(name, { name, presence, type: plainType(argument) });
      continue;
    }
    const many = /(listMapperHcl|hashMapperHcl)\(/.test(argument.value);
    fields.set(name, {
      name,
      presence,
      struct,
      nesting: argument.kind === 'struct' ? 'single' : (argument.kind as Nesting),
      block: said?.block ?? false,
      single: !many && argument.kind !== 'struct',
    });
  }
  for (const [, name, rest] of body.matchAll(
    /\/\/ (\w+) - computed: true, optional: false, required: false\n([^\n]*\n[^\n]*)/g,
  )) {
    if (name && rest && !fields.has(name))
      fields.set(name, { name, presence: 'computed', ...computedType(rest, script) });
  }
  return [...fields.values()];
}

function computedType(text: string, script: string): Pick<GeneratedField, 'type' | 'struct' | 'nesting'> {
  const wrapped = /Fn\.tolist\(/.test(text);
  const getter = /this\.(get\w+Attribute)\(/.exec(text)?.[1];
  const plain = getter ? getters[getter] : undefined;
  if (plain) return { type: wrapped && Array.isArray(plain) ? ['set', 'string'] : plain };
  const simpleMap = /new cdktf\.(String|Number|Boolean|Any)Map\b/.exec(text)?.[1];
  if (simpleMap)
    return { type: ['map', { String: 'string', Number: 'number', Boolean: 'bool' }[simpleMap] ?? 'dynamic'] };
  const list = /new cdktf\.(\w+)List\b/.exec(text)?.[1];
  if (list) return { type: ['list', { String: 'string', Number: 'number', Boolean: 'bool' }[list] ?? 'dynamic'] };
  const made = /new (\w+?)(List|Map|OutputReference)\(this, "\w+"(?:, (true|false))?\)/.exec(text);
  if (!made?.[1]) return { type: 'dynamic' };
  if (!new RegExp(`^class ${made[1]}OutputReference `, 'm').test(script)) return { type: 'dynamic' };
  const nesting = made[2] === 'Map' ? 'map' : made[2] === 'List' ? (made[3] === 'true' ? 'set' : 'list') : 'single';
  return { struct: made[1], nesting };
}

function plainType({ storage, kind }: Argument): TypeSpec {
  const words: Readonly<Record<string, TypeSpec>> = {
    string: 'string',
    number: 'number',
    boolean: 'bool',
    any: 'dynamic',
  };
  const simple = words[storage];
  if (simple) return simple;
  const outer = kind === 'set' ? 'set' : storage.endsWith('Map') ? 'map' : 'list';
  const inner = storage.replace(/(List|Map)$/, '');
  return [
    outer,
    words[inner] ?? (inner ? plainType({ storage: inner, kind: '', block: false, value: '' }) : 'dynamic'),
  ];
}

/** Name of the struct (first letter small) → its arguments, from the functions that write it as HCL. */
function argumentsOfFunctions(script: string): ReadonlyMap<string, ReadonlyMap<string, Argument>> {
  const found = new Map<string, ReadonlyMap<string, Argument>>();
  for (const [, name, body] of script.matchAll(/^function (\w+)ToHclTerraform\(struct\) \{\n([\s\S]*?)^\}/gm)) {
    if (name && body) found.set(name, readArguments(body));
  }
  return found;
}

function readArguments(body: string): ReadonlyMap<string, Argument> {
  const found = new Map<string, Argument>();
  const pattern =
    /^\s+"?([\w-]+)"?: \{\n\s+value: (.*),\n\s+isBlock: (true|false),\n\s+type: "(\w+)",\n\s+storageClassType: "(\w+)",/gm;
  for (const [, name, value, block, kind, storage] of body.matchAll(pattern)) {
    if (name && value && kind && storage) found.set(name, { block: block === 'true', kind, storage, value });
  }
  return found;
}

interface Declared {
  readonly required: boolean;
  readonly block: boolean;
}

function readInterfaces(declarations: string): ReadonlyMap<string, ReadonlyMap<string, Declared>> {
  const found = new Map<string, ReadonlyMap<string, Declared>>();
  for (const [, name, body] of declarations.matchAll(/^export interface (\w+)[^{]*\{\n([\s\S]*?)^\}/gm)) {
    const fields = new Map<string, Declared>();
    for (const [, comment, field, question] of (body ?? '').matchAll(/\/\*\*([\s\S]*?)\*\/\s+readonly (\w+)(\??):/g)) {
      if (field) fields.set(field, { required: question !== '?', block: /^\s*\* \w+ block$/m.test(comment ?? '') });
    }
    if (name) found.set(name, fields);
  }
  return found;
}

function camel(name: string): string {
  return name.replace(/_+(\w)/g, (_, letter: string) => letter.toUpperCase());
}
