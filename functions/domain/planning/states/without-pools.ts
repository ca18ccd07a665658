/** A cluster without some of its pools: the rest of a grow when new pools could not be created. */
import { allPools, type ClusterState, type NodePoolState } from '#domain/cluster-state.ts';
import { stateFaults } from './state-faults.ts';

/** `state` without the pools of these ids; roles point to what is left. Load balancers stay, also without a node. */
export function withoutPools(state: ClusterState, ids: readonly string[]): ClusterState {
  if (ids.length === 0) return state;
  const stays = (pool: NodePoolState) => !ids.includes(pool.id);
  const pools = state.pools.filter(stays);
  const before = new Set(state.pools.map(({ name }) => name));
  const left = new Set(pools.map(({ name }) => name));
  const isTarget = (name: string) => left.has(name) || !before.has(name);
  return {
    ...state,
    pools,
    loadBalancers: state.loadBalancers.map((loadBalancer) => ({
      ...loadBalancer,
      pools: loadBalancer.pools.filter(stays),
      roles: loadBalancer.roles.map((role) => ({ ...role, targetPools: role.targetPools.filter(isTarget) })),
    })),
  };
}

/** Pools of `target` that do not exist before. */
export function newPools(before: ClusterState | null, target: ClusterState): readonly NodePoolState[] {
  const known = new Set((before === null ? [] : allPools(before)).map(({ id }) => id));
  return allPools(target).filter(({ id }) => !known.has(id));
}

/** True when only new pools are missing, and the rest is a cluster that works. */
export function worksWithout(before: ClusterState | null, target: ClusterState, ids: readonly string[]): boolean {
  const added = new Set(newPools(before, target).map(({ id }) => id));
  if (ids.some((id) => !added.has(id))) return false;
  return stateFaults(withoutPools(target, ids)).length === 0;
}
