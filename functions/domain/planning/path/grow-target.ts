/** The target of `grow`: everything new together with everything that exists. */
import {
  type ClusterState,
  type LoadBalancerState,
  type NodePoolState,
  type NodeState,
  type RoleState,
  serverTypeOf,
} from '#domain/cluster-state.ts';
import { withOptions } from '#domain/kubernetes-options.ts';
import { nodeKey } from '../states/diff-pools.ts';
import { poolKey } from '../states/diff-states.ts';
import { listenerOf, targetsApi } from '../states/role-targets.ts';

/** The state that also has everything that `goal` adds; `here` itself when it adds nothing. */
export function growTarget(here: ClusterState, goal: ClusterState): ClusterState {
  if (!addsAnything(here, goal)) return here;
  return {
    // New nodes are installed with the settings of the goal, and may not come up without.
    ...withOptions(here, goal),
    installationProxy: goal.installationProxy.enabled ? goal.installationProxy : here.installationProxy,
    pools: grownPools(here.pools, goal.pools),
    loadBalancers: [
      ...here.loadBalancers.map((loadBalancer) => {
        const desired = goal.loadBalancers.find((candidate) => candidate.id === loadBalancer.id);
        return desired === undefined ? loadBalancer : grownLoadBalancer(loadBalancer, desired, goal);
      }),
      ...missing(here.loadBalancers, goal.loadBalancers, (loadBalancer) => loadBalancer.id),
    ],
  };
}

function addsAnything(here: ClusterState, goal: ClusterState): boolean {
  if (addsToPools(here.pools, goal.pools)) return true;
  return goal.loadBalancers.some((desired) => {
    const known = here.loadBalancers.find((candidate) => candidate.id === desired.id);
    if (known === undefined) return true;
    if (addsToPools(known.pools, desired.pools) || needsApiRole(known, desired, goal)) return true;
    return newRoles(known, desired).length > 0;
  });
}

function addsToPools(here: readonly NodePoolState[], goal: readonly NodePoolState[]): boolean {
  const known = new Map(here.map((pool) => [poolKey(pool), pool]));
  return goal.some((pool) => {
    const before = known.get(poolKey(pool));
    return before === undefined || missing(before.nodes, pool.nodes, nodeKey).length > 0;
  });
}

function grownPools(here: readonly NodePoolState[], goal: readonly NodePoolState[]): NodePoolState[] {
  const desiredById = new Map(goal.map((pool) => [poolKey(pool), pool]));
  return [
    ...here.map((pool) => {
      const desired = desiredById.get(poolKey(pool));
      if (desired === undefined) return pool;
      const added = missing(pool.nodes, desired.nodes, nodeKey).map((node) => withType(node, pool, desired));
      return added.length === 0 ? pool : { ...withBoot(pool, desired), nodes: [...pool.nodes, ...added] };
    }),
    ...missing(here, goal, poolKey),
  ];
}

/** New machines have the server type of the goal: the one before it may be sold out. */
function withType(node: NodeState, here: NodePoolState, desired: NodePoolState): NodeState {
  const serverType = serverTypeOf(node, desired);
  const { serverType: _, ...plain } = node;
  return serverType === serverTypeOf(plain, here) ? plain : { ...plain, serverType };
}

/** New machines run the script of the goal: the one before it may be what the change corrects. */
function withBoot(
  { boot: _, bootAtOnce: __, ...pool }: NodePoolState,
  { boot, bootAtOnce }: NodePoolState,
): NodePoolState {
  return { ...pool, ...(boot !== undefined && { boot }), ...(bootAtOnce !== undefined && { bootAtOnce }) };
}

function grownLoadBalancer(here: LoadBalancerState, desired: LoadBalancerState, goal: ClusterState): LoadBalancerState {
  const pools = grownPools(here.pools, desired.pools);
  if (needsApiRole(here, desired, goal)) {
    const before = new Map(here.roles.map((role) => [role.name, role]));
    const roles = desired.roles.map((role) => withTargets(role, before.get(role.name)));
    return { ...here, pools, roles: [...roles, ...missingRoles(roles, here.roles)] };
  }
  const after = new Map(desired.roles.map((role) => [role.name, role]));
  const kept = here.roles.map((role) => withTargets(role, after.get(role.name)));
  return { ...here, pools, roles: [...kept, ...newRoles(here, desired)] };
}

/** Roles that can be added to the existing ones; one whose port is still taken waits until that is free. */
function newRoles(here: LoadBalancerState, desired: LoadBalancerState): readonly RoleState[] {
  return missingRoles(here.roles, desired.roles);
}

function missingRoles(roles: readonly RoleState[], others: readonly RoleState[]): readonly RoleState[] {
  const taken = new Set(roles.map(listenerOf));
  return missing(roles, others, (role) => role.name).filter((role) => !taken.has(listenerOf(role)));
}

/** The endpoint can only move to a load balancer that serves the API: its roles change before, all at once. */
function needsApiRole(here: LoadBalancerState, desired: LoadBalancerState, goal: ClusterState): boolean {
  const { apiEndpoint } = goal;
  return apiEndpoint.kind === 'loadBalancer' && apiEndpoint.loadBalancer === desired.name && !targetsApi(here);
}

/** Old and new targets at once: nothing that serves is interrupted while things are added. */
function withTargets(role: RoleState, other: RoleState | undefined): RoleState {
  const added = (other?.targetPools ?? []).filter((pool) => !role.targetPools.includes(pool));
  return added.length === 0 ? role : { ...role, targetPools: [...role.targetPools, ...added] };
}

function missing<Item>(here: readonly Item[], goal: readonly Item[], key: (item: Item) => string): readonly Item[] {
  const known = new Set(here.map(key));
  return goal.filter((item) => !known.has(key(item)));
}
