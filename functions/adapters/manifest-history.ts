/** All documents that are kept of a manifest. Only the API reads or discards them, so no other function loads this. */
import { type ManifestKey, Origin } from '#contracts/records.ts';
import type { StoredGeneration } from '../manifest-store.ts';
import { type DynamoTable, type Item, itemsIn } from './dynamo-table.ts';
import type { LargeDocuments } from './large-documents.ts';
import { isWhole } from './manifest-documents.ts';
import { manifestOfItem, nameOf } from './manifest-item.ts';
import { readRecord } from './stored-record.ts';
import { documentsOf, generationOf, manifestPartition } from './table-keys.ts';

/** Those up to the generation of the head, newest first. */
export async function storedGenerations(
  table: DynamoTable,
  large: LargeDocuments,
  head: Item,
): Promise<readonly StoredGeneration[]> {
  const newest = Number(head.generation);
  const items = await allDocuments(table, manifestOfItem(head));
  const all = items.map((item) => ({ ...item, generation: generationOf(item) }));
  // A late writer of an earlier release may have stored the newest document as an old one, too.
  const kept = isWhole(head) ? [head, ...all.filter(({ generation }) => generation < newest)] : all;
  const what = nameOf(head);
  const read = kept
    .filter(({ generation }) => Number(generation) <= newest)
    .map(async ({ generation, document, origin, format }: Item) => ({
      generation: Number(generation),
      document: await large.read(document, what),
      ...(origin !== undefined && { origin: readRecord(Origin, origin, { what, format }) }),
    }));
  return (await Promise.all(read)).toSorted((a, b) => b.generation - a.generation);
}

/** Removes them by the key alone. */
export async function discardDocuments(table: DynamoTable, key: ManifestKey): Promise<void> {
  await table.removeAll(await allDocuments(table, key));
}

const allDocuments = (table: DynamoTable, key: ManifestKey): Promise<readonly Item[]> =>
  table.queryAll(itemsIn(manifestPartition(key), documentsOf));
