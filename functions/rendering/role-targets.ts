/** The nodes a load balancer role points to. */
import type { ClusterState, NodeState, RoleState } from '#domain/cluster-state.ts';

/** A pool used as control and compute is meant in both uses, except by the role that serves the API: that one means control. */
export function roleTargets(state: ClusterState, role: RoleState): readonly NodeState[] {
  return state.pools
    .filter((pool) => role.targetPools.includes(pool.name) && (!role.servesApi || pool.role === 'control'))
    .flatMap((pool) => pool.nodes);
}
