/**
 * What to remember while a waypoint is under way, so that nothing is forgotten when it is interrupted: what the pipeline
 * stores as `current` and `attempted` of a cluster.
 */
import type { ClusterState, NodePoolState } from '#domain/cluster-state.ts';
import type { Waypoint } from '#domain/plan.ts';
import { nodeKey } from './diff-pools.ts';
import { poolKey } from './diff-states.ts';

/** `current` is the last known state; `attempted` has what may exist in addition, or may be gone. */
export interface KnownStates {
  readonly current: ClusterState | null;
  readonly attempted: ClusterState | null;
}

/**
 * To be stored before the first stage of a waypoint starts. What is being removed counts as existing until it is
 * gone: after an interruption, it is removed completely before it is created again.
 */
export function statesDuring(
  { target, changes }: Pick<Waypoint, 'target' | 'changes'>,
  states: KnownStates,
): KnownStates {
  const { current, attempted } = states;
  if (target === null) {
    const all = everything(current, attempted);
    return { current: all, attempted: all === null ? null : { ...all, pools: [], loadBalancers: [] } };
  }
  const cleansUp = changes.some((change) => change.kind === 'LeftoversFound');
  return cleansUp ? { current: everything(attempted, current), attempted: target } : { current, attempted: target };
}

/** To be stored when a waypoint is reached. */
export function statesAfter({ target }: Pick<Waypoint, 'target'>): KnownStates {
  return { current: target, attempted: null };
}

/** To be stored when a waypoint was undone. */
export function statesAfterUndo(before: ClusterState | null): KnownStates {
  return { current: before, attempted: null };
}

/** Everything that is in one of the two states; what is in both is taken from the first. */
function everything(first: ClusterState | null, second: ClusterState | null): ClusterState | null {
  if (first === null || second === null) return first ?? second;
  const known = new Set(first.loadBalancers.map((loadBalancer) => loadBalancer.id));
  const others = new Map(second.loadBalancers.map((loadBalancer) => [loadBalancer.id, loadBalancer.pools]));
  return {
    ...first,
    pools: allOf(first.pools, second.pools),
    loadBalancers: [
      ...first.loadBalancers.map((loadBalancer) => ({
        ...loadBalancer,
        pools: allOf(loadBalancer.pools, others.get(loadBalancer.id) ?? []),
      })),
      ...second.loadBalancers.filter((loadBalancer) => !known.has(loadBalancer.id)),
    ],
  };
}

function allOf(first: readonly NodePoolState[], second: readonly NodePoolState[]): NodePoolState[] {
  const known = new Set(first.map(poolKey));
  const others = new Map(second.map((pool) => [poolKey(pool), pool.nodes]));
  return [
    ...first.map((pool) => {
      const keys = new Set(pool.nodes.map(nodeKey));
      const added = (others.get(poolKey(pool)) ?? []).filter((node) => !keys.has(nodeKey(node)));
      return added.length === 0 ? pool : { ...pool, nodes: [...pool.nodes, ...added] };
    }),
    ...second.filter((pool) => !known.has(poolKey(pool))),
  ];
}
