/** Static machines that change their pool or use: they must leave before they can come back under another name. */
import type { ClusterState, NodePoolState, NodeState } from '#domain/cluster-state.ts';
import { nodeKey } from '../states/diff-pools.ts';
import { poolKey } from '../states/diff-states.ts';

/** `here` without the static nodes whose machine, name or pool `goal` uses otherwise; `here` itself when no node is affected. */
export function releaseTarget(here: ClusterState, goal: ClusterState): ClusterState {
  const desired = new Map(
    ownedPools(goal).flatMap(({ pool, owner }) => placesOf(pool, owner).map(([key, place]) => [key, place])),
  );
  const leaving = new Set<NodeState | undefined>(
    ownedPools(here).flatMap(({ pool, owner }) => {
      const moved = placesOf(pool, owner).filter(([key, place]) => (desired.get(key) ?? place) !== place);
      return moved.some(([key]) => key === `pool ${pool.id}`) ? pool.nodes : moved.map(([, , node]) => node);
    }),
  );
  if (leaving.size === 0) return here;
  const released = (pool: NodePoolState): NodePoolState[] => {
    const nodes = pool.nodes.filter((node) => !leaving.has(node));
    if (nodes.length === pool.nodes.length) return [pool];
    return nodes.length === 0 ? [] : [{ ...pool, nodes }];
  };
  const pools = here.pools.flatMap(released);
  const names = new Set(pools.map((pool) => pool.name));
  return {
    ...here,
    pools,
    loadBalancers: here.loadBalancers.map((loadBalancer) => ({
      ...loadBalancer,
      pools: loadBalancer.pools.flatMap(released),
      roles: loadBalancer.roles.flatMap((role) => {
        const targetPools = role.targetPools.filter((pool) => names.has(pool));
        return targetPools.length === 0 ? [] : [{ ...role, targetPools }];
      }),
    })),
  };
}

/** Pools with the load balancer they belong to. */
function ownedPools(state: ClusterState): readonly { readonly pool: NodePoolState; readonly owner: string }[] {
  return [
    ...state.pools.map((pool) => ({ pool, owner: '' })),
    ...state.loadBalancers.flatMap(({ id, pools }) => pools.map((pool) => ({ pool, owner: id }))),
  ];
}

/** What a static pool occupies, and as what: its id, and the names and machines of its nodes. */
function placesOf(pool: NodePoolState, owner: string): readonly (readonly [string, string, NodeState | undefined])[] {
  if (pool.source.kind === 'dynamic') return [];
  const use = `${owner} ${poolKey(pool)}`;
  return [
    [`pool ${pool.id}`, use, undefined],
    ...pool.nodes.flatMap((node) => {
      const place = `${use} ${nodeKey(node)}`;
      return [[`name ${node.name}`, place, node] as const, [`machine ${node.static?.endpoint}`, place, node] as const];
    }),
  ];
}
