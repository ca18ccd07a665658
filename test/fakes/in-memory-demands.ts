/** `DemandStore` in memory. */
import { DemandRecord, type ManifestKey } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import type { DemandStore } from '#functions/cluster-stores.ts';

const idOf = (key: ManifestKey, cluster: string): string => `${key.namespace}#${key.name}#${cluster}`;

export class InMemoryDemands implements DemandStore {
  readonly #records = new Map<string, DemandRecord>();

  async get(key: ManifestKey, cluster: string): Promise<DemandRecord | undefined> {
    return structuredClone(this.#records.get(idOf(key, cluster)));
  }

  async list(key: ManifestKey): Promise<readonly DemandRecord[]> {
    const ids = [...this.#records.keys()].filter((id) => id.startsWith(idOf(key, ''))).sort();
    return structuredClone(ids.flatMap((id) => this.#records.get(id) ?? []));
  }

  async put(record: DemandRecord): Promise<void> {
    const id = idOf({ namespace: record.namespace, name: record.manifest }, record.cluster);
    const stored = this.#records.get(id)?.version ?? 0;
    if (stored !== record.version - 1)
      throw new PipelineError('VersionConflict', `the demand of ${record.cluster} is version ${stored}`);
    this.#records.set(id, structuredClone(DemandRecord.parse(record)));
  }

  async remove(key: ManifestKey, cluster: string): Promise<void> {
    this.#records.delete(idOf(key, cluster));
  }

  async discard(key: ManifestKey): Promise<void> {
    for (const id of this.#records.keys()) if (id.startsWith(idOf(key, ''))) this.#records.delete(id);
  }
}
