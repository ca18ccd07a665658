import { describe, expect, test } from 'vitest';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { describeClusterPlan } from '#domain/planning/text/describe-plan.ts';
import { countSteps, nodesToReport, percentDone } from '#domain/progress.ts';
import { desiredOf } from './arbitraries.ts';
import { compute, control, type ManifestSpec, manifestOf } from './manifests.ts';

const current = desiredOf({ manifest: manifestOf() });

function planned(goal: ManifestSpec) {
  const desired = desiredOf({ manifest: manifestOf(goal), current, ids: 'y' });
  return planClusterPath({ cluster: 'c', current, attempted: null, desired });
}

const grow = planned({
  dynamic: [control(1), compute(2), { name: 'far', provider: 'azure-2', count: 2 }],
  compute: ['compute', 'far'],
});

describe('a plan in words', () => {
  test('a plan says how many nodes are created where, and what is not touched', () => {
    const described = describeClusterPlan(grow, current);
    expect(described.summary).toBe('1 waypoint, 4 steps: grow');
    const [waypoint] = described.waypoints;
    expect(waypoint?.title).toBe('grow: 2 nodes in far (azure-2, here); nothing that exists is touched');
    expect(waypoint?.forwardOnly).toBe(false);
    expect(waypoint?.sentences).toEqual([
      'made: 2 compute nodes in far (azure-2, here)',
      'the other 3 nodes stay as they are and only learn who their peers are',
    ]);
    expect(waypoint?.stages.map(({ stage }) => stage)).toEqual([
      'infrastructure',
      'configuration',
      'kubernetes',
      'nodes',
    ]);
    expect(waypoint?.nodes.map(({ part }) => part)).toEqual(['stays', 'stays', 'stays', 'made', 'made']);
  });

  test('pools with the same name are shown by their ids', () => {
    const both = planned({ dynamic: [control(1), compute(2)], compute: ['compute', 'control'] });
    expect(describeClusterPlan(both, current).waypoints[0]?.title).toMatch(/1 node in control-y\w{6} \(hz-1, here\)/);
  });

  test('forward-only waypoints are marked', () => {
    const described = describeClusterPlan(planned({ version: '1.35.0', dynamic: [control(1), compute(1)] }), current);
    expect(described.waypoints.map(({ title }) => title)).toEqual([
      'shrink: 1 node of compute (aws-1, here) drained and removed; nothing else is touched',
      'upgrade: Kubernetes 1.34.1 → 1.35.0',
    ]);
    expect(described.waypoints.every(({ forwardOnly }) => forwardOnly)).toBe(true);
    expect(described.summary).toBe('2 waypoints, 4 steps: shrink → upgrade; forward-only: shrink and upgrade');
  });

  test('a plan with nothing to do, and a refused plan, say so', () => {
    expect(describeClusterPlan(planned({}), current).summary).toMatch(/^nothing to do/);
    const refused = describeClusterPlan(planned({ version: '1.30.0' }), current);
    expect(refused.summary).toBe('refused for 1 reason; nothing is done');
    expect(refused.refusals).toHaveLength(1);
  });
});

describe('progress', () => {
  test('the progress counts the stages that have work', () => {
    expect(countSteps(grow.waypoints)).toBe(4);
  });

  test('the progress is a whole percent, and 100 only at the end', () => {
    expect([0, 1, 2, 3].map((step) => percentDone({ step, steps: 3 }))).toEqual([0, 33, 66, 100]);
  });

  test('the progress lists every node with its part', () => {
    const rows = nodesToReport(current, grow.waypoints[0]?.target ?? null);
    expect(rows.map(({ part }) => part)).toEqual(['stays', 'stays', 'stays', 'joins', 'joins']);
    expect(nodesToReport(current, null).map(({ part }) => part)).toEqual(['leaves', 'leaves', 'leaves']);
  });
});
