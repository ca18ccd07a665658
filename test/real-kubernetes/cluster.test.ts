/** Real Kubernetes through the product: two providers, an application under requests, grow, shrink, upgrade, delete. */
import { describe, expect, it } from 'vitest';
import { newest, patchBefore } from '#local/kubernetes/versions.ts';
import { grown, realCluster, two } from './real-cluster.ts';

describe('real Kubernetes on local hosts', () => {
  const cluster = realCluster(() => two(patchBefore));

  it('a new cluster over two providers runs an application that the load balancer reaches, and nothing of it is simulated', async () => {
    expect((await cluster.manifest()).simulated).toEqual([]);
    await cluster.prove();
  });

  it('a pool in the second provider joins while requests continue', async () => {
    await cluster.applyUnderRequests(await grown(patchBefore));
    await cluster.prove();
  });

  it('a shrink drains the node first, so requests continue and the budget of the application is kept', async () => {
    await cluster.applyUnderRequests(await two(patchBefore));
    await cluster.prove();
  });

  // After the shrink: KubeOne pauses for more than a minute at each node.
  it('an upgrade to the next patch reaches every node', async () => {
    await cluster.apply(await two(newest));
    await cluster.prove();
  });

  it('a delete leaves no host, namespace, link, mount or process behind', async () => {
    expect(await cluster.remove()).toEqual([]);
  });
});
