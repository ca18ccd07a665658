/** Roll-outs of an inventory, as scenarios: a fleet of one or two clusters on the machines of the scenario. */
import { clusterNamed, environment, Fleet, nameOf, template } from '#test/pipeline/harness/fleet.ts';
import type { Pipeline } from '#test/pipeline/harness/pipeline.ts';
import type { Outcome } from '#test/pipeline/harness/state-machines.ts';
import type { Scenario } from './scenario.ts';

interface World {
  readonly fleet: Fleet;
  readonly id: string;
}

/** Clusters that are done, and a roll-out of one more machine for each that was started and did not run yet. */
async function started(pipeline: Pipeline, clusters: number, query: string): Promise<World> {
  const fleet = new Fleet(pipeline);
  for (const document of [environment('1.35.2'), template]) await fleet.put(document);
  for (let index = 0; index < clusters; index++) await fleet.put(clusterNamed(nameOf(index)));
  await pipeline.settle();
  const { status, json, text } = await fleet.start(environment('1.35.2', 2), query);
  if (status !== 202) throw new Error(`the roll-out did not start: ${text}`);
  return { fleet, id: String(json.id) };
}

async function resumed({ fleet, id }: World): Promise<readonly Outcome[]> {
  await fleet.verb('resume', id);
  return fleet.pipeline.rollOut();
}

/** Throws when the roll-out is in another state. */
async function ends({ fleet, id }: World, wanted: string): Promise<void> {
  const { status } = await fleet.rollOut(id);
  if (status !== wanted) throw new Error(`the roll-out is ${status}, not ${wanted}`);
}

function broken(): Error {
  return Object.assign(new Error('TypeError was planted'), { name: 'TypeError' });
}

export const rollOutScenarios: readonly Scenario[] = [
  {
    name: 'a roll-out in two waves with a pause between them',
    short: true,
    async play(pipeline) {
      const world = await started(pipeline, 2, '?waves=1,100%25&soak=30m');
      // The pause is over each time, and the checks that the first wave has to pass are made.
      pipeline.before.set('plan-batch', async () => {
        pipeline.deps.clock.advance(1801);
        await pipeline.settle();
      });
      const outcomes = await pipeline.rollOut();
      await ends(world, 'RolledOut');
      return outcomes;
    },
    expected: { outcomes: [{ status: 'SUCCEEDED' }] },
  },
  {
    name: 'a roll-out that halts at a cluster that fails, and is resumed',
    async play(pipeline) {
      const world = await started(pipeline, 2, '?waves=1,100%25&soak=0s');
      pipeline.runner.trouble('kubernetes', 'user');
      const first = await pipeline.rollOut();
      await ends(world, 'Halted');
      const second = await resumed(world);
      await ends(world, 'RolledOut');
      return [...first, ...second];
    },
    expected: { outcomes: [{ status: 'FAILED', error: 'RollOutHalted' }, { status: 'SUCCEEDED' }] },
  },
  {
    name: 'a roll-out that a person pauses and resumes',
    async play(pipeline) {
      const world = await started(pipeline, 1, '?soak=0s');
      await world.fleet.verb('pause', world.id);
      const first = await pipeline.rollOut();
      await ends(world, 'Paused');
      const second = await resumed(world);
      await ends(world, 'RolledOut');
      return [...first, ...second];
    },
    expected: { outcomes: [{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }] },
  },
  {
    name: 'a roll-out whose step breaks halts with the cause, and is resumed',
    async play(pipeline) {
      const world = await started(pipeline, 1, '?soak=0s');
      pipeline.faults.set('plan-batch', broken());
      const first = await pipeline.rollOut();
      await ends(world, 'Halted');
      const second = await resumed(world);
      await ends(world, 'RolledOut');
      return [...first, ...second];
    },
    expected: { outcomes: [{ status: 'FAILED' }, { status: 'SUCCEEDED' }] },
  },
  {
    name: 'a cluster that cannot be submitted is a failed one of its batch',
    async play(pipeline) {
      const world = await started(pipeline, 1, '?soak=0s');
      pipeline.faults.set('submit-cluster', broken());
      const first = await pipeline.rollOut();
      await ends(world, 'Halted');
      return first;
    },
    expected: { outcomes: [{ status: 'FAILED', error: 'RollOutHalted' }] },
  },
];
