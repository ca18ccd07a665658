/** `ClusterStore` on DynamoDB: version and fence are attributes, the record itself is one document. */
import { ClusterRecord, type ManifestKey } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import { aheadOf } from '../ahead.ts';
import type { ClusterStore } from '../cluster-stores.ts';
import { type DynamoTable, type Item, itemsIn } from './dynamo-table.ts';
import { documentPrefix, type LargeDocuments } from './large-documents.ts';
import { readRecord } from './stored-record.ts';
import { clusterItem, manifestPartition } from './table-keys.ts';

export class DynamoClusters implements ClusterStore {
  readonly #table: DynamoTable;
  readonly #documents: LargeDocuments;

  constructor(table: DynamoTable, documents: LargeDocuments) {
    this.#table = table;
    this.#documents = documents;
  }

  async get(key: ManifestKey, cluster: string): Promise<ClusterRecord | undefined> {
    const item = await this.#table.get(clusterItem(key, cluster));
    return item && this.#read(item);
  }

  async put(record: ClusterRecord): Promise<void> {
    const key = { namespace: record.namespace, name: record.manifest };
    const kept = await this.#documents.keep(documentPrefix(key.namespace, key.name), record);
    const { version, fence } = record;
    const item = { ...clusterItem(key, record.cluster), version, fence, record: kept };
    const condition =
      version === 1
        ? { expression: 'attribute_not_exists(#pk)' }
        : {
            expression: '#version = :before AND #fence <= :fence',
            values: { ':before': version - 1, ':fence': fence },
          };
    if (await this.#table.put(item, condition)) return;
    const stored = await this.#table.get(clusterItem(key, record.cluster));
    if (stored && JSON.stringify(stored.record) === JSON.stringify(kept)) return;
    throw refused(record, stored, version - 1);
  }

  async remove(record: ClusterRecord): Promise<void> {
    const key = clusterItem({ namespace: record.namespace, name: record.manifest }, record.cluster);
    const { version, fence } = record;
    const condition = {
      expression: 'attribute_not_exists(#pk) OR (#version = :version AND #fence <= :fence)',
      values: { ':version': version, ':fence': fence },
    };
    if (await this.#table.remove(key, condition)) return;
    throw refused(record, await this.#table.get(key), version);
  }

  async list(key: ManifestKey): Promise<readonly ClusterRecord[]> {
    return Array.fromAsync(this.each(key));
  }

  each(key: ManifestKey): AsyncIterable<ClusterRecord> {
    return aheadOf(this.#items(key), (item) => this.#read(item));
  }

  async discard(key: ManifestKey): Promise<void> {
    await this.#table.removeAll(await Array.fromAsync(this.#items(key)));
  }

  #items(key: ManifestKey): AsyncIterable<Item> {
    return this.#table.queryEach(itemsIn(manifestPartition(key), 'CLUSTER#'));
  }

  async #read({ pk, sk, record, format }: Item): Promise<ClusterRecord> {
    const [, namespace, manifest] = String(pk).split('#');
    const what = `cluster ${String(sk).replace('CLUSTER#', '')} of manifest ${namespace}/${manifest}`;
    return readRecord(ClusterRecord, await this.#documents.read(record, what), { what, format });
  }
}

function refused(record: ClusterRecord, stored: Item | undefined, expected: number): PipelineError {
  const about = `cluster ${record.cluster} of manifest ${record.namespace}/${record.manifest}`;
  if (stored && Number(stored.fence) > record.fence) {
    const message = `${about} was written with fence ${stored.fence}, newer than ${record.fence}: another run has taken over`;
    return new PipelineError('LeaseLost', message);
  }
  const found = stored ? `version ${stored.version}` : 'not stored';
  return new PipelineError('VersionConflict', `${about} should be version ${expected} and is ${found}; read it again`);
}
