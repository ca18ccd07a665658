/** DNS names of clusters that inherit from one inventory: a plan refuses doubles, and a roll-out what was taken since. */
import { describe, expect, it } from 'vitest';
import { callApi } from '#test/api/api-under-test.ts';
import { clusterNamed, environment, Fleet, fleet, template } from './harness/fleet.ts';
import { manifestOf } from './harness/manifests.ts';

const quick = '?waves=1,100%25&soak=0s&maxFailed=3';

/** The template of the fleet with a load balancer, whose host name is a value of the cluster. */
const { document } = template.spec;
const [pool] = document.spec.nodePools.dynamic;
const balanced = {
  ...template,
  spec: {
    ...template.spec,
    version: 2,
    document: {
      spec: {
        ...document.spec,
        nodePools: { dynamic: [...document.spec.nodePools.dynamic, { ...pool, name: 'front' }] },
        loadBalancers: {
          roles: [{ name: 'web', protocol: 'tcp', port: 80, targetPort: 30080, targetPools: ['work'] }],
          clusters: [
            {
              name: 'entry',
              roles: ['web'],
              dns: { dnsZone: 'example.com', provider: 'sim-1', hostname: '${values.host}' },
              targetedK8s: '${cluster.name}',
              pools: ['front'],
            },
          ],
        },
      },
    },
  },
};

const served = (name: string, host: string) => {
  const cluster = clusterNamed(name, { host });
  return { ...cluster, spec: { ...cluster.spec, template: 'standard@2' } };
};

/** A manifest that no inventory has. */
function other(hostname: string) {
  const manifest = manifestOf([{ compute: { work: 1 }, balanced: true }]);
  const [balancer] = manifest.spec.loadBalancers.clusters;
  const dns = { ...balancer?.dns, dnsZone: 'example.com', hostname };
  const loadBalancers = { ...manifest.spec.loadBalancers, clusters: [{ ...balancer, dns }] };
  return { ...manifest, metadata: { name: 'other', namespace: fleet }, spec: { ...manifest.spec, loadBalancers } };
}

async function servedFleet(hosts: readonly string[]): Promise<Fleet> {
  const world = new Fleet();
  for (const each of [environment('1.35.2'), balanced]) await world.put(each);
  for (const host of hosts) expect(await world.put(served(host, host))).toMatchObject({ status: 200 });
  await world.start(undefined, quick);
  await world.pipeline.rollOut();
  return world;
}

describe('names of a fleet', () => {
  it('a plan in which two clusters claim one name refuses the second, and a roll-out of it does not start', async () => {
    const world = await servedFleet([]);
    const documents = [served('one', 'shop'), served('two', 'Shop')];
    const body = documents.map((one) => JSON.stringify(one)).join('\n---\n');
    const { json } = await world.call('POST', '/plan', { body });
    expect(json).toMatchObject({ changes: 1, refused: 1, id: null });
    expect(JSON.stringify(json)).toContain('shop.example.com\\" is a name of the cluster \\"one\\" in the same plan');
    expect(await world.start(documents, quick)).toMatchObject({ status: 422 });
    expect((await world.pipeline.deps.manifests.list(fleet, 10)).items).toEqual([]);
  });

  it('a cluster whose name another manifest took after the start is refused, and the other clusters change', async () => {
    const world = await servedFleet(['one', 'two']);
    const { deps } = world.pipeline;
    const { status, json } = await world.start([served('one', 'new-one'), served('two', 'new-two')], quick);
    expect(status).toBe(202);
    const path = `/v1/manifests/${fleet}/other`;
    expect(await callApi(deps, 'PUT', path, { body: other('new-two') })).toMatchObject({ status: 202 });
    await world.pipeline.rollOut();
    const { clusters } = await world.rollOut(String(json.id));
    expect(clusters.map(({ name, state, message }) => [name, state, message ?? ''])).toEqual([
      ['one', 'done', ''],
      ['two', 'failed', expect.stringContaining('new-two.example.com')],
    ]);
    const stored = await deps.manifests.list(fleet, 10);
    expect(stored.items.map(({ name, generation }) => [name, generation])).toEqual([
      ['one', 2],
      ['other', 1],
      ['two', 1],
    ]);
  });
});
