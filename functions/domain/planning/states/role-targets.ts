/** What the roles of load balancers mean in a cluster: their targets, their ports. */
import type { ClusterState, LoadBalancerState, NodeState, RoleState } from '#domain/cluster-state.ts';

/** Nodes a role points to. A pool used as control and compute is meant in both uses, by the API role only as control. */
export function roleTargets(state: ClusterState, role: RoleState): readonly NodeState[] {
  return state.pools
    .filter((pool) => role.targetPools.includes(pool.name) && (!role.servesApi || pool.role === 'control'))
    .flatMap((pool) => pool.nodes);
}

/** True when the load balancer has a role that serves the Kubernetes API. */
export function targetsApi(loadBalancer: LoadBalancerState): boolean {
  return loadBalancer.roles.some((role) => role.servesApi);
}

/** What two roles of one load balancer must not share. */
export function listenerOf(role: RoleState): string {
  return `${role.protocol}/${role.port}`;
}
