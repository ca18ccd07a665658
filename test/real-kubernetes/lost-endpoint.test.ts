/** Three control nodes of real Kubernetes, one of which is the API endpoint and is lost. */
import { describe, expect, it } from 'vitest';
import { newest } from '#local/kubernetes/versions.ts';
import { etcdctlIn, etcdEnvironment } from '#runner/kubernetes/etcd-member.ts';
import { type Manifest, realCluster, two } from './real-cluster.ts';

/** No load balancer serves the API. */
async function withoutBalancer(): Promise<Manifest> {
  const manifest = structuredClone(await two(newest));
  for (const pool of manifest.spec.nodePools.dynamic) if (pool.name === 'control') pool.count = 3;
  manifest.spec.loadBalancers.clusters[0].roles.shift();
  return manifest;
}

describe('three control nodes without a load balancer', () => {
  const cluster = realCluster(withoutBalancer);

  it('a lost API endpoint is replaced after another control node has become the endpoint', async () => {
    const server = () => cluster.kubectl('config', 'view', '-o', 'jsonpath={.clusters[0].cluster.server}');
    const { nodes } = await cluster.cluster();
    const before = await server();
    const lost = nodes.find(({ publicAddress }) => before === `https://${publicAddress}:6443`);
    if (lost === undefined) throw new Error(`${before} is no node`);
    await cluster.power('down', lost);
    await cluster.repair();
    expect(await server()).not.toBe(before);
    const controls = nodes.filter(({ role }) => role === 'control').map(({ name }) => name);
    const survivor = controls.find((name) => name !== lost.name) ?? '';
    const environment = await cluster.kubectl(...etcdEnvironment(survivor));
    const members = await cluster.kubectl(...etcdctlIn(survivor, environment), 'member', 'list', '-w', 'json');
    const found = JSON.parse(members) as { readonly members: readonly { readonly name: string }[] };
    expect(found.members.map(({ name }) => name).toSorted()).toEqual(controls.toSorted());
    await cluster.prove();
  });
});
