/** The leaves of a JSON Schema, where documents have them, and other values that the schema allows there. */
import { isMap } from '#domain/json.ts';

type Schema = Readonly<Record<string, unknown>>;

export interface Leaf {
  /** `spec.nodePools.dynamic[].labels.*`: `[]` is any item of a list, `*` any key of a map. */
  readonly path: string;
  readonly schema: Schema;
}

/** Every field that has no fields of its own, each once; those that can have one value only are left out. */
export function leavesOf(root: Schema): readonly Leaf[] {
  const found = new Map<string, Leaf>();
  const definitions = (root.definitions ?? {}) as Readonly<Record<string, Schema>>;
  const walk = (schema: Schema, path: string, seen: readonly string[]): void => {
    if (typeof schema.$ref === 'string') {
      const name = schema.$ref.replace('#/definitions/', '');
      const target = definitions[name];
      if (target && !seen.includes(name)) walk(target, path, [...seen, name]);
      return;
    }
    const ways = (schema.anyOf ?? schema.oneOf ?? schema.allOf) as readonly Schema[] | undefined;
    if (ways) for (const way of ways) walk(way, path, seen);
    else if (isMap(schema.properties))
      for (const [name, field] of Object.entries(schema.properties))
        walk(field as Schema, path === '' ? name : `${path}.${name}`, seen);
    else if (isMap(schema.additionalProperties) && Object.keys(schema.additionalProperties).length > 0)
      walk(schema.additionalProperties, `${path}.*`, seen);
    else if (isMap(schema.items)) walk(schema.items, `${path}[]`, seen);
    else if (schema.const === undefined) found.set(path, merged(found.get(path), { path, schema }));
  };
  walk(root, '', []);
  return [...found.values()];
}

/** One field that can be written in several ways. */
const merged = (before: Leaf | undefined, leaf: Leaf): Leaf =>
  before ? { ...leaf, schema: { ...before.schema, ...leaf.schema } } : leaf;

type Place = readonly (string | number)[];

/** Where a document has the leaf. */
export function placesOf(document: unknown, path: string): readonly Place[] {
  const steps = path.split(/\.|(?=\[\])/);
  const walk = (value: unknown, [step, ...rest]: readonly string[], at: Place): readonly Place[] => {
    if (step === undefined) return [at];
    if (step === '[]')
      return Array.isArray(value) ? value.flatMap((one, index) => walk(one, rest, [...at, index])) : [];
    if (!isMap(value)) return [];
    const names = step === '*' ? Object.keys(value) : [step];
    return names.flatMap((name) => (Object.hasOwn(value, name) ? walk(value[name], rest, [...at, name]) : []));
  };
  return walk(document, steps, []);
}

export function valueAt(document: unknown, place: Place): unknown {
  return place.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)[key], document);
}

/** The document with another value there; undefined removes it. */
export function changed(document: unknown, place: Place, value: unknown): unknown {
  const copy = structuredClone(document);
  const holder = valueAt(copy, place.slice(0, -1)) as Record<PropertyKey, unknown>;
  const key = place.at(-1) ?? '';
  if (value !== undefined) holder[key] = value;
  else if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
  return copy;
}

/** Values that differ from this one; which of them fit, the schema says. Undefined: the field is left out. */
export function otherValues(value: unknown, { schema }: Leaf): readonly unknown[] {
  const words = Array.isArray(schema.enum) ? schema.enum : [];
  const more: readonly unknown[] =
    typeof value === 'boolean'
      ? [!value]
      : typeof value === 'number'
        ? [value + 1, value - 1, value * 2]
        : typeof value === 'string'
          ? otherTexts(value)
          : isMap(value)
            ? [{ ...value, other: 'one' }, {}]
            : [];
  return [...words, ...more, undefined].filter((one) => one !== value);
}

/** The last digit or letter differs, or the text is longer or shorter. */
function otherTexts(text: string): readonly string[] {
  const number = text.replace(/\d(?!.*\d)/, (digit) => String((Number(digit) + 1) % 10));
  const letter = text.replace(/[a-y](?!.*[a-y])/i, (last) => String.fromCharCode(last.charCodeAt(0) + 1));
  return [number, letter, `${text}x`, `${text}1`, `x${text}`, text.slice(0, -1)];
}
