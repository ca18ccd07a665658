/** Plans of the clusters of a stored manifest, from the current states in their records. */
import type { ClusterRecord, HeldPool, ManifestRecord } from '#contracts/records.ts';
import { isOpen, noDemand, openDemand, type SizeBounds, sizesOf } from '#domain/demand.ts';
import { isPipelineError } from '#domain/errors.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { type HashSource, hashedId } from '#domain/naming.ts';
import { onceFor } from '#domain/once-for.ts';
import type { ClusterPlan } from '#domain/plan.ts';
import { buildDesiredState } from '#domain/planning/desired/build-desired-state.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { isUnhealthy } from '#domain/repair/node-health.ts';
import type { Using } from '../../ports.ts';
import { clusterName, newCluster } from '../records/cluster-records.ts';
import { manifestOf } from '../records/stored-document.ts';
import type { Planning } from './planning.ts';

/** The plan of one cluster; a manifest that is being deleted has no desired clusters. */
export function planCluster(
  {
    ids,
    templates,
    templateSecrets = {},
    demands = {},
    defaultStorage,
    upstreamDocuments,
    agentUrl,
    agentCa,
    agentProviders,
    planes = {},
  }: Planning,
  manifest: ManifestRecord,
  record: ClusterRecord,
): ClusterPlan {
  const { cluster, current, attempted } = record;
  const goal = { cluster: clusterName(record), current, attempted };
  if (manifest.deleting) return planClusterPath({ ...goal, desired: null });
  const document = manifestOf(manifest);
  return orRefused(goal.cluster, () => {
    const heldPools = heldBy(manifest, record);
    const demand = openDemand(demands[cluster] ?? noDemand, { current, attempted, bounds: boundsOf(document) });
    const unhealthy = (record.drift?.health ?? []).filter(({ health }) => isUnhealthy(health)).map(({ node }) => node);
    const asked = { sizes: sizesOf(demand), leaving: demand.replace.map(({ node }) => node) };
    const sources = {
      templates,
      templateSecrets,
      ids,
      heldPools,
      unhealthy,
      defaultStorage,
      agentUrl,
      agentCa,
      agentProviders,
      planes,
      ...asked,
    };
    const desired = buildDesiredState({ ...goal, manifest: document, ...sources });
    const { replaceAtOnce = 1 } = document.spec.kubernetes.clusters.find(({ name }) => name === goal.cluster) ?? {};
    const requested = record.drift?.repair?.state === 'requested' ? record.drift.repair : undefined;
    const repair = requested?.items ?? [];
    // Found between two waypoints of this change.
    const repairFirst = requested !== undefined && requested.runId === record.progress?.runId;
    const options = {
      maxUnavailable: 1,
      maxUnavailableOf: drainBudgets(document),
      replaceAtOnce,
      repair,
      repairFirst,
      upstreamDocuments,
    };
    return planClusterPath({ ...goal, desired: desired && { ...desired, id: cluster }, options });
  });
}

/** A plan that is refused while it is made, as when addresses run out. */
export function orRefused(cluster: string, plan: () => ClusterPlan): ClusterPlan {
  try {
    return plan();
  } catch (error) {
    if (!isPipelineError(error, 'PlanRefused')) throw error;
    const refusal = { path: `cluster ${cluster}`, reason: error.message, fix: 'change the manifest' };
    return { cluster, waypoints: [], refusals: [refusal] };
  }
}

/** Bounds of autoscaled pools, by name. */
export const boundsOf = onceFor(({ spec: { nodePools } }: InputManifest): Readonly<Record<string, SizeBounds>> => {
  const scaled = nodePools.dynamic.flatMap(({ name, autoscaler }) => (autoscaler ? [[name, autoscaler] as const] : []));
  return Object.fromEntries(scaled);
});

/** Held pools, which could not be created: a newer generation or attempt retries them. */
export function heldBy(
  { generation, attempt }: Pick<ManifestRecord, 'generation' | 'attempt'>,
  { heldPools = [] }: ClusterRecord,
): readonly HeldPool[] {
  return heldPools.filter((held) => held.generation === generation && held.attempt === attempt);
}

/** Nodes that may be drained at once, by pool name. */
export const drainBudgets = onceFor(({ spec: { nodePools } }: InputManifest): Readonly<Record<string, number>> => {
  const pools = [...nodePools.dynamic, ...nodePools.static];
  return Object.fromEntries(pools.map(({ name, maxUnavailable }) => [name, maxUnavailable]));
});

/** The records of all clusters that exist or are desired; those that do not exist yet get their id here. */
export function clustersOf(
  ids: HashSource,
  manifest: ManifestRecord,
  stored: readonly ClusterRecord[],
): readonly ClusterRecord[] {
  if (manifest.deleting) return stored;
  const known = new Set(stored.map(clusterName));
  const taken = new Set(stored.map(({ cluster }) => cluster));
  return [...stored, ...addedTo(ids, manifest, { known, taken })];
}

/** Streams the records of `clustersOf` from the store, one in memory at a time. */
export async function* eachCluster(
  { clusters, ids }: Using<'clusters.each' | 'ids'>,
  manifest: ManifestRecord,
): AsyncGenerator<ClusterRecord> {
  const known = new Set<string>();
  const taken = new Set<string>();
  for await (const record of clusters.each(manifest)) {
    known.add(clusterName(record));
    taken.add(record.cluster);
    yield record;
  }
  if (!manifest.deleting) yield* addedTo(ids, manifest, { known, taken });
}

function addedTo(
  ids: HashSource,
  manifest: ManifestRecord,
  { known, taken }: { readonly known: ReadonlySet<string>; readonly taken: Set<string> },
): readonly ClusterRecord[] {
  const names = manifestOf(manifest).spec.kubernetes.clusters.map(({ name }) => name);
  const added = names.filter((name) => !known.has(name));
  return added.map((name) => newCluster(manifest, hashedId(name, ids, taken)));
}

/** The records of all clusters as they will be when the path to this manifest has been walked to its end. */
export function reachedRecords(
  planning: Planning,
  manifest: ManifestRecord,
  stored: readonly ClusterRecord[],
): readonly ClusterRecord[] {
  return clustersOf(planning.ids, manifest, stored).map((record) => {
    const last = planCluster(planning, manifest, record).waypoints.at(-1);
    return last === undefined ? record : { ...record, current: last.target, attempted: null };
  });
}

/** True when the record has to change: something to do, to refuse, to report or to forget. */
export function needsWork(planning: Planning, manifest: ManifestRecord, record: ClusterRecord): boolean {
  if (record.status !== 'Converged' || record.current === null) return true;
  // Fulfilled demands must be removed, too.
  if (!manifest.deleting && isOpen(planning.demands?.[record.cluster] ?? noDemand)) return true;
  const { waypoints, refusals } = planCluster(planning, manifest, record);
  return waypoints.length > 0 || refusals.length > 0;
}
