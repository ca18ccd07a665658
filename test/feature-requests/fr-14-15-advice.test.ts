import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seed, seedKey, storeSeedSecrets } from '#test/scenarios/seeds.ts';
import { SimulatedWorld } from '#test/scenarios/simulated-world.ts';

let world: SimulatedWorld;
beforeAll(async () => {
  world = await SimulatedWorld.start();
  await storeSeedSecrets(world);
  world.faults();
});
afterAll(() => world.stop());

/** What is legal and unwise about the seed, by place. */
const advice = [
  'spec.kubernetes.clusters[0].pools.control',
  'spec.loadBalancers.clusters[0].pools',
  'spec.loadBalancers.clusters[0].pools',
];

describe('FR-14: advice about the layout', () => {
  test('the plan warns about exactly the risks of the layout, before anything starts', async () => {
    const key = seedKey('fr-14');
    const plan = await world.api.planManifest(key, { document: seed('working', key.name) });
    expect(plan.faults).toEqual([]);
    expect(plan.warnings.map(({ path }) => path).toSorted()).toEqual(advice);
    const reasons = plan.warnings.map(({ reason }) => reason).join('\n');
    expect(reasons).toMatch(/single control node/);
    expect(reasons).toMatch(/API is a single node/);
    expect(reasons).toMatch(/westeurope, the control nodes are in azure swedencentral/);
    expect(plan.warnings.every(({ fix }) => fix)).toBe(true);
    const accepted = await world.api.putManifest(key, seed('working', key.name));
    expect(accepted.warnings.map(({ path }) => path).toSorted()).toEqual(advice);
    await world.settled(key, accepted);
  });
});

describe('FR-15: fields without effect are reported, and nothing has to be guessed to start a run', () => {
  test('a disk of a load balancer pool is warned about, unless it has the usual size, as the stored document has it', async () => {
    const key = seedKey('fr-15');
    const document = seed('working', key.name);
    const warned = async () => {
      const { warnings } = await world.api.planManifest(key, { document });
      return warnings.filter(({ path }) => path.endsWith('storageDiskSize')).map(({ reason }) => reason);
    };
    expect(await warned()).toEqual([]);
    const balancer = document.spec.nodePools.dynamic.at(-1);
    Object.assign(balancer ?? {}, { storageDiskSize: 60 });
    expect(await warned()).toEqual([expect.stringMatching(/no storage disk/)]);
  });

  test('a changed label changes no machine, and a verb retries a failed run', async () => {
    const key = seedKey('fr-15-run');
    const document = seed('working', key.name);
    world.faults({ stage: 'nodes', class: 'user' });
    expect((await world.apply(document)).status).toBe('Failed');
    expect((await world.retry(key)).status).toBe('Done');
    const relabelled = { ...document, metadata: { ...document.metadata, labels: { run: '3' } } };
    expect((await world.api.planManifest(key, { document: relabelled })).hasWork).toBe(false);
    expect((await world.apply(relabelled)).status).toBe('Done');
    await expect(world.api.retryManifest(key)).rejects.toThrow(/nothing has failed/);
  });
});
