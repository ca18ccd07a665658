/** The target of `shrink`: what exists without what is no longer desired. */
import type { ClusterState, LoadBalancerState, NodePoolState, RoleState } from '#domain/cluster-state.ts';
import { nodeKey } from '../states/diff-pools.ts';
import { poolKey } from '../states/diff-states.ts';
import { listenerOf } from '../states/role-targets.ts';

/** `here` without the nodes, pools, load balancers and roles that `goal` does not have. */
export function shrinkTarget(here: ClusterState, goal: ClusterState): ClusterState {
  const pools = shrunkPools(here.pools, goal.pools);
  const names = new Set(pools.map((pool) => pool.name));
  return {
    ...here,
    pools,
    loadBalancers: here.loadBalancers.flatMap((loadBalancer) => {
      const goalBalancer = goal.loadBalancers.find((candidate) => candidate.id === loadBalancer.id);
      if (goalBalancer === undefined) return [];
      return [
        {
          ...loadBalancer,
          pools: shrunkPools(loadBalancer.pools, goalBalancer.pools),
          roles: shrunkRoles(loadBalancer, goalBalancer, names),
        },
      ];
    }),
  };
}

function shrunkPools(here: readonly NodePoolState[], goal: readonly NodePoolState[]): NodePoolState[] {
  const goals = new Map(goal.map((pool) => [poolKey(pool), new Set(pool.nodes.map(nodeKey))]));
  return here.flatMap((pool) => {
    const goalNodes = goals.get(poolKey(pool));
    if (goalNodes === undefined) return [];
    const nodes = pool.nodes.filter((node) => goalNodes.has(nodeKey(node)));
    return [nodes.length === pool.nodes.length ? pool : { ...pool, nodes }];
  });
}

/** Roles that stay, with the targets that are left; a port that a removed role frees goes to its successor at once. */
function shrunkRoles(here: LoadBalancerState, goal: LoadBalancerState, pools: ReadonlySet<string>): RoleState[] {
  const goals = new Map(goal.roles.map((role) => [role.name, role]));
  const kept = here.roles.flatMap((role) => {
    const after = goals.get(role.name);
    if (after === undefined) return [];
    const left = role.targetPools.filter((pool) => pools.has(pool));
    if (left.length === role.targetPools.length) return [role];
    return [{ ...role, targetPools: left.length > 0 ? left : after.targetPools }];
  });
  const known = new Set(here.roles.map((role) => role.name));
  const taken = new Set(kept.map(listenerOf));
  const freed = new Set(here.roles.map(listenerOf).filter((listener) => !taken.has(listener)));
  const successors = goal.roles.filter((role) => !known.has(role.name) && freed.has(listenerOf(role)));
  return [...kept, ...successors];
}
