/** `RunStore` on DynamoDB; the `due` index orders runs by the time they were queued. */
import { type ManifestKey, RunRecord } from '#contracts/records.ts';
import type { Page } from '../page.ts';
import type { RunStore } from '../ports.ts';
import { dueIn, type Item, itemKeyOf, TableStore } from './dynamo-table.ts';
import { readableOnes, readJsonRecord } from './stored-record.ts';
import { runItem, runsByTime } from './table-keys.ts';

/** Runs are kept for a year after they were queued. */
const keepSeconds = 365 * 86_400;

export class DynamoRuns extends TableStore implements RunStore {
  async get(key: ManifestKey, runId: string): Promise<RunRecord | undefined> {
    const item = await this.table.get(runItem(key, runId));
    return item && read(item);
  }

  async put(record: RunRecord): Promise<void> {
    const key = { namespace: record.namespace, name: record.manifest };
    await this.table.put({
      ...runItem(key, record.runId),
      duePartition: runsByTime(key),
      dueAt: record.queuedAt,
      expireAt: Math.floor(Date.parse(record.queuedAt) / 1000) + keepSeconds,
      record: JSON.stringify(record),
    });
  }

  async list(key: ManifestKey, limit: number, next?: string): Promise<Page<RunRecord>> {
    const page = await this.table.query({
      ...dueIn(runsByTime(key)),
      newestFirst: true,
      limit,
      ...(next === undefined ? {} : { next }),
    });
    const items = await this.table.getAll(page.items.map(itemKeyOf));
    // Asking for one that is left out by its id says why it cannot be read.
    return { items: readableOnes(items, read), ...(page.next === undefined ? {} : { next: page.next }) };
  }
}

function read({ pk, sk, record, format }: Item): RunRecord {
  const what = `run ${String(sk).replace('RUN#', '')} of ${String(pk).replace('MANIFEST#', '').replace('#', '/')}`;
  return readJsonRecord(RunRecord, record, { what, format });
}
