import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ClusterState } from '#domain/cluster-state.ts';
import type { Waypoint } from '#domain/plan.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { type KnownStates, statesAfter, statesAfterUndo, statesDuring } from '#domain/planning/states/attempt.ts';
import { propertyRuns } from '#test/property-runs.ts';
import { desiredOf, manifestArbitrary, templatesArbitrary } from './arbitraries.ts';
import { act, emptyWorld, settled, type World, worldOf } from './world.ts';

const runs = { numRuns: propertyRuns(300) };

/** One submission: a manifest (null = delete), and how far it gets before it is interrupted. */
const submission = fc.record({
  manifest: fc.option(manifestArbitrary, { freq: 6 }),
  templates: templatesArbitrary,
  /** Stages done before the cut; more than there are = it runs to its end. */
  stages: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.constant(1000)),
  /** What happens to the waypoint that was cut: a rollback, or nothing at all (an abort). */
  undone: fc.boolean(),
});

interface Story {
  readonly world: World;
  states: KnownStates;
  refused: boolean;
}

describe('submissions that are interrupted anywhere', { timeout: 120_000 }, () => {
  test('the last desired state is all that exists after any sequence of interrupted submissions', () => {
    let refused = 0;
    fc.assert(
      fc.property(fc.array(submission, { minLength: 1, maxLength: 4 }), submission, (cut, last) => {
        const story: Story = { world: emptyWorld(), states: { current: null, attempted: null }, refused: false };
        for (const [index, part] of cut.entries()) report(story, part, `${index}`);
        report(story, { ...last, stages: 100_000 }, 'z');
        if (story.refused) return void refused++;
        expect(story.states.attempted).toBeNull();
        expect(settled(story.world, story.states.current)).toEqual(worldOf(story.states.current));
      }),
      runs,
    );
    expect(refused).toBeLessThan(runs.numRuns * 0.4);
  });
});

type Submission = typeof submission extends fc.Arbitrary<infer Value> ? Value : never;

/** Plans again after every waypoint, as the pipeline does. */
function report(story: Story, { manifest, templates, stages, undone }: Submission, ids: string): void {
  let left = stages;
  for (let round = 0; ; round++) {
    if (round > 40) throw new Error('the path has no end');
    const { current, attempted } = story.states;
    const desired =
      manifest && notOlder(desiredOf({ manifest, templates, current, attempted, ids: `${ids}${round}` }), story.states);
    const plan = planClusterPath({ cluster: 'c', current, attempted, desired });
    const [next] = plan.waypoints;
    story.refused = plan.refusals.length > 0;
    if (next === undefined) return;
    const before = current;
    story.states = statesDuring(next, story.states);
    const done = next.stages.slice(0, left);
    for (const stage of done) act(story.world, stage, next.target);
    left -= done.length;
    if (done.length < next.stages.length) {
      if (undone && next.undo.length > 0) undo(story, next, before);
      return;
    }
    story.states = statesAfter(next, story.states);
    settled(story.world, next.target);
  }
}

/** Going back to an older Kubernetes would be refused, and the story would end there. */
function notOlder(desired: ClusterState, { current, attempted }: KnownStates): ClusterState {
  const versions = [desired, current, attempted].flatMap((state) => (state ? [state.kubernetesVersion] : []));
  return { ...desired, kubernetesVersion: versions.sort().at(-1) ?? desired.kubernetesVersion };
}

function undo(story: Story, { undo: ladder }: Waypoint, before: KnownStates['current']): void {
  for (const rung of ladder) act(story.world, rung, before);
  story.states = statesAfterUndo({ ...story.states, current: before });
  settled(story.world, before);
}
