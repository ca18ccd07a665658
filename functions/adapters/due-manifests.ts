/** Heads of manifests that the scheduler has to handle. */
import { type DynamoTable, dueIn, type Item, itemKeyOf } from './dynamo-table.ts';
import { dueChecks, dueManifests } from './table-keys.ts';

/** Oldest first; those that only wait for a check come last. */
export async function dueItems(table: DynamoTable, now: string, limit: number): Promise<readonly Item[]> {
  const { items: waiting } = await table.query({ ...dueIn(dueManifests, now), limit });
  const room = limit - waiting.length;
  const { items: checks } = room > 0 ? await table.query({ ...dueIn(dueChecks, now), limit: room }) : { items: [] };
  // The index lags behind the table: manifests that settled or got a longer lease since then are not due.
  return (await table.getAll([...waiting, ...checks].map(itemKeyOf))).filter(
    ({ dueAt }) => dueAt !== undefined && String(dueAt) <= now,
  );
}
