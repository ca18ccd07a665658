import { describe, expect, test } from 'vitest';
import { allPools, type ClusterState } from '#domain/cluster-state.ts';
import type { HeldPoolUse } from '#domain/planning/desired/desired-pools.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { stateFaults } from '#domain/planning/states/state-faults.ts';
import { desiredOf } from './arbitraries.ts';
import { balancer, compute, control, type ManifestSpec, manifestOf } from './manifests.ts';
import { pathText } from './planned.ts';

const more: ManifestSpec = {
  dynamic: [control(1), compute(2), { name: 'more', provider: 'azure-2', count: 2 }, balancer(1)],
  compute: ['compute', 'more'],
  loadBalancers: [{ name: 'lb', roles: ['web'], pools: ['balancer'] }],
};
const before = desiredOf({ manifest: manifestOf({ ...more, compute: ['compute'] }) });

interface Held {
  readonly desired: ManifestSpec;
  readonly heldPools: readonly HeldPoolUse[];
  readonly current?: ClusterState;
  readonly templates?: Readonly<Record<string, string>>;
}

function planned({ desired: goal, heldPools, current = before, templates = {} }: Held) {
  const desired = desiredOf({ manifest: manifestOf(goal), current, templates, heldPools, ids: 'y' });
  return { desired, plan: planClusterPath({ cluster: 'c', current, attempted: null, desired }) };
}

const namesOf = (state: ClusterState) => allPools(state).map((pool) => pool.name);

describe('held pools', () => {
  const heldPools: readonly HeldPoolUse[] = [{ pool: 'more', role: 'compute' }];

  test('a held pool is left out, and no role targets it: nothing is left to do', () => {
    const { desired, plan } = planned({ desired: more, heldPools });
    expect(namesOf(desired)).toEqual(['control', 'compute', 'balancer']);
    expect(desired.loadBalancers[0]?.roles[0]?.targetPools).toEqual(['compute']);
    expect(plan).toEqual({ cluster: 'c', waypoints: [], refusals: [] });
  });

  test('a held pool does not keep the other pools from changing', () => {
    const goal = { ...more, dynamic: [control(1), compute(3), { name: 'more', provider: 'azure-2' }, balancer(1)] };
    const { plan } = planned({ desired: goal, heldPools });
    expect(pathText(plan)).toEqual(['grow: infrastructure configuration kubernetes nodes traffic']);
    expect(plan.waypoints[0]?.changes.map(({ kind }) => kind)).toEqual(['NodesAdded']);
  });

  test('a pool is desired again once nothing holds it', () => {
    const { plan } = planned({ desired: more, heldPools: [] });
    expect(plan.waypoints[0]?.changes.map(({ kind }) => kind)).toContain('NodePoolAdded');
  });

  test('a held pool that a role of the current state still targets is no difference', () => {
    const roles = before.loadBalancers.map((lb) => ({
      ...lb,
      roles: lb.roles.map((role) => ({ ...role, targetPools: [...role.targetPools, 'more'] })),
    }));
    expect(planned({ desired: more, heldPools, current: { ...before, loadBalancers: roles } }).plan.waypoints).toEqual(
      [],
    );
  });

  test('a held pool that would replace an existing instance leaves that instance as it is', () => {
    const current = desiredOf({ manifest: manifestOf(more) });
    const templates = { 'azure-2': 'git@2' };
    expect(planned({ desired: more, heldPools: [], current, templates }).plan.waypoints).not.toEqual([]);
    const { desired, plan } = planned({ desired: more, heldPools, current, templates });
    expect(desired.pools).toEqual(current.pools);
    expect(plan.waypoints).toEqual([]);
  });

  test('a pool that is held in one role only is still used in its other role', () => {
    const goal = { dynamic: [control(1), compute(1)], compute: ['compute', 'control'] };
    const { desired } = planned({ desired: goal, heldPools: [{ pool: 'control', role: 'compute' }] });
    expect(namesOf(desired)).toEqual(['control', 'compute']);
  });

  test('a held pool of a new API load balancer leaves the API endpoint where it is', () => {
    const goal = { ...more, compute: ['compute'], loadBalancers: [{ name: 'lb', roles: ['api'], pools: ['front'] }] };
    const dynamic = [control(1), compute(2), { name: 'front' }];
    const current = desiredOf({ manifest: manifestOf() });
    const held = planned({
      desired: { ...goal, dynamic },
      heldPools: [{ pool: 'front', role: 'loadBalancer' }],
      current,
    });
    expect(held.desired.apiEndpoint).toEqual(current.apiEndpoint);
    expect(held.plan.refusals).toEqual([]);
    expect(stateFaults(held.desired)).toEqual([]);
  });

  test('a held pool that leaves no control node is refused with the reason', () => {
    const goal = { dynamic: [{ name: 'brain' }, compute(2)], control: ['brain'] };
    const { plan } = planned({ desired: goal, heldPools: [{ pool: 'brain', role: 'control' }] });
    expect(plan.waypoints).toEqual([]);
    expect(plan.refusals.map(({ reason }) => reason)).toContain('no control node would be left');
  });

  test('a held pool that leaves the API load balancer without nodes is refused', () => {
    const loadBalancers = [{ name: 'lb', roles: ['api'], pools: ['balancer'] }];
    const current = desiredOf({
      manifest: manifestOf({ dynamic: [control(1), compute(2), balancer(1)], loadBalancers }),
    });
    const { plan } = planned({
      desired: {
        dynamic: [control(1), compute(2), { name: 'front' }],
        loadBalancers: [{ name: 'lb', roles: ['api'], pools: ['front'] }],
      },
      heldPools: [{ pool: 'front', role: 'loadBalancer' }],
      current,
    });
    expect(plan.refusals[0]?.reason).toMatch(/API endpoint would be load balancer lb, which has no node/);
  });
});
