/** `GitSourceStore` on DynamoDB: all of them in one partition, and in the index of what is due. */
import { type GitSourceKey, GitSourceRecord } from '#contracts/git-sources.ts';
import { PipelineError } from '#domain/errors.ts';
import type { GitSourceStore } from '../ports.ts';
import { dueIn, followsStored, type Item, itemKeyOf, itemsIn, TableStore } from './dynamo-table.ts';
import { readableOnes, readJsonRecord } from './stored-record.ts';
import { gitSourceItem, gitSources, manifestsOf } from './table-keys.ts';

export class DynamoGitSources extends TableStore implements GitSourceStore {
  async get(key: GitSourceKey): Promise<GitSourceRecord | undefined> {
    const item = await this.table.get(gitSourceItem(key));
    return item && read(item);
  }

  async list(namespace?: string): Promise<readonly GitSourceRecord[]> {
    const prefix = namespace === undefined ? undefined : manifestsOf(namespace);
    return readableOnes(await this.table.queryAll(itemsIn(gitSources, prefix)), read);
  }

  async put(record: GitSourceRecord): Promise<void> {
    const { version, dueAt, namespace, name } = record;
    const item = {
      ...gitSourceItem(record),
      version,
      record: JSON.stringify(record),
      duePartition: gitSources,
      dueAt,
    };
    if (await this.table.put(item, followsStored('version', version))) return;
    const message = `GitSource "${namespace}/${name}" was changed by someone else meanwhile; read it again`;
    throw new PipelineError('VersionConflict', message);
  }

  async remove(key: GitSourceKey): Promise<void> {
    await this.table.remove(gitSourceItem(key));
  }

  async due(now: string, limit: number): Promise<readonly GitSourceRecord[]> {
    const page = await this.table.query({ ...dueIn(gitSources, now), limit });
    const items = await this.table.getAll(page.items.map(itemKeyOf));
    return readableOnes(items, read).filter(({ dueAt }) => dueAt <= now);
  }
}

function read({ sk, record, format }: Item): GitSourceRecord {
  const [namespace, name] = String(sk).split('#');
  return readJsonRecord(GitSourceRecord, record, { what: `GitSource ${namespace}/${name}`, format });
}
