/** `ClusterStore` in memory. */
import { ClusterRecord, type ManifestKey } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import type { ClusterStore } from '#functions/cluster-stores.ts';

const idOf = (key: ManifestKey, cluster: string): string => `${key.namespace}#${key.name}#${cluster}`;
const keyOf = (record: ClusterRecord): ManifestKey => ({ namespace: record.namespace, name: record.manifest });

export class InMemoryClusters implements ClusterStore {
  readonly #records = new Map<string, ClusterRecord>();

  async get(key: ManifestKey, cluster: string): Promise<ClusterRecord | undefined> {
    return structuredClone(this.#records.get(idOf(key, cluster)));
  }

  async put(record: ClusterRecord): Promise<void> {
    const id = idOf(keyOf(record), record.cluster);
    const stored = this.#records.get(id);
    if (JSON.stringify(stored) === JSON.stringify(record)) return;
    guard(stored, record, record.version - 1);
    this.#records.set(id, structuredClone(ClusterRecord.parse(record)));
  }

  async remove(record: ClusterRecord): Promise<void> {
    const id = idOf(keyOf(record), record.cluster);
    const stored = this.#records.get(id);
    if (!stored) return;
    guard(stored, record, record.version);
    this.#records.delete(id);
  }

  async discard(key: ManifestKey): Promise<void> {
    for (const id of this.#records.keys()) if (id.startsWith(idOf(key, ''))) this.#records.delete(id);
  }

  async *each(key: ManifestKey): AsyncGenerator<ClusterRecord> {
    yield* await this.list(key);
  }

  async list(key: ManifestKey): Promise<readonly ClusterRecord[]> {
    const prefix = idOf(key, '');
    const ids = [...this.#records.keys()].filter((id) => id.startsWith(prefix)).sort();
    return structuredClone(ids.flatMap((id) => this.#records.get(id) ?? []));
  }
}

function guard(stored: ClusterRecord | undefined, record: ClusterRecord, expected: number): void {
  if (stored && stored.fence > record.fence)
    throw new PipelineError('LeaseLost', `${record.cluster}: a newer run wrote it`);
  if ((stored?.version ?? 0) === expected) return;
  throw new PipelineError('VersionConflict', `${record.cluster} is version ${stored?.version ?? 0}, not ${expected}`);
}
