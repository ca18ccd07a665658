/** Pools that come and go: what Terraform drops is gone from the machine, what cannot be made is left out. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clusterOf, Installation, nodesOf } from './installation.ts';
import { smallManifest } from './small-manifest.ts';

const name = 'dropped';
const base = { 'compute-1': { provider: 'local-1', region: 'here' } };

describe('dropped and held pools on real hosts', () => {
  let installation: Installation;
  const apply = (compute: Parameters<typeof smallManifest>[0]['compute']) =>
    installation.apply(name, smallManifest({ name, compute }));
  const isOf = (pool: string) => (host: string) => host.startsWith(`${pool}-`);

  beforeAll(async () => {
    installation = await Installation.open();
  });
  afterAll(() => installation.close());

  it('pools that the manifest drops are deleted with their hosts and their regions', async () => {
    const grown = await apply({
      ...base,
      'other-region': { provider: 'local-1', region: 'there', count: 2 },
      'other-provider': { provider: 'local-2', region: 'far' },
    });
    expect(grown.status, JSON.stringify(clusterOf(grown).failure)).toBe('Done');
    const { cluster } = clusterOf(grown);
    expect(await installation.hosts()).toEqual(nodesOf(grown));
    expect(await installation.regions(cluster)).toEqual(['local-1/here', 'local-1/there', 'local-2/far']);

    const shrunk = await apply(base);
    expect(shrunk.status, JSON.stringify(clusterOf(shrunk).failure)).toBe('Done');
    expect(await installation.hosts()).toEqual(nodesOf(shrunk));
    expect((await installation.hosts()).filter(isOf('other-region'))).toEqual([]);
    expect(await installation.regions(cluster)).toEqual(['local-1/here']);
  });

  it('a pool that cannot be created is held without leftovers, and the next apply creates it', async () => {
    const target = {
      ...base,
      good: { provider: 'local-2', region: 'far' },
      bad: { provider: 'local-3', region: 'off' },
      'bad-too': { provider: 'local-1', region: 'here', count: 2 },
    };
    const fix = await installation.fault('bad-*', 'no power in this rack');
    const partly = await apply(target);
    const { failure, heldPools } = clusterOf(partly);
    expect([partly.status, clusterOf(partly).status], JSON.stringify(failure)).toEqual(['Failed', 'Degraded']);
    expect(heldPools.map(({ pool }) => pool).toSorted()).toEqual(['bad', 'bad-too']);
    expect(JSON.stringify(heldPools)).toContain('no power in this rack');
    const hosts = await installation.hosts();
    expect(hosts.filter(isOf('good'))).toHaveLength(1);
    expect(hosts).toEqual(nodesOf(partly));
    expect(hosts.filter(isOf('bad'))).toEqual([]);

    await fix();
    const whole = await installation.retry(name);
    expect(whole.status, JSON.stringify(clusterOf(whole).failure)).toBe('Done');
    expect((await installation.hosts()).filter(isOf('bad'))).toHaveLength(3);
  });

  it('a deletion after dropped pools leaves nothing behind', async () => {
    await installation.remove(name);
    expect(await installation.leftovers()).toEqual([]);
  });
});
