import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stageNames } from '#domain/plan.ts';
import { sampled } from '#test/sampled.ts';
import { SimulatedWorld, statusText } from '#test/scenarios/simulated-world.ts';
import { fleet, fleetKey } from './fleet.ts';

let world: SimulatedWorld;
beforeAll(async () => {
  world = await SimulatedWorld.start();
});
afterAll(() => world.stop());

const cases = stageNames
  .filter((stage) => stage !== 'traffic')
  .flatMap((stage) => (['fixed', 'retried', 'rolled back'] as const).map((then) => ({ stage, then })));

describe('FR-2: a failed change never blocks the next desired state', { timeout: 120_000 }, () => {
  test.each(sampled(cases, { oneOf: 4, from: 0 }))(
    'a change that failed in $stage and is then $then ends Done',
    async ({ stage, then }) => {
      const name = `fr-2-${stage}-${then.replace(' ', '-')}`;
      const key = fleetKey(name);
      world.faults();
      await world.apply(fleet(name));
      world.faults({ stage, class: 'user', direction: 'grow', manifest: name });
      const failed = await world.apply(fleet(name, { pools: { a: 1, b: 1 } }));
      expect(failed.clusters[0]?.status).toBe('RolledBack');
      if (then === 'fixed') {
        const fixed = await world.apply(fleet(name, { pools: { a: 1, b: 1 }, fixed: true }));
        expect(statusText(fixed)).toMatch(/^Done/);
      } else if (then === 'retried') expect(statusText(await world.retry(key))).toMatch(/^Done/);
      else {
        const back = await world.settled(key, await world.api.rollbackManifest(key));
        expect(back?.status).toBe('Done');
        expect(back?.generation).toBe(3);
      }
      expect(await world.delete(key)).toBeUndefined();
    },
  );

  test('a newer desired state takes over from one that is being tried', async () => {
    const key = fleetKey('fr-2-newer');
    world.faults();
    world.stageMs(60);
    const first = await world.api.putManifest(key, fleet(key.name, { pools: { a: 1 } }));
    await world.until(key, (manifest) => manifest?.clusters[0]?.progress?.stage !== undefined, 'a stage');
    const second = await world.api.putManifest(key, fleet(key.name, { pools: { a: 2, c: 1 } }));
    world.stageMs(0);
    expect(second.runId).not.toBe(first.runId);
    const settled = await world.settled(key, second);
    expect(settled?.status).toBe('Done');
    expect(settled?.clusters[0]?.nodes).toHaveLength(5);
  });
});
