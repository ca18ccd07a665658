/** What the machines of a plan cost a month: of each cluster as it is, and as its last waypoint leaves it. */
import type { ClusterRecord, Orphans } from '#contracts/records.ts';
import type { ClusterPlan } from '#domain/plan.ts';
import type { CostOfMonth } from '#domain/prices/cost-of-month.ts';
import { costOfMonth } from '#domain/prices/sum-costs.ts';
import { clusterName } from '../records/cluster-records.ts';

/** `orphans`: what a deletion leaves running. */
export function costOfPlan(
  records: readonly ClusterRecord[],
  plans: readonly ClusterPlan[],
  orphans: Orphans = [],
): { readonly costOfMonth?: CostOfMonth } {
  const known = new Map(records.map((record) => [clusterName(record), record.current]));
  const planned = new Map(plans.map((plan) => [plan.cluster, plan]));
  const costs = [...new Set([...known.keys(), ...planned.keys()])].map((cluster) => {
    const before = known.get(cluster) ?? null;
    const last = orphans === 'all' ? undefined : planned.get(cluster)?.waypoints.at(-1);
    return { cluster, before, after: last === undefined ? before : last.target };
  });
  const cost = costOfMonth(costs, { orphans: orphans === 'all' ? [] : orphans });
  return cost === undefined ? {} : { costOfMonth: cost };
}
