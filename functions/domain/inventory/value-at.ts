/** Reads trees of values: items of lists that are merged by name have their names in paths, others their places. */
import { isMap } from '../json.ts';
import type { ValuePath } from './value-path.ts';

export type IsByName = (list: ValuePath) => boolean;

/** The value and its path as origins have it; undefined when the value does not exist. */
export function valueAt(
  values: unknown,
  path: ValuePath,
  isByName: IsByName,
): { readonly value: unknown; readonly path: ValuePath } | undefined {
  let value = values;
  const found: string[] = [];
  for (const key of path) {
    const [name, inner] = partAt(value, key, found, isByName);
    if (name === undefined) return undefined;
    found.push(name);
    value = inner;
  }
  return { value, path: found };
}

function partAt(
  value: unknown,
  key: string,
  path: ValuePath,
  isByName: IsByName,
): readonly [name?: string, value?: unknown] {
  // Maps may be large, and are read by each reference of a template.
  if (isMap(value)) return Object.hasOwn(value, key) ? [key, value[key]] : [];
  return partsOf(value, path, isByName).find(([one], index) => one === key || isPlace(value, key, index)) ?? [];
}

/** The parts of a map or list with their names in paths; none of other values. */
export function partsOf(value: unknown, path: ValuePath, isByName: IsByName): readonly (readonly [string, unknown])[] {
  if (isMap(value)) return Object.entries(value);
  if (!Array.isArray(value)) return [];
  const named = isByName(path);
  return value.map((item: unknown, index) => [named && isMap(item) ? String(item.name) : String(index), item] as const);
}

/** The path of every leaf; an empty map or list is one. */
export function* leafPaths(value: unknown, isByName: IsByName, path: ValuePath = []): Iterable<ValuePath> {
  const parts = partsOf(value, path, isByName);
  if (parts.length === 0 && path.length > 0) yield path;
  for (const [key, part] of parts) yield* leafPaths(part, isByName, [...path, key]);
}

function isPlace(value: unknown, key: string, index: number): boolean {
  return Array.isArray(value) && key === String(index);
}
