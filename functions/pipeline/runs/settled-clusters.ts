/** The clusters of a manifest as they are when its run ends. */
import type { ManifestKey, ManifestRecord } from '#contracts/records.ts';
import type { AcceptedCost } from '#domain/prices/money.ts';
import type { Using } from '../../ports.ts';
import { type CostOf, type SettledCluster, settledCluster } from './run-summary.ts';

export interface ClustersAtEnd {
  readonly clusters: readonly SettledCluster[];
  /** The failure of the generation that the run did not try again: it only checked what exists. */
  readonly maintained: ManifestRecord['failed'];
  /** What their machines cost; absent where nothing changed it. */
  readonly acceptedCost: AcceptedCost | undefined;
}

/** The clusters of a run of this generation. A check of what is done is judged by the records alone, and changes no machines. */
export async function clustersAtEnd(
  deps: Parameters<typeof settledByPlans>[0],
  manifest: ManifestRecord,
  { check, generation }: { readonly check: boolean; readonly generation: number },
): Promise<ClustersAtEnd> {
  const newest = manifest.generation === generation;
  const maintained = check && newest ? manifest.failed : undefined;
  // Records of an older release get their cost with a check.
  const counts = !check || maintained !== undefined || manifest.acceptedCost === undefined;
  const cost = counts ? await import('./settled-cost.ts') : undefined;
  const settling = newest && (!check || maintained) ? settledByPlans : settledByRecords;
  const clusters = await Array.fromAsync(settling(deps, manifest, cost?.costOfCluster));
  return { clusters, maintained, acceptedCost: cost?.costOfSettled(clusters) };
}

/** A cluster is unfinished if the planner would change it. The planner is loaded on demand: drift checks, the most frequent runs, do not need it. */
async function* settledByPlans(
  deps: Using<'clusters.each' | 'demands.list' | 'ids' | 'config'>,
  manifest: ManifestRecord,
  costOf: CostOf,
): AsyncGenerator<SettledCluster> {
  const [{ eachCluster, needsWork }, { planningOf }] = await Promise.all([
    import('../plans/cluster-plans.ts'),
    import('../plans/planning.ts'),
  ]);
  // What is asked for meanwhile starts an attempt of its own, unless the manifest is paused.
  const planning = planningOf(deps, manifest, manifest.paused ? await deps.demands.list(manifest) : []);
  for await (const record of eachCluster(deps, manifest))
    yield settledCluster(record, needsWork(planning, manifest, record), costOf);
}

/** By the records alone: of a check, and when a newer generation is stored, whose desired state is for the next run. */
async function* settledByRecords(
  deps: Using<'clusters.each'>,
  key: ManifestKey,
  costOf: CostOf,
): AsyncGenerator<SettledCluster> {
  for await (const record of deps.clusters.each(key))
    yield settledCluster(record, record.status !== 'Converged', costOf);
}
