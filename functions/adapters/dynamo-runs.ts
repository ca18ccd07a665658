/** `RunStore` on DynamoDB; the `due` index orders runs by the time they were queued. */
import { type ManifestKey, RunRecord } from '#contracts/records.ts';
import type { Page, RunStore } from '../ports.ts';
import type { DynamoTable } from './dynamo-table.ts';
import { runItem, runsByTime, tableSchema } from './table-keys.ts';

/** Runs are kept for a year after they were queued. */
const keepSeconds = 365 * 86_400;

export class DynamoRuns implements RunStore {
  readonly #table: DynamoTable;

  constructor(table: DynamoTable) {
    this.#table = table;
  }

  async get(key: ManifestKey, runId: string): Promise<RunRecord | undefined> {
    const item = await this.#table.get(runItem(key, runId));
    return item && RunRecord.parse(JSON.parse(String(item.record)));
  }

  async put(record: RunRecord): Promise<void> {
    const key = { namespace: record.namespace, name: record.manifest };
    await this.#table.put({
      ...runItem(key, record.runId),
      duePartition: runsByTime(key),
      dueAt: record.queuedAt,
      expireAt: Math.floor(Date.parse(record.queuedAt) / 1000) + keepSeconds,
      record: JSON.stringify(record),
    });
  }

  async list(key: ManifestKey, limit: number, next?: string): Promise<Page<RunRecord>> {
    const { name, partitionKey } = tableSchema.dueIndex;
    const page = await this.#table.query({
      index: name,
      partition: { name: partitionKey, value: runsByTime(key) },
      newestFirst: true,
      limit,
      ...(next === undefined ? {} : { next }),
    });
    const items = await this.#table.getAll(page.items.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) })));
    const runs = items.map((item) => RunRecord.parse(JSON.parse(String(item.record))));
    return { items: runs, ...(page.next === undefined ? {} : { next: page.next }) };
  }
}
