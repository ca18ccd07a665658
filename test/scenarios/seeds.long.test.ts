import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { type Seed, seed, seedKey, storeSeedSecrets } from './seeds.ts';
import { type Fault, SimulatedWorld, statusText } from './simulated-world.ts';

let world: SimulatedWorld;
beforeAll(async () => {
  world = await SimulatedWorld.start();
  await storeSeedSecrets(world);
});
afterAll(() => world.stop());

/** The second subscription does not let anybody in. */
const lockedOut: Fault = { stage: 'infrastructure', provider: 'azure-2', class: 'credentials', times: 1_000_000 };
const name = (made: string) => `seed-${made}`;
const poolsOf = ({ clusters }: ManifestDescription) => [
  ...new Set(clusters.flatMap(({ nodes }) => nodes.map(({ pool }) => pool.replace(/-[a-z0-9]{7}$/, '')))),
];

describe('one subscription, then two, then the manifest that worked', { timeout: 120_000 }, () => {
  test('two subscriptions exist in parallel; an existing pool cannot change its subscription in place', async () => {
    const key = seedKey(name('plain'));
    world.faults();
    for (const file of ['single-subscription', 'two-subscriptions'] as const) {
      expect(statusText(await world.apply(seed(file, key.name)))).toMatch(/^Done/);
    }
    await expect(world.apply(seed('working', key.name))).rejects.toThrow(
      /has 1 fault.*compute-azure-2.*add a pool with another name/s,
    );
    expect(await world.delete(key)).toBeUndefined();
  });

  test('a locked second subscription costs only its pool, which recovers in the first one', async () => {
    const key = seedKey(name('locked'));
    world.faults(lockedOut);
    expect(statusText(await world.apply(seed('single-subscription', key.name)))).toMatch(/^Done/);
    const before = await world.find(key);

    const degraded = await world.apply(seed('two-subscriptions', key.name));
    expectOnlyPoolMissing(degraded);
    expect(degraded.clusters[0]?.nodes).toEqual(before?.clusters[0]?.nodes);

    const again = await world.retry(key);
    expectOnlyPoolMissing(again);

    const working = await world.apply(seed('working', key.name));
    expect(statusText(working)).toMatch(/^Done/);
    expect(poolsOf(working)).toContain('compute-azure-2');
    const messages = (await world.events(key)).map(({ message }) => message).join('\n');
    expect(messages).not.toMatch(/duplicate provider/i);
    expect(await world.delete(key)).toBeUndefined();
  });

  test('a locked second subscription does not keep the other pools from changing', async () => {
    const key = seedKey(name('others'));
    world.faults(lockedOut);
    await world.apply(seed('single-subscription', key.name));
    const scaled = await world.apply(resized(seed('two-subscriptions', key.name), 'compute-azure-1', 3));
    expectOnlyPoolMissing(scaled);
    expect(scaled.clusters[0]?.nodes).toHaveLength(5);
    expect(await world.delete(key)).toBeUndefined();
  });

  test('a create with a locked second subscription makes everything else', async () => {
    const key = seedKey(name('created'));
    world.faults(lockedOut);
    expectOnlyPoolMissing(await world.apply(seed('two-subscriptions', key.name)));
    world.faults();
    expect(statusText(await world.retry(key))).toMatch(/^Done/);
    expect(await world.delete(key)).toBeUndefined();
  });

  const points: readonly {
    readonly title: string;
    readonly faults: readonly Fault[];
    readonly files: readonly ('single-subscription' | 'two-subscriptions' | 'working')[];
  }[] = [
    { title: 'after the first', faults: [], files: ['single-subscription'] },
    { title: 'while degraded', faults: [lockedOut], files: ['single-subscription', 'two-subscriptions'] },
    {
      title: 'after the first was rolled back',
      faults: [{ stage: 'kubernetes', class: 'user', times: 9 }],
      files: ['single-subscription'],
    },
    { title: 'after recovery', faults: [lockedOut], files: ['single-subscription', 'two-subscriptions', 'working'] },
  ];
  test.each(points)('the manifest can be deleted $title', async ({ title, faults, files }) => {
    const key = seedKey(name(title.replaceAll(' ', '-')));
    world.faults(...faults);
    for (const file of files) await world.apply(seed(file, key.name));
    expect(await world.delete(key)).toBeUndefined();
  });
});

function expectOnlyPoolMissing(manifest: ManifestDescription): void {
  expect(manifest.status).toBe('Failed');
  expect(manifest.clusters.map(({ status }) => status)).toEqual(['Degraded']);
  expect(manifest.clusters[0]?.failure).toMatchObject({ class: 'credentials' });
  expect(JSON.stringify(manifest.clusters[0]?.failure)).toContain('compute-azure-2');
  expect(poolsOf(manifest)).toEqual(expect.arrayContaining(['control-azure-1', 'compute-azure-1', 'loadbalancer-1']));
  expect(poolsOf(manifest)).not.toContain('compute-azure-2');
  expect(manifest.clusters[0]?.nodes.every(({ status }) => status === 'Ready')).toBe(true);
}

function resized(document: Seed, pool: string, count: number): Seed {
  const { nodePools } = document.spec;
  const dynamic = nodePools.dynamic.map((each) => (each.name === pool ? { ...each, count } : each));
  return { ...document, spec: { ...document.spec, nodePools: { ...nodePools, dynamic } } };
}
