/** A `kind: List` of Kubernetes, as `kubectl get -o yaml` writes it: the documents in it, each with its path. */

import { isMap } from '#domain/json.ts';
import { pathText } from '#domain/manifest/faults/fault.ts';

/** A document, and where it is in the one that was read: empty, or `items[2]`. */
export interface ListItem {
  readonly value: unknown;
  readonly path: string;
  /** For a document that was converted to another form: converts a path back to the document as it was written. @default the same */
  readonly written?: (path: string) => string;
}

/** What is wrong with a List itself. */
export interface ListFault {
  readonly path: string;
  readonly reason: string;
  readonly fix: string;
}

/** The items of a List, without empty ones; any other document is its own only item. */
export function listItems(document: unknown): { readonly items: readonly ListItem[]; readonly fault?: ListFault } {
  if (!isList(document)) return { items: [{ value: document, path: '' }] };
  const refuse = (path: string, reason: string, fix: string) => ({ items: [], fault: { path, reason, fix } });
  const { apiVersion, items } = document;
  if (apiVersion !== 'v1') return refuse('apiVersion', 'a List has another apiVersion', 'write "apiVersion: v1"');
  if (!Array.isArray(items))
    return refuse('items', 'a List needs a list of items', 'write the documents below "items"');
  const found = items.map((value: unknown, index) => ({ value, path: pathText(['items', index]) }));
  const nested = found.find(({ value }) => isList(value));
  if (nested) return refuse(nested.path, 'a List cannot hold another List', 'move its items into the outer List');
  return { items: found.filter(({ value }) => value !== null) };
}

/** A path inside of an item, as one of the document that was read. */
export function pathOfItem({ path, written }: ListItem, given: string): string {
  const inside = written?.(given) ?? given;
  return path === '' || inside === '' || inside.startsWith('[') ? path + inside : `${path}.${inside}`;
}

function isList(value: unknown): value is Readonly<Record<string, unknown>> {
  return isMap(value) && value.kind === 'List';
}
