/** Parts of a document that was not checked: whatever is wrong with it, what can be read is. */
import { isMap } from './json.ts';

/** A field of what may be no map. */
export function fieldOf(value: unknown, key: string): unknown {
  return isMap(value) ? value[key] : undefined;
}

/** What may be a list. */
export function listFrom(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
