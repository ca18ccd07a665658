/** What Kubeloom says of a manifest, as the status of an object. */
import { expect, it, test } from 'vitest';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { manifestStatus, restingState } from '#operator/cluster-status.ts';
import { conditionsOf, existingFindings, manifestReadiness } from '#operator/conditions.ts';
import { type Cluster, cluster, described as manifest } from './described-cluster.ts';

const failure: NonNullable<Cluster['failure']> = {
  class: 'quota',
  code: 'QuotaExceeded',
  message: 'no more CPUs.',
  hint: 'Raise the quota.',
  outcome: 'undone',
  stage: 'infrastructure',
  runId: 'shop-u1-g1-a1',
  at: '2026-01-01T00:00:00Z',
};
const progress: NonNullable<Cluster['progress']> = {
  step: 2,
  steps: 5,
  percent: 40,
  direction: 'grow',
  waypoint: 1,
  waypoints: 1,
  stage: 'kubernetes',
  startedAt: '',
  updatedAt: '',
};
const findings = (of: ManifestDescription) =>
  Object.fromEntries(
    [...manifestReadiness(of), ...existingFindings(of)].map(([type, status, reason]) => [type, `${status} ${reason}`]),
  );

test.each([
  ['a manifest that waits', manifest({ status: 'Pending' }), 'IN_PROGRESS', 'WAIT_FOR_PICKUP', 'NONE'],
  [
    'a cluster at work',
    manifest({ status: 'Running', clusters: [cluster({ status: 'Running', progress })] }),
    ...['IN_PROGRESS', 'IN_PROGRESS', 'KUBE_ELEVEN'],
  ],
  [
    'a cluster that failed',
    manifest({ status: 'Failed', clusters: [cluster({ status: 'RolledBack', failure })] }),
    ...['ERROR', 'ERROR', 'TERRAFORMER'],
  ],
  [
    'a manifest that is deleted',
    manifest({ status: 'Deleting', deleting: true }),
    'SCHEDULED_FOR_DELETION',
    'DONE',
    'NONE',
  ],
  [
    'a check for drift',
    manifest({ status: 'Running', runId: 'shop-u1-g1-d1a', clusters: [cluster({ status: 'Checking' })] }),
    ...['DONE', 'DONE', 'NONE'],
  ],
  [
    'a check for drift of what exists of a manifest that failed',
    manifest({
      status: 'Running',
      failed: true,
      runId: 'shop-u1-g1-d1a',
      clusters: [cluster({ status: 'Checking', failure })],
    }),
    ...['ERROR', 'ERROR', 'TERRAFORMER'],
  ],
])('%s has the states and phases of Claudie', (_title, of, state, ofCluster, phase) => {
  const status = manifestStatus(of as ManifestDescription, []);
  expect(status.state).toBe(state);
  expect(status.clusters?.one).toMatchObject({ state: ofCluster, phase });
});

it('a failure says what happened and what to do, in the manifest and in its cluster', () => {
  const status = manifestStatus(
    manifest({ status: 'Failed', clusters: [cluster({ status: 'RolledBack', failure })] }),
    [],
  );
  const lines = 'infrastructure of one failed: QuotaExceeded (quota)\nno more CPUs.\nRaise the quota.';
  expect([status.message, status.clusters?.one?.message]).toEqual([lines, lines]);
});

it('conditions follow the manifest: done, at work, degraded, drifted', () => {
  expect(findings(manifest())).toEqual({
    Ready: 'True Done',
    Reconciling: 'False Done',
    Stalled: 'False Done',
    Progressing: 'False Done',
    Degraded: 'False AsDesired',
    DriftFree: 'Unknown NotChecked',
  });
  expect(findings(manifest({ status: 'Running', clusters: [cluster({ status: 'Running', progress })] }))).toMatchObject(
    {
      Ready: 'False Running',
      Reconciling: 'True Running',
      Progressing: 'True Running',
    },
  );
  const heldPools = [{ pool: 'gpu', role: 'compute', reason: 'sold out' }];
  expect(findings(manifest({ clusters: [cluster({ status: 'Degraded', heldPools })] })).Degraded).toBe(
    'True PoolsHeld',
  );
  const item = { kind: 'node', where: {}, message: 'n1 is not ready', repairable: true } as const;
  const drift = { checkedAt: '', runId: 'r', items: [item], unchecked: [], outcome: '' };
  expect(findings(manifest({ clusters: [cluster({ drift })] })).DriftFree).toBe('False Drift');
  expect(findings(manifest({ clusters: [cluster({ drift: { ...drift, items: [] } })] })).DriftFree).toBe(
    'True Checked',
  );
});

it('a condition keeps the time of its last change while its status is the same', () => {
  const at = { now: '2026-01-01T00:00:00Z', generation: 1 };
  const first = conditionsOf([], [['Ready', 'False', 'Running', 'step 1']], at);
  const second = conditionsOf(first, [['Ready', 'False', 'Running', 'step 2']], {
    now: '2026-01-02T00:00:00Z',
    generation: 1,
  });
  const third = conditionsOf(second, [['Ready', 'True', 'Done', 'done']], {
    now: '2026-01-03T00:00:00Z',
    generation: 2,
  });
  expect(second).toMatchObject([{ message: 'step 2', lastTransitionTime: '2026-01-01T00:00:00Z' }]);
  expect(third).toMatchObject([{ status: 'True', lastTransitionTime: '2026-01-03T00:00:00Z', observedGeneration: 2 }]);
});

test.each([
  ['a run has ended since the last look', { state: 'IN_PROGRESS', runId: 'r-u1-g1-a1' }, {}, 'DONE'],
  ['another run ended unseen', { state: 'WATCHING_FOR_CHANGES', runId: 'r-u1-g0-a1' }, {}, 'DONE'],
  ['the end of the run was seen', { state: 'DONE', runId: 'r-u1-g1-a1' }, {}, 'WATCHING_FOR_CHANGES'],
  [
    'a check for drift ended',
    { state: 'WATCHING_FOR_CHANGES', runId: 'r-u1-g1-a1' },
    { runId: 'r-u1-g1-d1' },
    'WATCHING_FOR_CHANGES',
  ],
  [
    'it is paused, so that nothing is watched',
    { state: 'WATCHING_FOR_CHANGES', runId: 'r-u1-g1-a1' },
    { paused: true },
    'DONE',
  ],
] as const)("the state follows Claudie's operator when %s", (_title, before, changes, state) => {
  const now = { runId: 'r-u1-g1-a1', paused: false, ...changes };
  expect(restingState('DONE', now, before)).toBe(state);
  expect(restingState('ERROR', now, before)).toBe('ERROR');
});
