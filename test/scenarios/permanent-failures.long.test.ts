import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sequenceNames } from '#test/manifest/manifest-files.ts';
import { sampled } from '#test/sampled.ts';
import { storedSet } from './e2e-sets.ts';
import { expectFailures, permanentFault, pointsOf, pointText } from './failure-points.ts';
import { SimulatedWorld, statusText } from './simulated-world.ts';

/** On CI at every step; else each stage of each direction fails once in a set: at every step it is hundreds of runs. */
const atEveryStep = process.env.CI === 'true';

let world: SimulatedWorld;
beforeAll(async () => {
  world = await SimulatedWorld.start();
});
afterAll(() => world.stop());

describe('a permanent failure at every stage of a set', { timeout: 300_000 }, () => {
  test.each(sampled(sequenceNames, { oneOf: 3, from: 1 }))(
    '%s: a permanent failure undoes a grow and stops all else, and a retry continues',
    async (set) => {
      const { key, steps } = await storedSet(world, set, `${set}-retried`);
      const seen = new Set<string>();
      for (const step of steps) {
        if (atEveryStep) seen.clear();
        for (let failed = false; ; failed = true) {
          const points = (await pointsOf(world, step)).flatMap((all) =>
            all.filter((at) => !seen.has(pointText(at))).slice(0, 1),
          );
          world.faults(...points.map(permanentFault));
          const settled = failed ? await world.retry(key) : await world.apply(step);
          if (points.length === 0) {
            expect(statusText(settled)).toMatch(/^Done/);
            break;
          }
          expectFailures(settled, points);
          for (const point of points) seen.add(pointText(point));
        }
      }
      expect(await world.delete(key)).toBeUndefined();
    },
  );
});
