/** Static machines that change their pool or use: they must leave before they can come back under another name. */
import { allPools, type ClusterState, type NodePoolState, type NodeState } from '#domain/cluster-state.ts';
import { poolKey } from './diff-states.ts';

/** `here` without the static nodes whose machine or name `goal` uses otherwise; `here` itself when there are none. */
export function releaseTarget(here: ClusterState, goal: ClusterState): ClusterState {
  const wished = places(goal);
  const leaves = (pool: NodePoolState, node: NodeState) => {
    const place = placeOf(pool, node);
    return keysOf(node).some((key) => (wished.get(key) ?? place) !== place);
  };
  const movesPool = (pool: NodePoolState) => pool.nodes.some((node) => leaves(pool, node));
  const released = (pool: NodePoolState): NodePoolState[] => {
    if (!movesPool(pool)) return [pool];
    const nodes = pool.nodes.filter((node) => !leaves(pool, node));
    return nodes.length === 0 ? [] : [{ ...pool, nodes }];
  };
  if (!allPools(here).some(movesPool)) return here;
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

/** Where every static machine and node name of a state belongs. */
function places(state: ClusterState): ReadonlyMap<string, string> {
  return new Map(
    allPools(state).flatMap((pool) =>
      pool.nodes.flatMap((node) => keysOf(node).map((key) => [key, placeOf(pool, node)] as const)),
    ),
  );
}

function keysOf(node: NodeState): readonly string[] {
  return node.static === undefined ? [] : [`machine ${node.static.endpoint}`, `name ${node.name}`];
}

function placeOf(pool: NodePoolState, node: NodeState): string {
  return `${poolKey(pool)} ${node.name} ${node.static?.endpoint ?? ''}`;
}
