/** A run that is bound to a plan begins only when nothing that the plan follows from has moved. */
import type { ClusterRecord, DemandRecord, ManifestRecord } from '#contracts/records.ts';
import type { StageError } from '#contracts/stage.ts';
import { clusterMoved, movedText } from '#domain/planning/plan-basis.ts';
import type { Using } from '../../ports.ts';
import { clusterName } from '../records/cluster-records.ts';
import { eachCluster } from './cluster-plans.ts';
import { clusterBasisOf, kubeloomVersion } from './plan-id.ts';

/** What moved since the plan of a manifest was made, for a cluster on which its run has not started yet; a sentence each. */
export function movedOf(
  manifest: ManifestRecord,
  record: ClusterRecord,
  demand: DemandRecord | undefined,
): readonly string[] {
  const { plan, check } = manifest;
  if (plan === undefined || check !== undefined || record.lastChange?.plan === plan.id) return [];
  const name = clusterName(record);
  return [
    ...clusterMoved(name, plan.clusters[name], clusterBasisOf(manifest, record, demand)),
    ...(plan.kubeloom === kubeloomVersion ? [] : [`Kubeloom was upgraded from ${plan.kubeloom} to ${kubeloomVersion}`]),
  ];
}

/**
 * The same for all clusters of the manifest, before any of them is touched. Once one is, Plan Cluster refuses only those that moved.
 * A cluster of the plan that neither exists nor is desired has moved, unless an earlier attempt of the run was interrupted: the plan
 * deletes it, and that attempt did so.
 */
export async function movedOfAny(
  deps: Using<'clusters.each' | 'ids'>,
  manifest: ManifestRecord,
  demands: readonly DemandRecord[],
): Promise<readonly string[]> {
  const { plan, check } = manifest;
  if (plan === undefined || check !== undefined) return [];
  const moved = new Set<string>();
  const missing = new Set(manifest.attempt > 1 ? [] : Object.keys(plan.clusters));
  let started = false;
  for await (const record of eachCluster(deps, manifest)) {
    started ||= record.lastChange?.plan === plan.id;
    const demand = demands.find(({ cluster }) => cluster === record.cluster);
    for (const text of movedOf(manifest, record, demand)) moved.add(text);
    missing.delete(clusterName(record));
  }
  for (const name of missing) for (const text of clusterMoved(name, plan.clusters[name], undefined)) moved.add(text);
  return started ? [] : [...moved];
}

export function planMovedError(manifest: ManifestRecord, moved: readonly string[]): StageError {
  const message = `plan ${manifest.plan?.id ?? ''} is no longer valid: ${movedText(moved)}`;
  const hint = 'plan again (kubeloom plan), and apply or approve that plan';
  return { class: 'user', code: 'PlanMoved', message: message.slice(0, 2000), hint, retryable: false };
}
