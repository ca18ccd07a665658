import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { SimulatedWorld, statusText } from '#test/scenarios/simulated-world.ts';
import { fleet, fleetKey } from './fleet.ts';

let world: SimulatedWorld;
beforeAll(async () => {
  world = await SimulatedWorld.start();
});
afterAll(() => world.stop());

const nodesOf = (manifest: ManifestDescription, pool: string) =>
  manifest.clusters[0]?.nodes.filter((node) => node.pool === pool || node.pool.startsWith(`${pool}-`)).length;

describe('FR-3: a broken pool fails alone', { timeout: 120_000 }, () => {
  test('a broken pool fails alone, and all other pools can be changed', async () => {
    const name = 'fr-3';
    world.faults({ stage: 'infrastructure', provider: 'two', class: 'quota', times: 1_000_000 });
    expectDegraded(await world.apply(fleet(name, { pools: { a: 1, b: 1, c: 1 } })));

    const scaled = await world.apply(fleet(name, { pools: { a: 3, b: 1, c: 1 } }));
    expectDegraded(scaled);
    expect(nodesOf(scaled, 'a')).toBe(3);

    expectDegraded(await world.apply(fleet(name, { pools: { a: 3, b: 1, c: 1 }, labels: { tier: 'new' } })));
    const upgraded = await world.apply(
      fleet(name, { pools: { a: 1, b: 1, c: 1 }, labels: { tier: 'new' }, version: '1.36.0' }),
    );
    expectDegraded(upgraded);
    expect(nodesOf(upgraded, 'a')).toBe(1);
    expect(upgraded.clusters[0]?.kubernetesVersion).toBe('1.36.0');

    expect(await world.api.getKubeconfig({ ...fleetKey(name), cluster: 'fleet' })).toContain('kind: Config');

    world.faults();
    const healed = await world.retry(fleetKey(name));
    expect(statusText(healed)).toMatch(/^Done/);
    expect(nodesOf(healed, 'b')).toBe(1);
  });
});

function expectDegraded(manifest: ManifestDescription): void {
  expect(manifest.clusters.map(({ status }) => status)).toEqual(['Degraded']);
  expect(manifest.clusters[0]?.heldPools.map(({ pool }) => pool)).toEqual(['b']);
  expect(nodesOf(manifest, 'b')).toBe(0);
  expect(nodesOf(manifest, 'c')).toBe(1);
  expect(manifest.clusters[0]?.nodes.every(({ status }) => status === 'Ready')).toBe(true);
}
