/** The API endpoint of real Kubernetes goes from one load balancer to another. Its other moves: `control-nodes.test.ts`. */
import { describe, expect, it } from 'vitest';
import { newest } from '#local/kubernetes/versions.ts';
import { proveUntouched } from '../../demo/proofs.ts';
import { proveEndpoint } from './endpoint-proof.ts';
import { type Manifest, realCluster, two } from './real-cluster.ts';

/** A second load balancer, in the other provider, serves the API; the first one keeps the application. */
async function moved(): Promise<Manifest> {
  const manifest = structuredClone(await two(newest));
  const { nodePools, loadBalancers } = manifest.spec;
  const far = nodePools.dynamic.find(({ name }) => name === 'compute-2');
  if (far === undefined) throw new Error('the example has other pools');
  nodePools.dynamic.push({ ...far, name: 'balancer-2' });
  const [front] = loadBalancers.clusters;
  loadBalancers.clusters.push({
    ...front,
    name: 'back',
    roles: ['apiserver'],
    dns: { ...front.dns, hostname: 'back' },
    pools: ['balancer-2'],
  });
  front.roles = ['web'];
  return manifest;
}

describe('the API endpoint of real Kubernetes', () => {
  const cluster = realCluster(() => two(newest));

  const endpointOf = async (name: string): Promise<string> =>
    (await cluster.cluster()).loadBalancers.find((balancer) => balancer.name === name)?.endpoint ?? '';

  it('the API endpoint moves from one load balancer to a new one in another provider', async () => {
    const ids = await cluster.bootIds();
    await proveEndpoint(cluster, await endpointOf('front'));
    await cluster.apply(await moved());
    await proveEndpoint(cluster, await endpointOf('back'));
    expect(await endpointOf('back')).not.toBe(await endpointOf('front'));
    proveUntouched(ids, await cluster.bootIds());
    await cluster.prove();
  });

  it('the API endpoint moves back to the first load balancer, and the second one leaves', async () => {
    await cluster.apply(await two(newest));
    await proveEndpoint(cluster, await endpointOf('front'));
    expect((await cluster.cluster()).loadBalancers.map(({ name }) => name)).toEqual(['front']);
    await cluster.prove();
  });
});
