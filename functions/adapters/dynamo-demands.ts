/** `DemandStore` on DynamoDB: one small item a cluster, which its manifest's own item never holds. */
import { DemandRecord, type ManifestKey } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import type { DemandStore } from '../cluster-stores.ts';
import { followsStored, type Item, itemsIn, TableStore } from './dynamo-table.ts';
import { readRecord } from './stored-record.ts';
import { demandItem, demandsOf, manifestPartition } from './table-keys.ts';

export class DynamoDemands extends TableStore implements DemandStore {
  async get(key: ManifestKey, cluster: string): Promise<DemandRecord | undefined> {
    const item = await this.table.get(demandItem(key, cluster));
    return item && read(item);
  }

  async list(key: ManifestKey): Promise<readonly DemandRecord[]> {
    return (await this.#items(key)).map(read);
  }

  async put(record: DemandRecord): Promise<void> {
    const { namespace, manifest, cluster, version } = record;
    const item = { ...demandItem({ namespace, name: manifest }, cluster), version, record };
    if (await this.table.put(item, followsStored('version', version))) return;
    const about = `the demand of cluster ${cluster} of manifest ${namespace}/${manifest}`;
    throw new PipelineError('VersionConflict', `${about} is no longer version ${version - 1}; read it again`);
  }

  async remove(key: ManifestKey, cluster: string): Promise<void> {
    await this.table.remove(demandItem(key, cluster));
  }

  async discard(key: ManifestKey): Promise<void> {
    await this.table.removeAll(await this.#items(key));
  }

  #items(key: ManifestKey): Promise<readonly Item[]> {
    return this.table.queryAll(itemsIn(manifestPartition(key), demandsOf));
  }
}

function read({ pk, sk, record, format }: Item): DemandRecord {
  const [, namespace, manifest] = String(pk).split('#');
  const what = `the demand of cluster ${String(sk).slice(demandsOf.length)} of manifest ${namespace}/${manifest}`;
  return readRecord(DemandRecord, record, { what, format });
}
