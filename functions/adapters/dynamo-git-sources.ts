/** `GitSourceStore` on DynamoDB: all of them in one partition, and in the index of what is due. */
import { type GitSourceKey, GitSourceRecord } from '#contracts/git-sources.ts';
import { PipelineError } from '#domain/errors.ts';
import type { GitSourceStore } from '../git-source-store.ts';
import type { DynamoTable, Item } from './dynamo-table.ts';
import { readableOnes, readJsonRecord } from './stored-record.ts';
import { gitSourceItem, gitSources, manifestsOf, tableSchema } from './table-keys.ts';

export class DynamoGitSources implements GitSourceStore {
  readonly #table: DynamoTable;

  constructor(table: DynamoTable) {
    this.#table = table;
  }

  async get(key: GitSourceKey): Promise<GitSourceRecord | undefined> {
    const item = await this.#table.get(gitSourceItem(key));
    return item && read(item);
  }

  async list(namespace?: string): Promise<readonly GitSourceRecord[]> {
    const sort = namespace !== undefined && {
      sort: { expression: 'begins_with(#sk, :prefix)', values: { ':prefix': manifestsOf(namespace) } },
    };
    const items = await this.#table.queryAll({ partition: { name: 'pk', value: gitSources }, ...sort });
    return readableOnes(items, read);
  }

  async put(record: GitSourceRecord): Promise<void> {
    const { version, dueAt, namespace, name } = record;
    const item = {
      ...{ ...gitSourceItem(record), version, record: JSON.stringify(record) },
      ...{ duePartition: gitSources, dueAt },
    };
    const condition =
      version === 1
        ? { expression: 'attribute_not_exists(#pk)' }
        : { expression: '#version = :before', values: { ':before': version - 1 } };
    if (await this.#table.put(item, condition)) return;
    const message = `GitSource "${namespace}/${name}" was changed by someone else meanwhile; read it again`;
    throw new PipelineError('VersionConflict', message);
  }

  async remove(key: GitSourceKey): Promise<void> {
    await this.#table.remove(gitSourceItem(key));
  }

  async due(now: string, limit: number): Promise<readonly GitSourceRecord[]> {
    const { name, partitionKey } = tableSchema.dueIndex;
    const page = await this.#table.query({
      index: name,
      partition: { name: partitionKey, value: gitSources },
      sort: { expression: '#dueAt <= :now', values: { ':now': now } },
      limit,
    });
    // The index lags behind the table.
    const items = await this.#table.getAll(page.items.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) })));
    return readableOnes(items, read).filter(({ dueAt }) => dueAt <= now);
  }
}

function read({ sk, record, format }: Item): GitSourceRecord {
  const [namespace, name] = String(sk).split('#');
  return readJsonRecord(GitSourceRecord, record, { what: `GitSource ${namespace}/${name}`, format });
}
