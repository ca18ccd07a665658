import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ManifestName } from '#cli/connection/api-client.ts';
import { type Fault, SimulatedWorld } from '#test/scenarios/simulated-world.ts';
import { fleet, fleetKey } from './fleet.ts';

let world: SimulatedWorld;
beforeAll(async () => {
  world = await SimulatedWorld.start();
});
afterAll(() => world.stop());

const forever = { class: 'user', times: 1_000_000 } as const;
const grown = (name: string) => fleet(name, { pools: { a: 1, b: 1 } });

/** Brings a manifest into a status; it was asked for more than what exists. */
const ways: Readonly<Record<string, { readonly fault?: Fault; lead(key: ManifestName): Promise<unknown> }>> = {
  done: { lead: (key) => world.apply(grown(key.name)) },
  'create rolled back': { fault: { stage: 'nodes', ...forever }, lead: (key) => world.apply(grown(key.name)) },
  'create interrupted': { lead: (key) => inTheMiddle(key, grown(key.name)) },
  'change rolled back': {
    fault: { stage: 'kubernetes', direction: 'grow', ...forever },
    lead: async (key) => {
      world.faults();
      await world.apply(fleet(key.name));
      world.faults({ stage: 'kubernetes', direction: 'grow', ...forever });
      return world.apply(grown(key.name));
    },
  },
  'change interrupted': {
    lead: async (key) => {
      await world.apply(fleet(key.name));
      return inTheMiddle(key, fleet(key.name, { pools: { a: 2, c: 1 }, version: '1.36.0' }));
    },
  },
  'waiting for attention': {
    lead: async (key) => {
      await world.apply(fleet(key.name));
      world.faults({ stage: 'kubernetes', direction: 'upgrade', ...forever });
      const stuck = await world.apply(fleet(key.name, { version: '1.36.0' }));
      expect(stuck.clusters[0]?.status).toBe('NeedsAttention');
    },
  },
  degraded: {
    fault: { stage: 'infrastructure', provider: 'two', ...forever },
    lead: (key) => world.apply(grown(key.name)),
  },
};

describe('FR-4: delete works from what was applied', { timeout: 120_000 }, () => {
  test.each(Object.keys(ways))('a delete works in the status: %s', async (status) => {
    const key = fleetKey(`fr-4-${status.replaceAll(' ', '-')}`);
    const way = ways[status];
    world.faults(...(way?.fault ? [way.fault] : []));
    await way?.lead(key);
    expect(await world.delete(key)).toBeUndefined();
    expect(await world.objects(`terraform/default/${key.name}/`)).toEqual([]);
  });

  test('a delete while paused ends the pause and is done', async () => {
    const key = fleetKey('fr-4-paused');
    world.faults();
    await world.apply(fleet(key.name));
    await world.api.pauseManifest(key);
    const accepted = await world.api.deleteManifest(key);
    expect(accepted.paused).not.toBe(true);
    expect(await world.settled(key, accepted)).toBeUndefined();
  });

  test('a delete that fails is reported; a retry continues, and orphaning says what is left', async () => {
    const key = fleetKey('fr-4-stuck');
    world.faults();
    const nodes = (await world.apply(fleet(key.name))).clusters[0]?.nodes.map((node) => node.name) ?? [];
    world.faults({ stage: 'infrastructure', direction: 'destroy', ...forever });
    const stuck = await world.delete(key);
    expect(stuck?.status).toBe('Failed');
    expect(stuck?.clusters[0]).toMatchObject({ status: 'NeedsAttention', failure: { stage: 'infrastructure' } });
    expect((await world.retry(key)).status).toBe('Failed');

    const accepted = await world.api.deleteManifest(key, { orphan: 'all' });
    expect(accepted.left?.flatMap((left) => left.nodes.map((node) => node.name)).toSorted()).toEqual(nodes.toSorted());
    expect(accepted.left?.[0]?.nodes.every(({ provider, address }) => provider === 'one' && address)).toBe(true);
    expect(await world.settled(key, accepted)).toBeUndefined();
  });

  test('a single node is orphaned while everything else is removed', async () => {
    const key = fleetKey('fr-4-one');
    world.faults();
    const nodes = (await world.apply(fleet(key.name))).clusters[0]?.nodes ?? [];
    const orphan = nodes.find((node) => node.role === 'compute')?.name ?? '';
    const accepted = await world.api.deleteManifest(key, { orphan });
    expect(accepted.left?.flatMap((left) => left.nodes.map((node) => node.name))).toEqual([orphan]);
    expect(await world.settled(key, accepted)).toBeUndefined();
  });
});

/** Submits it and returns as soon as a stage runs. */
async function inTheMiddle(key: ManifestName, document: unknown): Promise<void> {
  world.stageMs(200);
  const { runId } = await world.api.putManifest(key, document);
  const under = await world.until(
    key,
    (manifest) => manifest?.runId === runId && Boolean(manifest.clusters[0]?.progress?.stage),
    'a stage',
  );
  expect(under?.status).toBe('Running');
  world.stageMs(0);
}
