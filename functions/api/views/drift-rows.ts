/** Drift next to a plan: a plan starts from what was created, and these items differ from it. */
import type { PlanReport } from '#contracts/api-bodies.ts';
import type { ClusterRecord } from '#contracts/records.ts';
import { differText } from '#domain/assess-drift.ts';
import { clusterName } from '../../pipeline/clusters/cluster-records.ts';

export function driftRows(clusters: readonly ClusterRecord[]): PlanReport['drift'] {
  return clusters.flatMap((record) => {
    const { drift } = record;
    if (drift === undefined || drift.items.length === 0) return [];
    const { checkedAt, items } = drift;
    return [{ cluster: clusterName(record), checkedAt, differs: differText(items.length), items }];
  });
}
