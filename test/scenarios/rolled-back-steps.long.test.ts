import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ManifestName } from '#cli/connection/api-client.ts';
import { sequenceNames } from '#test/manifest/manifest-files.ts';
import { sampled } from '#test/sampled.ts';
import { storedSet } from './e2e-sets.ts';
import { expectFailures, type FailurePoint, permanentFault, pointsOf } from './failure-points.ts';
import { SimulatedWorld, statusText } from './simulated-world.ts';

let world: SimulatedWorld;
beforeAll(async () => {
  world = await SimulatedWorld.start();
});
afterAll(() => world.stop());

describe('rolled back steps', { timeout: 300_000 }, () => {
  /** The last stage of each grow, when all was made; every stage on demand: it takes minutes. */
  const asked = (points: readonly FailurePoint[]) => (process.env.EVERY_FAILURE ? points : points.slice(-1));

  test.each(sampled(sequenceNames, { oneOf: 3, from: 0 }))(
    '%s: the step after a rolled back one succeeds, whichever stage of a grow failed',
    async (set) => {
      const { key, steps } = await storedSet(world, set, `${set}-next`);
      for (const [index, step] of steps.entries()) {
        const next = steps[index + 1];
        if (next === undefined) break;
        const grows = (await pointsOf(world, step)).map((points) =>
          asked(points.filter(({ direction }) => direction === 'grow')),
        );
        for (let place = 0; grows.some((points) => points.length > place); place++) {
          const points = grows.flatMap((each) => each.slice(place, place + 1));
          const before = await nodesOf(key, points);
          world.faults(...points.map(permanentFault));
          expectFailures(await world.apply(step), points);
          expect(await nodesOf(key, points)).toEqual(before);
          world.faults();
          expect(statusText(await world.apply(next))).toMatch(/^Done/);
          const earlier = steps[index - 1];
          if (earlier === undefined) expect(await world.delete(key)).toBeUndefined();
          else expect(statusText(await world.apply(earlier))).toMatch(/^Done/);
        }
        expect(statusText(await world.apply(step))).toMatch(/^Done/);
      }
      expect(await world.delete(key)).toBeUndefined();
    },
  );
});

/** Nodes of the clusters that have a point. */
async function nodesOf(key: ManifestName, points: readonly FailurePoint[]): Promise<readonly string[]> {
  const clusters = (await world.find(key))?.clusters ?? [];
  const those = clusters.filter(({ name }) => points.some(({ cluster }) => cluster === name));
  return those.flatMap(({ nodes }) => nodes.map((node) => `${node.name} ${node.status}`)).toSorted();
}
