/** The clusters of a manifest as they are when its run ends. */
import type { ManifestKey, ManifestRecord } from '#contracts/records.ts';
import type { Using } from '../../ports.ts';
import { type CostOf, type SettledCluster, settledCluster } from './run-summary.ts';

/** A cluster is unfinished if the planner would change it. The planner is loaded on demand: drift checks, the most frequent runs, do not need it. */
export async function* settledByPlans(
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
export async function* settledByRecords(
  deps: Using<'clusters.each'>,
  key: ManifestKey,
  costOf: CostOf,
): AsyncGenerator<SettledCluster> {
  for await (const record of deps.clusters.each(key))
    yield settledCluster(record, record.status !== 'Converged', costOf);
}
