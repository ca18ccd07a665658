/** What can be written at a place of a document, by our JSON Schemas: keys with what they mean, and values. */
import { item, type YamlPlace, type YamlStep } from './yaml-place.ts';

/** The parts of JSON Schema that `scripts/generate-schema.ts` writes. */
export interface DocumentSchema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  /** Some of the texts that make sense. */
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, DocumentSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | DocumentSchema;
  readonly items?: DocumentSchema;
  readonly anyOf?: readonly DocumentSchema[];
  readonly oneOf?: readonly DocumentSchema[];
  readonly allOf?: readonly DocumentSchema[];
  readonly $ref?: string;
  readonly definitions?: Readonly<Record<string, DocumentSchema>>;
}

export interface Word {
  readonly text: string;
  /** Its type; `needed` where it has to be there. */
  readonly detail: string;
  readonly meaning: string;
  readonly isNeeded: boolean;
  /** What is written, with the column of the mapping; the cursor goes to its end. */
  readonly insert: string;
}

/** Values of clouds, by provider type and name of the field. */
export type ValuesOfTypes = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

interface KnownClouds {
  readonly values: ValuesOfTypes;
  /** Those that the place can be of; empty: any. */
  readonly types: readonly string[];
}

/** Empty where the schema allows anything, or nothing. Where the clouds are known, values are theirs. */
export function wordsAt(root: DocumentSchema, place: YamlPlace, clouds?: KnownClouds): readonly Word[] {
  const own = clouds === undefined ? [] : valuesOfClouds(place, clouds);
  const words = wordsBySchema(root, place);
  // Where the schema has no text, nothing of a cloud is written.
  return own.length > 0 && place.what === 'value' && isFieldOfPool(place) ? own.map(valueWord) : words;
}

/** `[…].region`, `[…].providerSpec.zone` */
const isFieldOfPool = ({ path }: YamlPlace): boolean => path.at(-2) === item || path.at(-2) === 'providerSpec';

function valuesOfClouds({ path }: YamlPlace, { values, types }: KnownClouds): readonly string[] {
  const field = String(path.at(-1));
  const known = types.flatMap((type) => (Object.hasOwn(values, type) ? [values[type] ?? {}] : []));
  // Nothing is known of a type without a list: then the values of the schema.
  if (known.length < types.length) return [];
  return [...new Set(known.flatMap((one) => (Object.hasOwn(one, field) ? (one[field] ?? []) : [])))];
}

const valueWord = (value: string): Word => ({ text: value, insert: value, isNeeded: false, meaning: '', detail: '' });

function wordsBySchema(root: DocumentSchema, place: YamlPlace): readonly Word[] {
  const all = expanded(root, root);
  const named = all.filter((one) => one.properties?.kind?.const === place.kind);
  // Without a kind only that can be completed, and what each kind has.
  const top = place.kind !== undefined && named.length > 0 ? named : place.path.length === 0 ? all : [];
  const here = place.path.reduce<readonly DocumentSchema[]>(
    (schemas, step) => schemas.flatMap((schema) => inside(root, schema, step)),
    top,
  );
  const isKnownKind = place.path.length === 1 && place.path[0] === 'kind';
  if (isKnownKind) return valuesOf(all.flatMap((one) => inside(root, one, 'kind')));
  return place.what === 'value'
    ? valuesOf(here)
    : [...keysOf(root, here, place), ...(isInList(place) ? valuesOf(here) : [])];
}

/** `- al` may become a key or a value. */
const isInList = ({ path }: YamlPlace): boolean => path.at(-1) === item;

/** The schemas of which it is one, without references. */
function expanded(root: DocumentSchema, schema: DocumentSchema): readonly DocumentSchema[] {
  const name = schema.$ref?.replace('#/definitions/', '');
  const target = name === undefined ? undefined : root.definitions?.[name];
  const parts = [
    ...(target ? [target] : []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.allOf ?? []),
  ];
  return parts.length === 0 ? [schema] : [schema, ...parts.flatMap((part) => expanded(root, part))];
}

function inside(root: DocumentSchema, schema: DocumentSchema, step: YamlStep): readonly DocumentSchema[] {
  if (step === item) return schema.items ? expanded(root, schema.items) : [];
  const { properties = {}, additionalProperties: others } = schema;
  const found = Object.hasOwn(properties, step) ? properties[step] : typeof others === 'object' ? others : undefined;
  return found ? expanded(root, found) : [];
}

function keysOf(
  root: DocumentSchema,
  schemas: readonly DocumentSchema[],
  { others, column }: YamlPlace,
): readonly Word[] {
  const words = new Map<string, Word>();
  for (const { properties = {}, required = [] } of schemas) {
    for (const [key, schema] of Object.entries(properties)) {
      if (others.includes(key) || words.has(key)) continue;
      const parts = expanded(root, schema);
      const isNeeded = required.includes(key);
      words.set(key, {
        text: key,
        isNeeded,
        detail: isNeeded ? `${typeOf(parts)}, needed` : typeOf(parts),
        meaning: meaningOf(schema, parts),
        insert: `${key}:${after(typeOf(parts), column)}`,
      });
    }
  }
  return [...words.values()].toSorted((one, other) => Number(other.isNeeded) - Number(one.isNeeded));
}

/** What follows the colon: the first line of a mapping or list, or the place of the value. */
function after(type: string, column: number | undefined): string {
  if (column === undefined) return ' ';
  const inner = `\n${' '.repeat(column + 2)}`;
  return type === 'mapping' ? inner : type === 'list' ? `${inner}- ` : ' ';
}

function typeOf(parts: readonly DocumentSchema[]): string {
  const [type] = parts.flatMap((part) => part.type ?? []);
  if (type === 'object') return 'mapping';
  if (type === 'array') return 'list';
  return type === 'string' ? 'text' : type === 'boolean' ? 'yes or no' : type === undefined ? 'value' : 'number';
}

function meaningOf(schema: DocumentSchema, parts: readonly DocumentSchema[]): string {
  const description =
    schema.description ?? parts.find(({ description }) => description !== undefined)?.description ?? '';
  const { default: byDefault = parts.find((part) => part.default !== undefined)?.default } = schema;
  const plain = byDefault !== undefined && typeof byDefault !== 'object' && byDefault !== '';
  return plain ? `${description} Default: ${String(byDefault)}.`.trim() : description;
}

function valuesOf(schemas: readonly DocumentSchema[]): readonly Word[] {
  const values = schemas.flatMap((schema) => {
    const own = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
    const all = own.length > 0 ? own : schema.type === 'boolean' ? [true, false] : (schema.examples ?? []);
    return all.map((value) => ({ value: String(value), isDefault: value === schema.default }));
  });
  const seen = new Map(values.map((one) => [one.value, one]));
  return [...seen.values()].map(({ value, isDefault }) => ({
    text: value,
    insert: value,
    isNeeded: false,
    meaning: '',
    detail: isDefault ? 'default' : '',
  }));
}
