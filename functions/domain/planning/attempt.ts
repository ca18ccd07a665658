/**
 * What to remember while a waypoint is under way, so that nothing is forgotten when it is cut off: what the pipeline
 * stores as `current` and `attempted` of a cluster.
 */
import { allPools, type ClusterState } from '#domain/cluster-state.ts';
import type { Waypoint } from '#domain/plan.ts';

/** `current` is what stood last; `attempted` is what may stand beside it, or be gone from it. */
export interface KnownStates {
  readonly current: ClusterState | null;
  readonly attempted: ClusterState | null;
}

/** To be stored before the first stage of a waypoint starts. */
export function statesDuring(
  { target, changes }: Pick<Waypoint, 'target' | 'changes'>,
  states: KnownStates,
): KnownStates {
  if (target === null) {
    const all = everything(states);
    return { current: all, attempted: all === null ? null : { ...all, pools: [], loadBalancers: [] } };
  }
  const cleansUp = changes.some((change) => change.kind === 'LeftoversFound');
  return cleansUp ? states : { current: states.current, attempted: target };
}

/** To be stored when a waypoint is reached. */
export function statesAfter({ target }: Pick<Waypoint, 'target'>): KnownStates {
  return { current: target, attempted: null };
}

/** To be stored when a waypoint was undone. */
export function statesAfterUndo(before: ClusterState | null): KnownStates {
  return { current: before, attempted: null };
}

/** All that stands or may stand, for what takes it down. */
function everything({ current, attempted }: KnownStates): ClusterState | null {
  if (current === null || attempted === null) return current ?? attempted;
  const pools = new Set(allPools(current).map((pool) => pool.id));
  const balancers = new Map(attempted.loadBalancers.map((loadBalancer) => [loadBalancer.id, loadBalancer]));
  const known = new Set(current.loadBalancers.map((loadBalancer) => loadBalancer.id));
  return {
    ...current,
    pools: [...grown(current.pools, attempted.pools), ...attempted.pools.filter((pool) => !pools.has(pool.id))],
    loadBalancers: [
      ...current.loadBalancers.map((loadBalancer) => {
        const others = balancers.get(loadBalancer.id)?.pools ?? [];
        const added = others.filter((pool) => !pools.has(pool.id));
        return { ...loadBalancer, pools: [...grown(loadBalancer.pools, others), ...added] };
      }),
      ...attempted.loadBalancers.filter((loadBalancer) => !known.has(loadBalancer.id)),
    ],
  };
}

function grown(pools: ClusterState['pools'], others: ClusterState['pools']): ClusterState['pools'] {
  return pools.map((pool) => {
    const names = new Set(pool.nodes.map((node) => node.name));
    const added = others.find((other) => other.id === pool.id)?.nodes.filter((node) => !names.has(node.name)) ?? [];
    return added.length === 0 ? pool : { ...pool, nodes: [...pool.nodes, ...added] };
  });
}
