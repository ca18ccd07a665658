/** `kubeloom explain KIND.path`: what the JSON Schema of the documents says of a field, as `kubectl explain` does. */
import { isMap } from '#domain/json.ts';
import { nearest } from '#domain/nearest.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { wrap } from './layout.ts';
import { paint } from './output.ts';

type Schema = Readonly<Record<string, unknown>>;

/** The kind that `text` begins with, whatever its case; undefined when it is not a kind of the schema. */
export function kindIn(root: unknown, text: string): string | undefined {
  const [word = ''] = text.split('.');
  return Object.keys(kindsOf(root)).find((kind) => kind.toLowerCase() === word.toLowerCase());
}

/** Lines about the field at `path`, such as `spec.nodePools.dynamic`; items of lists need no number. Throws `CliError`. */
export function schemaLines(root: unknown, kind: string, path: string): readonly string[] {
  const words = path.split('.').flatMap((part) => part.replace(/\[\d*\]/g, '') || []);
  let at = kindsOf(root)[kind] ?? {};
  for (const [index, word] of words.entries()) {
    const fields = fieldsOf(root, at);
    const next = fields[word];
    if (next === undefined) throw missing([kind, ...words.slice(0, index)].join('.'), word, Object.keys(fields));
    at = next;
  }
  const required = requiredOf(root, at);
  const fields = Object.entries(fieldsOf(root, at));
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  return [
    `${paint('bold', [kind, ...words].join('.'))}  ${typeText(root, at)}`,
    ...textsOf(root, at).flatMap((text) => wrap(`  ${text}`, 2)),
    ...(fields.length > 0 ? [''] : []),
    ...fields.flatMap(([name, schema]) => {
      const mark = required.includes(name) ? ' (required)' : '';
      const [says = ''] = textsOf(root, schema);
      return wrap(
        `  ${name.padEnd(width)}  ${paint('dim', typeText(root, schema) + mark)}  ${says}`.trimEnd(),
        width + 4,
      );
    }),
  ];
}

function kindsOf(root: unknown): Readonly<Record<string, Schema>> {
  const kinds = isMap(root) && Array.isArray(root.oneOf) ? root.oneOf.filter(isMap) : [];
  return Object.fromEntries(kinds.map((kind) => [String(kind.title), kind]));
}

/** The schema with what it refers to, and each of its variants. */
function variants(root: unknown, schema: Schema): readonly Schema[] {
  const name = typeof schema.$ref === 'string' ? schema.$ref.replace('#/definitions/', '') : undefined;
  const definitions = isMap(root) && isMap(root.definitions) ? root.definitions : {};
  const referred = name === undefined ? undefined : definitions[name];
  const inner = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => {
    const list = schema[key];
    return Array.isArray(list) ? list.filter(isMap) : [];
  });
  return [schema, ...[...inner, ...(isMap(referred) ? [referred] : [])].flatMap((one) => variants(root, one))];
}

/** Fields of a map, or of the items of a list. */
function fieldsOf(root: unknown, schema: Schema): Readonly<Record<string, Schema>> {
  const all = variants(root, schema);
  const own = all.flatMap(({ properties }) => (isMap(properties) ? Object.entries(properties) : []));
  const items = all.flatMap((one) => (isMap(one.items) ? Object.entries(fieldsOf(root, one.items)) : []));
  return Object.fromEntries([...items, ...own].filter((entry): entry is [string, Schema] => isMap(entry[1])));
}

function requiredOf(root: unknown, schema: Schema): readonly unknown[] {
  return variants(root, schema).flatMap((one) => [
    ...(Array.isArray(one.required) ? one.required : []),
    ...(isMap(one.items) ? requiredOf(root, one.items) : []),
  ]);
}

/** `string, one of a, b` */
function typeText(root: unknown, schema: Schema): string {
  const all = variants(root, schema);
  const types = [...new Set(all.flatMap(({ type }) => (typeof type === 'string' ? [type] : [])))];
  const values = [...new Set(all.flatMap((one) => (Array.isArray(one.enum) ? one.enum : (one.const ?? []))))];
  const type = types.map((one) => (one === 'array' ? 'list' : one === 'object' ? 'map' : one)).join(' or ');
  const choice =
    values.length === 0 ? '' : `one of ${values.slice(0, 12).join(', ')}${values.length > 12 ? ', …' : ''}`;
  const limits = all.flatMap(({ minimum, maximum }) => [
    ...(typeof minimum === 'number' ? [`from ${minimum}`] : []),
    ...(typeof maximum === 'number' ? [`to ${maximum}`] : []),
  ]);
  return [type, choice, ...limits].filter(Boolean).join(', ');
}

function textsOf(root: unknown, schema: Schema): readonly string[] {
  const texts = variants(root, schema).flatMap(({ description }) =>
    typeof description === 'string' ? [description] : [],
  );
  const defaults = variants(root, schema).flatMap((one) =>
    one.default === undefined ? [] : [JSON.stringify(one.default)],
  );
  return [...new Set(texts), ...defaults.slice(0, 1).map((value) => `Default: ${value.slice(0, 200)}`)];
}

function missing(place: string, word: string, names: readonly string[]): CliError {
  const near = nearest(word, names);
  const known = near ? `did you mean ${near}?` : names.length > 0 ? `there is ${names.join(', ')}` : 'it has no fields';
  return new CliError(`${place} has no field "${word.slice(0, 60)}": ${known}`, exitCodes.notFound);
}
