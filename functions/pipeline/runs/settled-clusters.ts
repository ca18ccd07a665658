/** The clusters of a manifest as they are when its run ends. */
import type { ManifestKey, ManifestRecord } from '#contracts/records.ts';
import type { Using } from '../../ports.ts';
import { eachCluster, needsWork } from '../clusters/cluster-plans.ts';
import { planningOf } from '../manifests/template-versions.ts';
import { type SettledCluster, settledCluster } from './run-summary.ts';

/** Those are behind that the planner would change. */
export async function* settledByPlans(
  deps: Using<'clusters.each' | 'ids'>,
  manifest: ManifestRecord,
): AsyncGenerator<SettledCluster> {
  const planning = planningOf(deps, manifest);
  for await (const record of eachCluster(deps, manifest))
    yield settledCluster(record, needsWork(planning, manifest, record));
}

/** By the records alone: of a check, and when a newer generation is stored, whose desired state is for the next run. */
export async function* settledByRecords(
  deps: Using<'clusters.each'>,
  key: ManifestKey,
): AsyncGenerator<SettledCluster> {
  for await (const record of deps.clusters.each(key)) yield settledCluster(record, record.status !== 'Converged');
}
