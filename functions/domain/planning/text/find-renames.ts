/** Clusters that are deleted while a similar one is added: most likely a name was changed, which destroys the cluster. */
import type { ClusterPlan } from '#domain/plan.ts';
import { poolLabels } from './pool-labels.ts';

export interface ClusterRename {
  readonly from: string;
  readonly to: string;
  /** How many nodes are destroyed with it. */
  readonly nodes: number;
}

/** Pairs a cluster that is deleted with a new one that has at least half of its pools, by name and place. */
export function findRenames(plans: readonly ClusterPlan[]): readonly ClusterRename[] {
  const deleted = plans.filter(({ waypoints }) => waypoints.some(({ target }) => target === null));
  const open = new Set(
    plans.filter(({ waypoints }) =>
      waypoints.some(({ changes }) => changes.some(({ kind }) => kind === 'ClusterCreated')),
    ),
  );
  return deleted.flatMap((old) => {
    const gone = poolsOf(old, 'NodePoolRemoved');
    const ranked = [...open]
      .map((plan) => ({ plan, pools: poolsOf(plan, 'NodePoolAdded') }))
      .map(({ plan, pools }) => ({ plan, alike: shared(gone, pools) / Math.max(gone.length, pools.length, 1) }))
      .toSorted((a, b) => b.alike - a.alike);
    const [best] = ranked;
    if (best === undefined || best.alike < 0.5) return [];
    open.delete(best.plan);
    return [{ from: old.cluster, to: best.plan.cluster, nodes: nodesRemoved(old) }];
  });
}

function poolsOf(plan: ClusterPlan, kind: 'NodePoolAdded' | 'NodePoolRemoved'): readonly string[] {
  const label = poolLabels(plan, null);
  return plan.waypoints.flatMap(({ changes }) =>
    changes.flatMap((change) =>
      change.kind === kind ? [`${change.role} ${label(change.pool)} ${change.provider} ${change.region}`] : [],
    ),
  );
}

function shared(left: readonly string[], right: readonly string[]): number {
  return left.filter((pool) => right.includes(pool)).length;
}

function nodesRemoved({ waypoints }: ClusterPlan): number {
  const names = waypoints.flatMap(({ changes }) =>
    changes.flatMap((change) => (change.kind === 'NodePoolRemoved' ? change.nodes : [])),
  );
  return new Set(names).size;
}
