/** `ClusterStore` on DynamoDB: version and fence are attributes, the record itself is one document. */
import { ClusterRecord, type ManifestKey } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import type { ClusterStore } from '../ports.ts';
import type { DynamoTable, Item } from './dynamo-table.ts';
import { documentPrefix, type LargeDocuments } from './large-documents.ts';
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
    const items = await this.#table.queryAll({
      partition: { name: 'pk', value: manifestPartition(key) },
      sort: { expression: 'begins_with(#sk, :prefix)', values: { ':prefix': 'CLUSTER#' } },
    });
    return Promise.all(items.map((item) => this.#read(item)));
  }

  async #read(item: Item): Promise<ClusterRecord> {
    return ClusterRecord.parse(await this.#documents.read(item.record));
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
