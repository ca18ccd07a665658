import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SimulatedWorld } from '#test/scenarios/simulated-world.ts';
import { fleet, fleetKey } from './fleet.ts';

let world: SimulatedWorld;
beforeAll(async () => {
  world = await SimulatedWorld.start();
});
afterAll(() => world.stop());

describe('FR-6: a deletion says what it removed', () => {
  test('the plan of a deletion names every node, and the manifest is gone only when nothing is left', async () => {
    const key = fleetKey('fr-6');
    world.faults();
    const made = await world.apply(fleet(key.name, { pools: { a: 2, b: 1 } }));
    const names = made.clusters[0]?.nodes.map((node) => node.name).toSorted();
    world.faults({ stage: 'infrastructure', direction: 'destroy', class: 'user' });
    const stuck = await world.delete(key);
    expect(stuck?.deleting).toBe(true);
    const plan = await world.api.planManifest(key, undefined);
    const [destroy] = plan.clusters[0]?.waypoints ?? [];
    expect(destroy?.direction).toBe('destroy');
    const reported = destroy?.changes.flatMap((change) => (change.kind === 'NodePoolRemoved' ? change.nodes : []));
    expect(reported?.toSorted()).toEqual(names);
    const last = (await world.events(key)).at(-1);
    expect(last).toMatchObject({ kind: 'RunFailed', level: 'error' });

    expect((await world.api.retryManifest(key)).runId).not.toBe(stuck?.runId);
    expect(await world.until(key, (manifest) => manifest === undefined, 'its end')).toBeUndefined();
    for (const prefix of ['terraform', 'kubeconfigs']) {
      expect(await world.objects(`${prefix}/default/${key.name}/`)).toEqual([]);
    }
  });
});
