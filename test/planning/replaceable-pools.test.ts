/** A pool that the user lets Kubeloom replace: other machines are a new instance of the pool, the old one leaves after it. */
import { expect, test } from 'vitest';
import { allPools, type ClusterState } from '#domain/cluster-state.ts';
import { replaceAnnotation } from '#domain/manifest/replaceable-pools.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { desiredOf } from './arbitraries.ts';
import { balancer, compute, control, type ManifestSpec, manifestOf } from './manifests.ts';

const base: ManifestSpec = {
  dynamic: [control(1), compute(2), balancer(1)],
  loadBalancers: [{ name: 'lb', roles: ['web'], pools: ['balancer'] }],
};
const larger: ManifestSpec = { ...base, dynamic: [control(1), compute(2, { serverType: 'large' }), balancer(1)] };
const before = desiredOf({ manifest: manifestOf(base), ids: 'x' });

function plan(goal: ManifestSpec, current: ClusterState, { replace = 'compute', ids = 'y' } = {}) {
  const manifest = manifestOf(goal);
  const annotated = { ...manifest, metadata: { ...manifest.metadata, annotations: { [replaceAnnotation]: replace } } };
  const desired = desiredOf({ manifest: annotated, current, ids });
  return planClusterPath({ cluster: 'c', current, attempted: null, desired });
}

const directions = (planned: ReturnType<typeof plan>) => planned.waypoints.map(({ direction }) => direction);
const computePools = (state: ClusterState | null | undefined) =>
  state ? allPools(state).filter(({ name }) => name === 'compute') : [];

test('a pool that may be replaced grows with new machines before the old ones leave', () => {
  const planned = plan(larger, before);
  expect(planned.refusals).toEqual([]);
  expect(directions(planned)).toEqual(['grow', 'shrink']);
  expect(computePools(planned.waypoints[0]?.target)).toHaveLength(2);
  const [after] = computePools(planned.waypoints.at(-1)?.target);
  expect(after?.source).toMatchObject({ serverType: 'large' });
  expect(after?.id).not.toBe(computePools(before)[0]?.id);
});

test('a replacement that was interrupted after any waypoint continues to the same end', () => {
  for (const { target } of plan(larger, before).waypoints) {
    if (target === null) throw new Error('nothing is destroyed here');
    const rest = plan(larger, target, { ids: 'z' });
    expect(rest.refusals).toEqual([]);
    expect(computePools(rest.waypoints.at(-1)?.target ?? target).map(({ source }) => source)).toEqual([
      expect.objectContaining({ serverType: 'large' }),
    ]);
  }
});

test('an annotation alone replaces nothing', () => {
  expect(plan(base, before).waypoints).toEqual([]);
});

test('a control pool is replaced, and the API endpoint moves with it', () => {
  const goal = { ...base, dynamic: [control(1, { image: 'newer' }), compute(2), balancer(1)] };
  const planned = plan(goal, before, { replace: 'control' });
  expect(planned.refusals).toEqual([]);
  expect(directions(planned)).toEqual(['grow', 'move', 'shrink']);
});

test('a protected pool is not replaced', () => {
  const guarded = (goal: ManifestSpec, change: object) => ({
    ...goal,
    dynamic: [control(1), compute(2, { ...change, protect: true }), balancer(1)],
  });
  const current = desiredOf({ manifest: manifestOf(guarded(base, {})), ids: 'x' });
  expect(plan(guarded(base, { serverType: 'large' }), current).refusals[0]?.reason).toContain('is protected');
});

test('the pools that are named are replaced, and no others', () => {
  const both = { ...base, dynamic: [control(1), compute(2, { spot: true }), balancer(1, { serverType: 'large' })] };
  expect(plan(both, before, { replace: 'balancer' }).refusals.map(({ path }) => path)).toEqual([
    'spec.nodePools.dynamic[compute].spot',
  ]);
  expect(plan(both, before, { replace: 'balancer, compute' }).refusals).toEqual([]);
});
