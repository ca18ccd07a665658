import { describe, expect, test } from 'vitest';
import type { ClusterPlan, StagePlan } from '#domain/plan.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { desiredOf } from './arbitraries.ts';
import { withLb } from './change-cases.ts';
import { compute, control, manifestOf } from './manifests.ts';
import { pathText, planned } from './planned.ts';

describe('work of the stages', () => {
  test('a create is one grow to the desired state: everything is installed, load balancers with it', () => {
    const desired = desiredOf({ manifest: manifestOf(withLb(['api', 'web'])) });
    const plan = planClusterPath({ cluster: 'c', current: null, attempted: null, desired });
    expect(pathText(plan)).toEqual(['grow: infrastructure configuration kubernetes nodes']);
    const [create] = plan.waypoints;
    expect(create?.target).toEqual(desired);
    expect(stageOf(create?.stages, 'configuration')?.work).toMatchObject({ peers: [], loadBalancers: ['lb'] });
    expect(stageOf(create?.stages, 'configuration')?.work.install).toHaveLength(4);
    const visited = stageOf(create?.stages, 'infrastructure')?.work.workspaces;
    expect(visited?.map(({ kind, destroy }) => `${kind} ${destroy}`)).toEqual([
      'machines false',
      'machines false',
      'dns false',
    ]);
    expect(create?.undo.map(({ stage }) => stage)).toEqual(['infrastructure']);
  });

  test('a grow installs the new nodes, gives all others their peers, and its undo reverts just that', () => {
    const plan = planned({}, { dynamic: [control(1), compute(3)] });
    const [grow] = plan.waypoints;
    const added = newNodes(plan);
    expect(added).toHaveLength(1);
    const configuration = stageOf(grow?.stages, 'configuration');
    expect(configuration?.work.install).toEqual(added);
    expect(configuration?.work.peers).toHaveLength(3);
    expect(stageOf(grow?.stages, 'nodes')?.work).toMatchObject({ patch: added, remove: [] });
    expect(stageOf(grow?.undo, 'nodes')?.work).toMatchObject({ patch: [], remove: added });
    expect(stageOf(grow?.undo, 'configuration')?.work).toMatchObject({ install: [], uninstall: [] });
    expect(stageOf(grow?.undo, 'infrastructure')?.work.workspaces).toEqual([
      { kind: 'machines', name: 'aws-1', destroy: false },
    ]);
    expect(grow?.undo.map(({ stage }) => stage)).toEqual(['nodes', 'configuration', 'infrastructure']);
  });

  test('a workspace is destroyed when its last pool is removed, and when its grow is undone', () => {
    const more = {
      dynamic: [control(1), compute(2), { name: 'far', provider: 'azure-2' }],
      compute: ['compute', 'far'],
    };
    const gone = planned(more, {}).waypoints[0];
    expect(stageOf(gone?.stages, 'infrastructure')?.work.workspaces).toEqual([
      { kind: 'machines', name: 'azure-2', destroy: true },
    ]);
    const made = planned({}, more).waypoints[0];
    expect(stageOf(made?.undo, 'infrastructure')?.work.workspaces).toEqual([
      { kind: 'machines', name: 'azure-2', destroy: true },
    ]);
  });

  test('workers are removed before control nodes, within the number that each pool allows', () => {
    const current = desiredOf({ manifest: manifestOf({ dynamic: [control(3), compute(4)] }) });
    const desired = desiredOf({ manifest: manifestOf({ dynamic: [control(1), compute(1)] }), current });
    const options = { maxUnavailable: 1, maxUnavailableOf: { compute: 2 } };
    const plan = planClusterPath({ cluster: 'c', current, attempted: null, desired, options });
    const work = stageOf(plan.waypoints[0]?.stages, 'nodes')?.work;
    expect(work?.remove.map((name) => name.slice(0, 4))).toEqual(['comp', 'comp', 'comp', 'cont', 'cont']);
    expect(work?.maxUnavailableOf).toEqual({ [current.pools[1]?.id ?? '']: 2 });
  });

  test('static nodes that leave are cleaned; a deleted cluster resets and returns them', () => {
    const hybrid = { static: [{ name: 'rack', endpoints: ['203.0.113.1'] }], compute: ['compute', 'rack'] };
    const left = planned(hybrid, {}).waypoints[0];
    expect(stageOf(left?.stages, 'configuration')?.work.uninstall).toEqual(['rack-01']);
    const current = desiredOf({ manifest: manifestOf(hybrid) });
    const gone = planClusterPath({ cluster: 'c', current, attempted: null, desired: null });
    expect(pathText(gone)).toEqual(['destroy: kubernetes configuration infrastructure']);
    expect(stageOf(gone.waypoints[0]?.stages, 'kubernetes')?.work).toEqual({ action: 'reset' });
    expect(gone.waypoints[0]?.target).toBeNull();
  });

  test('a cluster without static nodes is only destroyed by Terraform', () => {
    const current = desiredOf({ manifest: manifestOf(withLb(['api'])) });
    const gone = planClusterPath({ cluster: 'c', current, attempted: null, desired: null });
    expect(pathText(gone)).toEqual(['destroy: infrastructure']);
    const visited = stageOf(gone.waypoints[0]?.stages, 'infrastructure')?.work.workspaces ?? [];
    expect(visited.map(({ destroy }) => destroy)).toEqual([true, true, true]);
  });

  test('pools whose templates changed are replaced one after the other, or as many at once as allowed', () => {
    const goal = { dynamic: [control(1), compute(1), { name: 'more' }], compute: ['compute', 'more'] };
    const templates = { 'aws-1': 'git@2' };
    const directions = (plan: ClusterPlan) => plan.waypoints.map(({ direction }) => direction);
    expect(directions(planned(goal, goal, templates))).toEqual(['grow', 'shrink', 'grow', 'shrink']);
    const current = desiredOf({ manifest: manifestOf(goal) });
    const desired = desiredOf({ manifest: manifestOf(goal), current, templates, ids: 'y' });
    const options = { maxUnavailable: 1, replaceAtOnce: 2 };
    const plan = planClusterPath({ cluster: 'c', current, attempted: null, desired, options });
    expect(directions(plan)).toEqual(['grow', 'shrink']);
  });

  test('a new release of our own templates changes machines in place and replaces none', () => {
    const current = desiredOf({ manifest: manifestOf() });
    const desired = desiredOf({ manifest: manifestOf(), current, templates: { 'aws-1': 'builtin@2' } });
    const plan = planClusterPath({ cluster: 'c', current, attempted: null, desired });
    expect(pathText(plan)).toEqual(['settle: infrastructure']);
  });
});

function stageOf<Name extends StagePlan['stage']>(
  stages: readonly StagePlan[] | undefined,
  name: Name,
): Extract<StagePlan, { stage: Name }> | undefined {
  return stages?.find((plan): plan is Extract<StagePlan, { stage: Name }> => plan.stage === name);
}

function newNodes(plan: ClusterPlan): readonly string[] {
  return plan.waypoints.flatMap(({ changes }) =>
    changes.flatMap((change) => (change.kind === 'NodesAdded' ? change.nodes : [])),
  );
}
