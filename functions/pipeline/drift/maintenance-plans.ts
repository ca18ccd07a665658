/**
 * What a check of a cluster leads to: repairs of drift, and replacements where they do not wait for an attempt of the manifest. Loaded on
 * demand: most plans are of changes.
 */
import type { ClusterRecord, DemandRecord, ManifestRecord } from '#contracts/records.ts';
import type { ClusterRun } from '#contracts/state-inputs.ts';
import { allPools, type ClusterState } from '#domain/cluster-state.ts';
import type { Demand } from '#domain/demand.ts';
import type { ClusterPlan } from '#domain/plan.ts';
import { withReplacedNodes } from '#domain/planning/desired/replaced-nodes.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { repairWaypoints } from '#domain/planning/work/repair-plans.ts';
import { drainBudgets, heldBy, orRefused, planCluster } from '../plans/cluster-plans.ts';
import type { Planning } from '../plans/planning.ts';
import { changed, clusterName } from '../records/cluster-records.ts';
import { manifestOf } from '../records/stored-document.ts';
import { byHealing } from './heal-nodes.ts';

/** The repair that a check requested, of the current state, whatever else the manifest asks for. */
export function planRepair(record: ClusterRecord): ClusterPlan {
  const { current, drift } = record;
  const items = drift?.repair?.state === 'requested' ? drift.repair.items : [];
  const waypoints = current === null ? [] : [...repairWaypoints(current, items, drift?.repair?.strays)];
  return { cluster: clusterName(record), waypoints, refusals: [] };
}

/**
 * The part of the demand that the run of a check is planned with. After a failed attempt it carries out what healing asked for, each
 * pool with the number of nodes that it had before; undefined when there is nothing of that.
 */
export function maintenanceDemand(
  manifest: ManifestRecord,
  { current, demand: planned }: ClusterRecord,
  demand: DemandRecord | undefined,
): DemandRecord | undefined {
  if (manifest.failed === undefined || current === null || demand === undefined) return demand;
  const replace = demand.replace.filter(({ by }) => by === byHealing);
  if (replace.length === 0) return undefined;
  const sizes = allPools(current).flatMap(({ name, nodes }): (readonly [string, Demand['sizes'][string]])[] => {
    const first = replace.find(({ node }) => nodes.some((one) => one.name === node));
    if (first === undefined) return [];
    // Between the grow and the shrink there are more.
    const before = planned?.sizes[name];
    return [[name, before?.kept ? before : { count: nodes.length, at: first.at, by: byHealing, kept: true }]];
  });
  return { ...demand, replace, sizes: Object.fromEntries(sizes) };
}

/**
 * From the current state to the same state: repaired first, then, after a failed attempt, with other nodes in place of those that are
 * replaced. Otherwise the next attempt replaces them.
 */
export function planMaintenance(
  manifest: ManifestRecord,
  record: ClusterRecord,
  demand: DemandRecord | undefined,
): ClusterPlan {
  const repair = planRepair(record);
  const { current, attempted } = record;
  if (repair.waypoints.length > 0 || manifest.failed === undefined || current === null) return repair;
  // What an interrupted replacement may have created is used by the next one, or removed.
  const { cluster } = repair;
  return orRefused(cluster, () => {
    const desired = demand === undefined ? current : exchanged(current, demand);
    const options = { maxUnavailable: 1, maxUnavailableOf: drainBudgets(manifestOf(manifest)) };
    return planClusterPath({ cluster, current, attempted, desired, options });
  });
}

function exchanged(current: ClusterState, { replace, sizes }: DemandRecord): ClusterState {
  const counts = Object.entries(sizes).map(([pool, { count }]) => [pool, count] as const);
  const leaving = new Set(replace.map(({ node }) => node));
  return withReplacedNodes(current, { leaving, sizes: Object.fromEntries(counts) });
}

/** The record at the end of a check: as the failed change left it. Undefined when nothing of that change is left to do. */
export function unreachedRecord(
  run: ClusterRun,
  manifest: ManifestRecord,
  { record: { unreached, ...record }, planning }: { readonly record: ClusterRecord; readonly planning: Planning },
): ClusterRecord | undefined {
  if (unreached === undefined) return undefined;
  const { waypoints, refusals } = planCluster(planning, manifest, record);
  const left = waypoints.length + refusals.length + heldBy(manifest, record).length;
  return left === 0 ? undefined : changed(record, run, { ...unreached, backOffs: 0 });
}
