/**
 * One pass of planning as the product does it, from what is stored to what is stored, without the data base: Plan
 * Manifest reads the manifest and all clusters and finds those that have work; Plan Cluster reads both again for each of
 * these, plans, and writes the record.
 */

import { parseConfig } from '#contracts/config.ts';
import type { ClusterRecord, ManifestRecord } from '#contracts/records.ts';
import { ClusterRecord as StoredCluster } from '#contracts/records.ts';
import { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { statesDuring } from '#domain/planning/states/attempt.ts';
import { LargeDocuments } from '../functions/adapters/large-documents.ts';
import { readManifest } from '../functions/adapters/manifest-item.ts';
import { readRecord } from '../functions/adapters/stored-record.ts';
import { randomIds } from '../functions/adapters/system-clock.ts';
import { manifestItem } from '../functions/adapters/table-keys.ts';
import { aheadOf } from '../functions/ahead.ts';
import { eachCluster, needsWork, planCluster } from '../functions/pipeline/plans/cluster-plans.ts';
import { planningOf } from '../functions/pipeline/plans/planning.ts';
import { changed, newCluster } from '../functions/pipeline/records/cluster-records.ts';
import { nextRecord } from '../functions/pipeline/records/next-record.ts';
import type { Artifacts } from '../functions/ports.ts';

const key = { namespace: 'default', name: 'bench' };
const ids = randomIds;
const run = { ...key, cluster: '', generation: 1, attempt: 1, runId: 'bench-g1-a1', fence: 1 } as const;

/** What is stored: texts only, as the table and the bucket keep them. */
export class PlanStore {
  readonly #texts = new Map<string, string>();
  readonly #documents = new LargeDocuments({
    getText: async (name: string) => this.#texts.get(name),
    putText: async (name: string, text: string) => void this.#texts.set(name, text),
  } as Artifacts);
  readonly #clusters = new Map<string, string>();
  #manifest = '';

  async setManifest(document: unknown): Promise<void> {
    const accepted = InputManifest.parse(document);
    const wanted = { document: accepted, deleting: false, again: false };
    const { document: kept, lease: _, ...plain } = nextRecord({ now: new Date(0), ids }, key, undefined, wanted);
    const item = { ...manifestItem(key), ...plain, document: await this.#documents.keep('documents', kept) };
    this.#manifest = JSON.stringify(item);
  }

  async manifest(): Promise<ManifestRecord> {
    const item = JSON.parse(this.#manifest) as Record<string, unknown>;
    return readManifest(item, await this.#documents.readShared(item.document, 'the manifest'));
  }

  async cluster(id: string): Promise<ClusterRecord | undefined> {
    const text = this.#clusters.get(id);
    if (text === undefined) return undefined;
    const record: unknown = await this.#documents.read(JSON.parse(text), 'the cluster');
    return readRecord(StoredCluster, record, { what: 'the cluster' });
  }

  each(): AsyncIterable<ClusterRecord> {
    return aheadOf(this.#clusters.keys(), async (id) => (await this.cluster(id)) as ClusterRecord);
  }

  async putCluster(record: ClusterRecord): Promise<void> {
    this.#clusters.set(record.cluster, await this.textOf(record));
  }

  async textOf(record: ClusterRecord): Promise<string> {
    return JSON.stringify(await this.#documents.keep('documents', record));
  }
}

const config = parseConfig({
  KUBELOOM_TABLE: 'bench',
  KUBELOOM_BUCKET: 'bench',
  KUBELOOM_PROVIDER_TYPES: '',
  KUBELOOM_RUNNER_PROJECTS: '{}',
});

/** Gives the records that were written; what is stored stays as it is, so that it can be done again. */
export async function* planningPass(store: PlanStore): AsyncGenerator<ClusterRecord> {
  const manifest = await store.manifest();
  const planning = planningOf({ ids, config }, manifest);
  const records = eachCluster({ clusters: { each: () => store.each() }, ids }, manifest);
  const touched = aheadOf(records, async (record) => (needsWork(planning, manifest, record) ? [record.cluster] : []));
  for (const cluster of (await Array.fromAsync(touched)).flat()) {
    const now = await store.manifest();
    const record = (await store.cluster(cluster)) ?? newCluster(key, cluster);
    const { refusals, waypoints } = planCluster(planningOf({ ids, config }, now), now, record);
    const [waypoint] = waypoints;
    if (refusals.length > 0 || waypoint === undefined) throw new Error(`no plan for ${cluster}`);
    const next = changed(record, { ...run, cluster }, { ...statesDuring(waypoint, record), status: 'Running' });
    await store.textOf(next);
    yield next;
  }
}

/** As if everything that was planned had been done. */
export async function settlePlans(store: PlanStore, written: AsyncIterable<ClusterRecord>): Promise<void> {
  for await (const record of written) {
    const current = record.attempted;
    await store.putCluster({ ...record, current, attempted: null, status: 'Converged' });
  }
}
