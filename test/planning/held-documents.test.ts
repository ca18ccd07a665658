/** Documents that an interrupted waypoint may have applied in part, while something else of the cluster changes. */
import { expect, test } from 'vitest';
import type { ClusterState } from '#domain/cluster-state.ts';
import type { ClusterPlan, NodesWork } from '#domain/plan.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { type KnownStates, statesAfter, statesAfterUndo, statesDuring } from '#domain/planning/states/attempt.ts';
import { desiredOf } from './arbitraries.ts';
import { compute, control, type ManifestSpec, manifestOf } from './manifests.ts';

const inline = (...texts: readonly string[]) => texts.map((text) => ({ name: text.slice(0, 1), inline: text }));
const specOf = (texts: readonly string[], change: ManifestSpec = {}): ManifestSpec => ({
  dynamic: [control(1), compute(2)],
  ...change,
  kubernetes: { ...change.kubernetes, documents: inline(...texts) },
});
const larger: ManifestSpec = { dynamic: [control(1), compute(3)] };
const smaller: ManifestSpec = { dynamic: [control(1), compute(1)] };

/** Documents of these texts, whose names are their first letters; `attempted` was interrupted on the way from `current`. */
function planAfter(
  current: readonly string[],
  attempted: readonly string[],
  desired: ManifestSpec,
): ClusterPlan & { readonly states: KnownStates } {
  const before = desiredOf({ manifest: manifestOf(specOf(current)) });
  const tried = desiredOf({ manifest: manifestOf(specOf(attempted)), current: before, ids: 'y' });
  const states = { current: before, attempted: tried };
  return { ...planFrom(states, desired), states };
}

function planFrom(states: KnownStates, spec: ManifestSpec): ClusterPlan {
  const desired: ClusterState = desiredOf({ manifest: manifestOf(spec), ...states, ids: 'z' });
  return planClusterPath({ cluster: 'c', ...states, desired });
}

/** `grow` or `settle +a +b -c`: what each waypoint applies and removes. */
const documentsOf = ({ waypoints }: ClusterPlan): readonly string[] =>
  waypoints.map(({ direction, stages }) => {
    const works = stages.flatMap((plan): NodesWork[] => (plan.stage === 'nodes' ? [plan.work] : []));
    const applied = works.flatMap(({ documents = [] }) => documents.map(({ name }) => `+${name}`));
    const removed = works.flatMap(({ documentsRemoved = [] }) => documentsRemoved.map((name) => `-${name}`));
    return [direction, ...applied, ...removed].join(' ');
  });

test.each([
  ['a change that was interrupted', ['a1'], ['a2'], ['a2'], '+a'],
  ['an installation that was interrupted', [], ['a1', 'b1'], ['a1', 'b1'], '+a +b'],
  ['a removal that was interrupted', ['a1', 'b1'], ['a1'], ['a1'], '-b'],
  ['an installation that was interrupted and is desired otherwise now', [], ['a1'], ['a2'], '+a'],
])('%s is not undone by a node more or less: it settles last', (_, current, attempted, desired, settled) => {
  const grown = planAfter(current, attempted, specOf(desired, larger));
  expect(documentsOf(grown)).toEqual(['grow', `settle ${settled}`]);
  const shrunk = planAfter(current, attempted, specOf(desired, smaller));
  expect(documentsOf(shrunk)).toEqual(['shrink', `settle ${settled}`]);
});

test('documents that were applied and are not desired go first, those that are settle last', () => {
  const plan = planAfter(['a1'], ['a2', 'b1'], specOf(['a2'], larger));
  expect(documentsOf(plan)).toEqual(['grow -b', 'settle +a']);
});

test('documents that may have changed and are desired as before are applied at once', () => {
  expect(documentsOf(planAfter(['a1'], ['a2'], specOf(['a1'], larger)))).toEqual(['grow +a']);
  expect(documentsOf(planAfter(['a1', 'b1'], ['a1'], specOf(['a1', 'b1'], larger)))).toEqual(['grow +b']);
});

test.each([
  ['reached', (states: KnownStates, [grow]: ClusterPlan['waypoints']) => grow && statesAfter(grow, states)],
  ['undone', (states: KnownStates) => statesAfterUndo(states)],
  ['interrupted', (states: KnownStates) => states],
])(
  'documents that may have been applied before a grow that was %s are still removed once they are not desired',
  (_, end) => {
    const { waypoints, states } = planAfter([], ['a1'], specOf(['a1'], larger));
    const [grow] = waypoints;
    const ended = grow && end(statesDuring(grow, states), waypoints);
    if (ended === undefined) throw new Error('there is no grow');
    expect(documentsOf(planFrom(ended, specOf([], larger))).join()).toContain('-a');
  },
);

test('documents that were not reached are applied after the nodes of a grow that is not desired any more are gone', () => {
  const { waypoints, states } = planAfter(['a1'], ['a2'], specOf(['a2'], larger));
  const [grow] = waypoints;
  const cut = grow && statesDuring(grow, states);
  const [shrink] = cut === undefined ? [] : planFrom(cut, specOf(['a2'])).waypoints;
  if (cut === undefined || shrink === undefined) throw new Error('there is no way back');
  const again = planFrom(statesDuring(shrink, cut), specOf(['a2']));
  expect(documentsOf(again)).toEqual(['shrink', 'settle +a']);
});
