import { describe, expect, test } from 'vitest';
import { allNodes, type ClusterState } from '#domain/cluster-state.ts';
import type { Waypoint } from '#domain/plan.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { statesAfter, statesAfterUndo, statesDuring } from '#domain/planning/states/attempt.ts';
import { desiredOf } from './arbitraries.ts';
import { compute, control, type ManifestSpec, manifestOf } from './manifests.ts';

const small: ManifestSpec = { dynamic: [control(1), compute(2)] };
const large: ManifestSpec = { dynamic: [control(1), compute(4)] };
const wide: ManifestSpec = {
  dynamic: [control(1), compute(2), { name: 'far', provider: 'azure-2' }],
  compute: ['compute', 'far'],
};
const current = desiredOf({ manifest: manifestOf(small) });

/** Desires `to` after `tried` was interrupted. */
function continued(tried: ClusterState | null, to: ManifestSpec | null, existing: ClusterState | null = current) {
  const desired = to && desiredOf({ manifest: manifestOf(to), current: existing, attempted: tried, ids: 'z' });
  const plan = planClusterPath({ cluster: 'c', current: existing, attempted: tried, desired });
  expect(plan.refusals).toEqual([]);
  return plan.waypoints;
}

const directions = (waypoints: readonly Waypoint[]) => waypoints.map(({ direction }) => direction);
const names = (state: ClusterState | null | undefined) => (state ? allNodes(state).map(({ node }) => node.name) : []);
const removed = (waypoint: Waypoint | undefined) =>
  waypoint?.stages.flatMap((plan) => (plan.stage === 'nodes' ? plan.work.remove : []));

describe('grows that were interrupted', () => {
  const grown = desiredOf({ manifest: manifestOf(large), current, ids: 'y' });

  test('a grow that was interrupted continues with the same machines when it is still desired', () => {
    const waypoints = continued(grown, large);
    expect(directions(waypoints)).toEqual(['grow']);
    expect(waypoints[0]?.target).toEqual(grown);
    expect(waypoints[0]?.changes.map(({ kind }) => kind)).toEqual(['NodesAdded']);
  });

  test('a grow that was interrupted is undone first when it is no longer desired', () => {
    const waypoints = continued(grown, small);
    expect(directions(waypoints)).toEqual(['shrink']);
    expect(waypoints[0]?.target).toEqual(current);
    const left = names(grown).filter((name) => !names(current).includes(name));
    expect(waypoints[0]?.changes).toEqual([{ kind: 'LeftoversFound', nodes: left }]);
    expect(removed(waypoints[0])).toEqual(left);
  });

  test('a grow that was interrupted is adopted by a larger desired state', () => {
    const waypoints = continued(grown, { dynamic: [control(1), compute(6)] });
    expect(directions(waypoints)).toEqual(['grow']);
    expect(names(waypoints[0]?.target)).toEqual(expect.arrayContaining([...names(grown)]));
  });

  test('an undesired grow in another provider has its workspace destroyed before anything is created', () => {
    const tried = desiredOf({ manifest: manifestOf(wide), current, ids: 'y' });
    const waypoints = continued(tried, large);
    expect(directions(waypoints)).toEqual(['shrink', 'grow']);
    const work = waypoints[0]?.stages.find((plan) => plan.stage === 'infrastructure')?.work;
    expect(work).toEqual({ workspaces: [{ kind: 'machines', name: 'azure-2', destroy: true }] });
  });

  test('a grow that was interrupted continues with credentials that were fixed since', () => {
    const tried = desiredOf({ manifest: manifestOf(wide), current, ids: 'y' });
    const waypoints = continued(tried, { ...wide, secrets: { 'azure-2': 'fixed' } });
    expect(directions(waypoints)).toEqual(['grow']);
    const [far] = waypoints[0]?.target?.pools.filter((pool) => pool.name === 'far') ?? [];
    expect(far?.source.kind === 'dynamic' && far.source.provider.secret).toBe('team/fixed');
    expect(far?.id).toBe(tried.pools[2]?.id);
  });

  test('a delete visits the workspaces of a grow that was interrupted', () => {
    const tried = desiredOf({ manifest: manifestOf(wide), current, ids: 'y' });
    const [destroy] = continued(tried, null);
    const work = destroy?.stages.find((plan) => plan.stage === 'infrastructure')?.work;
    expect(work).toMatchObject({
      workspaces: expect.arrayContaining([{ kind: 'machines', name: 'azure-2', destroy: true }]),
    });
  });
});

describe('creates that were interrupted', () => {
  const tried = desiredOf({ manifest: manifestOf(small) });

  test('a create that was interrupted continues with the same machines', () => {
    const waypoints = continued(tried, small, null);
    expect(directions(waypoints)).toEqual(['grow']);
    expect(waypoints[0]?.target).toEqual(tried);
  });

  test('a create that was interrupted is removed first when part of it is no longer desired', () => {
    const waypoints = continued(tried, { dynamic: [control(1)], compute: [] }, null);
    expect(directions(waypoints)).toEqual(['destroy', 'grow']);
    expect(waypoints[0]?.changes[0]).toEqual({ kind: 'LeftoversFound', nodes: [...names(tried)] });
  });

  test('a create that was interrupted is deleted by a delete', () => {
    expect(directions(continued(tried, null, null))).toEqual(['destroy']);
  });
});

describe('shrinks that were interrupted', () => {
  const existing = desiredOf({ manifest: manifestOf(large) });
  const shrunk = desiredOf({ manifest: manifestOf(small), current: existing, ids: 'y' });

  test('a shrink that was interrupted continues', () => {
    expect(directions(continued(shrunk, small, existing))).toEqual(['shrink']);
  });

  test('a shrink that was interrupted is finished before nodes that it was removing are recreated', () => {
    const waypoints = continued(shrunk, large, existing);
    expect(directions(waypoints)).toEqual(['shrink', 'grow']);
    expect(names(waypoints[0]?.target)).toEqual(names(shrunk));
    expect(waypoints[1]?.target).toEqual(existing);
  });

  test('a shrink that was interrupted is finished before anything else is added', () => {
    const waypoints = continued(shrunk, wide, existing);
    expect(directions(waypoints)).toEqual(['shrink', 'grow']);
  });
});

describe('forward-only waypoints that were interrupted', () => {
  test('an upgrade that was interrupted is finished before nodes join', () => {
    const waypoints = continued({ ...current, kubernetesVersion: '1.35.0' }, { ...large, version: '1.36.0' });
    expect(directions(waypoints)).toEqual(['upgrade', 'grow', 'upgrade']);
    expect(waypoints[0]?.target?.kubernetesVersion).toBe('1.35.0');
  });

  test('a move that was interrupted is undone when the endpoint is desired where it was', () => {
    const existing = desiredOf({ manifest: manifestOf({ dynamic: [control(2), compute(2)] }) });
    const other = existing.pools[0]?.nodes[1]?.name ?? '';
    const moved: ClusterState = { ...existing, apiEndpoint: { kind: 'node', node: other } };
    const plan = planClusterPath({ cluster: 'c', current: existing, attempted: moved, desired: existing });
    expect(directions(plan.waypoints)).toEqual(['move']);
    expect(plan.waypoints[0]?.target).toEqual(existing);
    expect(plan.waypoints[0]?.stages.map(({ stage }) => stage)).toEqual(['configuration', 'kubernetes', 'nodes']);
  });

  test('a settle that was interrupted is repeated, also when its change was withdrawn', () => {
    const tried = desiredOf({
      manifest: manifestOf({ dynamic: [control(1), compute(2, { labels: { a: 'b' } })] }),
      current,
    });
    const waypoints = continued(tried, small);
    expect(directions(waypoints)).toEqual(['settle']);
    expect(waypoints[0]?.stages.map(({ stage }) => stage)).toEqual(['nodes']);
  });

  test('a destroy that was interrupted is finished before the cluster is recreated', () => {
    const [destroy] = continued(null, null);
    if (destroy === undefined) throw new Error('nothing is destroyed');
    const { current: known, attempted } = statesDuring(destroy, { current, attempted: null });
    expect(known).toEqual(current);
    expect(directions(continued(attempted, small, known))).toEqual(['destroy', 'grow']);
  });
});

describe('recorded states', () => {
  const grown = desiredOf({ manifest: manifestOf(large), current, ids: 'y' });
  const [grow] = continued(null, large);
  const [clean] = continued(grown, small);

  test('the records during a grow are its target and the current state; after it, the current state', () => {
    if (grow === undefined) throw new Error('no grow');
    expect(statesDuring(grow, { current, attempted: null })).toEqual({ current, attempted: grow.target });
    expect(statesAfter(grow, { current, attempted: grow.target })).toEqual({ current: grow.target, attempted: null });
    expect(statesAfterUndo({ current, attempted: grow.target })).toEqual({ current, attempted: null });
  });

  test('the records during the removal of leftovers still have them until they are deleted', () => {
    if (clean === undefined) throw new Error('no shrink');
    const during = statesDuring(clean, { current, attempted: grown });
    expect(names(during.current)).toEqual(names(grown));
    expect(during.attempted).toEqual(current);
    expect(directions(continued(during.attempted, large, during.current))).toEqual(['shrink', 'grow']);
  });
});
