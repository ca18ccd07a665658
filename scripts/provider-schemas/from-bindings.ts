/** Reads resource schemas out of an npm package whose classes were generated from the provider's real schema. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GeneratedClass, type GeneratedField, readClasses } from './generated-classes.ts';
import type { AttributeSchema, BlockSchema, BlockTypeSchema, Nesting, ProviderSchema } from './schema-format.ts';
import type { UsedTypes } from './used-types.ts';

/** What the package at `directory` says of the provider block and the wanted types; what it lacks is left out. */
export function schemaFromBindings(directory: string, provider: string, wanted: UsedTypes): ProviderSchema {
  const schema: ProviderSchema = {
    provider: blockOf(join(directory, 'lib', 'provider')),
    resource_schemas: {},
    data_source_schemas: {},
  };
  const folders = new Map(readdirSync(join(directory, 'lib')).map((folder) => [folder.replaceAll('-', ''), folder]));
  const find = (type: string, prefix: string): string | undefined => {
    const plain = type.slice(provider.length + 1).replaceAll('_', '');
    // A type whose name is that of a built-in class got a suffix, and data sources a prefix.
    return [`${prefix}${plain}`, `${prefix}${plain}resource`].map((name) => folders.get(name)).find((name) => name);
  };
  for (const type of [...wanted.resources].sort()) {
    const folder = find(type, '');
    if (folder) schema.resource_schemas[type] = blockOf(join(directory, 'lib', folder));
  }
  for (const type of [...wanted.dataSources].sort()) {
    const folder = find(type, `data${provider}`);
    if (folder) schema.data_source_schemas[type] = blockOf(join(directory, 'lib', folder));
  }
  return schema;
}

function blockOf(folder: string): BlockSchema {
  const script = join(folder, 'index.js');
  if (!existsSync(script)) throw new Error(`${folder} has no index.js: the package is laid out in another way`);
  const structs = existsSync(join(folder, 'index-structs')) ? readStructFiles(join(folder, 'index-structs')) : ['', ''];
  const text = (name: string) => readFileSync(join(folder, name), 'utf8');
  const classes = readClasses(structs[0] + text('index.js'), structs[1] + text('index.d.ts'));
  const main = [...classes.values()].find((candidate) => candidate.main);
  if (!main) throw new Error(`${folder}: no resource class was found`);
  return blockFrom(main, classes);
}

/** Large resources have their inner classes in files of their own. */
function readStructFiles(folder: string): readonly [string, string] {
  const names = readdirSync(folder);
  const all = (suffix: string) =>
    names
      .filter((name) => name.endsWith(suffix))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
  return [all('.js'), all('.d.ts')];
}

function blockFrom(from: GeneratedClass, classes: ReadonlyMap<string, GeneratedClass>): BlockSchema {
  const attributes: Record<string, AttributeSchema> = {};
  const blocks: Record<string, BlockTypeSchema> = {};
  for (const field of from.fields) {
    if (field.block && field.struct) blocks[field.name] = nestedBlock(field, classes);
    else attributes[field.name] = attributeFrom(field, classes);
  }
  const sorted = <T>(of: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(of).sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    ...(Object.keys(attributes).length ? { attributes: sorted(attributes) } : {}),
    ...(Object.keys(blocks).length ? { block_types: sorted(blocks) } : {}),
  };
}

function nestedBlock(field: GeneratedField, classes: ReadonlyMap<string, GeneratedClass>): BlockTypeSchema {
  return {
    nesting_mode: nestingOf(field),
    block: blockFrom(structOf(field, classes), classes),
    ...(field.presence === 'required' ? { min_items: 1 } : {}),
    ...(field.single && nestingOf(field) !== 'single' ? { max_items: 1 } : {}),
  };
}

function attributeFrom(field: GeneratedField, classes: ReadonlyMap<string, GeneratedClass>): AttributeSchema {
  const presence = { [field.presence]: true };
  if (!field.struct) return { type: field.type ?? 'dynamic', ...presence };
  const inner = blockFrom(structOf(field, classes), classes).attributes ?? {};
  return { nested_type: { nesting_mode: nestingOf(field), attributes: inner }, ...presence };
}

function structOf(field: GeneratedField, classes: ReadonlyMap<string, GeneratedClass>): GeneratedClass {
  const found = classes.get(`${field.struct}OutputReference`) ?? classes.get(`${field.struct}`);
  if (!found) throw new Error(`${field.name}: its class ${field.struct} was not found`);
  return found;
}

function nestingOf(field: GeneratedField): Nesting {
  return field.nesting ?? 'single';
}
