import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stageNames } from '#domain/plan.ts';
import { sequenceNames } from '#test/manifest/manifest-files.ts';
import { sampled } from '#test/sampled.ts';
import { storedSet } from './e2e-sets.ts';
import { SimulatedWorld, statusText } from './simulated-world.ts';

let world: SimulatedWorld;
beforeAll(async () => {
  world = await SimulatedWorld.start();
});
afterAll(() => world.stop());

/** Every stage fails the first time that it is tried. */
const shaky = stageNames.map((stage) => ({ stage, class: 'transient' as const, attempt: 1, times: 1_000_000 }));

describe('the test sequences, step by step and then deleted', { timeout: 600_000 }, () => {
  test.each(sampled(sequenceNames, { oneOf: 3, from: 2 }))(
    '%s ends Done with a transient failure at every stage of every step',
    async (set) => {
      const kinds = await walk(set, `${set}-shaky`);
      const count = (kind: string) => kinds.filter((each) => each === kind).length;
      expect(count('StageRetried')).toBeGreaterThan(0);
      expect(count('StageRetried')).toBe(count('StageSucceeded'));
    },
  );
});

/** Kinds of all events of the steps. */
async function walk(set: string, name: string): Promise<readonly string[]> {
  const { key, steps } = await storedSet(world, set, name);
  world.faults(...shaky);
  for (const step of steps) {
    const settled = await world.apply(step);
    expect(statusText(settled)).toMatch(/^Done/);
    expect(settled.clusters.flatMap(({ nodes }) => nodes.filter(({ status }) => status !== 'Ready'))).toEqual([]);
  }
  const kinds = (await world.events(key)).map(({ kind }) => kind);
  expect(await world.delete(key)).toBeUndefined();
  return kinds;
}
