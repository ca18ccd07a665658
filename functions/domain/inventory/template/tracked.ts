/** Values that know which values of the inventory they were made of. */
import { isMap } from '../../json.ts';
import { type IsByName, partsOf } from '../value-at.ts';
import { type ValuePath, valuePathText } from '../value-path.ts';

export type Tracked =
  | { readonly kind: 'list'; readonly items: readonly Tracked[]; readonly uses: Uses }
  | { readonly kind: 'map'; readonly fields: ReadonlyMap<string, Tracked>; readonly uses: Uses }
  | { readonly kind: 'leaf'; readonly value: unknown; readonly uses: Uses };

export interface Uses {
  /** Paths of values. */
  readonly values: readonly string[];
  /** A value was not set, and what the template says for that case is used. */
  readonly otherwise?: boolean;
}

export const nothingUsed: Uses = { values: [] };

/** A value of the inventory with all of its parts. */
export function trackedValue(value: unknown, path: ValuePath, isByName: IsByName): Tracked {
  const uses = { values: [valuePathText(path)] };
  if (typeof value !== 'object' || value === null) return { kind: 'leaf', uses, value };
  const parts = partsOf(value, path, isByName).map(
    ([key, inner]) => [key, trackedValue(inner, [...path, key], isByName)] as const,
  );
  if (!Array.isArray(value)) return { kind: 'map', uses, fields: new Map(parts) };
  return { kind: 'list', uses, items: parts.map(([, item]) => item) };
}

/** A value that no layer set. */
export function plainValue(value: unknown, uses: Uses = nothingUsed): Tracked {
  if (Array.isArray(value)) return { kind: 'list', uses, items: value.map((item) => plainValue(item, uses)) };
  if (!isMap(value)) return { kind: 'leaf', uses, value };
  const fields = Object.entries(value).map(([key, inner]) => [key, plainValue(inner, uses)] as const);
  return { kind: 'map', uses, fields: new Map(fields) };
}

export function withoutTracks(tracked: Tracked): unknown {
  switch (tracked.kind) {
    case 'leaf':
      return tracked.value;
    case 'list':
      return tracked.items.map(withoutTracks);
    case 'map':
      return Object.fromEntries([...tracked.fields].map(([key, value]) => [key, withoutTracks(value)]));
    default:
      return tracked satisfies never;
  }
}

/** What each leaf was made of; an empty list or map is a leaf. */
export function* leavesOf(
  tracked: Tracked,
  path: readonly (string | number)[] = [],
): Iterable<{ readonly path: readonly (string | number)[]; readonly uses: Uses; readonly value: unknown }> {
  const inner: readonly (readonly [string | number, Tracked])[] =
    tracked.kind === 'leaf' ? [] : tracked.kind === 'list' ? [...tracked.items.entries()] : [...tracked.fields];
  if (inner.length === 0) yield { path, uses: tracked.uses, value: withoutTracks(tracked) };
  for (const [key, value] of inner) yield* leavesOf(value, [...path, key]);
}
