/** Bounds of a document as a whole, so that its validation takes a bounded time whatever the input. */
import { error, type Fault } from './fault.ts';

/** Items of one list, fields of one map. */
const maxItems = 1000;
/** Items of all lists and fields of all maps. A hundred clusters of fifty pools have some twenty thousand. */
const maxTotal = 100_000;
const maxDepth = 40;

/** The place where the document is larger than any manifest; none when it is not. */
export function sizeFaults(document: unknown): readonly Fault[] {
  const open: { readonly value: unknown; readonly path: readonly (string | number)[] }[] = [
    { value: document, path: [] },
  ];
  let total = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next;
    if (typeof value !== 'object' || value === null) continue;
    const entries = Object.entries(value);
    total += entries.length;
    if (entries.length > maxItems) {
      return [error(path, `has ${entries.length} entries, at most ${maxItems} are accepted`, 'use several manifests')];
    }
    if (total > maxTotal || path.length > maxDepth) {
      return [error([], 'the document is far larger than any manifest', 'use several manifests')];
    }
    const isList = Array.isArray(value);
    for (const [key, inner] of entries) open.push({ value: inner, path: [...path, isList ? Number(key) : key] });
  }
  return [];
}
