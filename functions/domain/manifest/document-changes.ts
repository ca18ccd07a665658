/** How one document of a manifest differs from another, in a few words a change. */

/** `nodePools.dynamic "compute".count 2 → 3`, `added nodePools.static "edge"`; nothing where they are equal. */
export function documentChanges(before: unknown, after: unknown): readonly string[] {
  return changesAt('', before, after);
}

function changesAt(place: string, before: unknown, after: unknown): readonly string[] {
  if (text(before) === text(after)) return [];
  if (before === undefined) return [`added ${place}${valueText(after)}`];
  if (after === undefined) return [`removed ${place}`];
  if (isObject(before) && isObject(after)) return changesOfParts(place, before, after, partOfObject);
  const [named, others] = [byName(before), byName(after)];
  if (named && others) return changesOfParts(place, named, others, partOfList);
  if (Array.isArray(before) || Array.isArray(after)) return [`${place}: ${listText(before)} → ${listText(after)}`];
  return [`${place} ${text(before)} → ${text(after)}`];
}

function changesOfParts(
  place: string,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  partOf: (place: string, name: string) => string,
): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => changesAt(partOf(place, name), before[name], after[name]));
}

/** Fields below `spec` are named from there on. */
const partOfObject = (place: string, name: string): string => (place && place !== 'spec' ? `${place}.${name}` : name);
const partOfList = (place: string, name: string): string => `${place} "${name}"`;

/** The items of a list by their names; undefined when they have none, or the same twice. */
function byName(list: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!Array.isArray(list)) return undefined;
  const entries = list.map((item: unknown) => [isObject(item) ? item.name : undefined, item] as const);
  const names = new Set(entries.map(([name]) => name));
  if (names.size < list.length || entries.some(([name]) => typeof name !== 'string')) return undefined;
  return Object.fromEntries(entries);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** New values are shown only when they are short and not empty. */
const valueText = (value: unknown): string => (typeof value === 'object' ? '' : ` ${text(value)}`);
const text = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
const listText = (value: unknown): string =>
  Array.isArray(value) ? value.map(text).join(', ') || 'none' : text(value);
