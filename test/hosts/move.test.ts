/** The API endpoint moves from a load balancer to a node and back, on real hosts; nothing is made anew. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { accessKeyOf } from '#local/access-key.ts';
import { bootIds, type Machines, openMachines } from '../../demo/machines.ts';
import { proveApplication, proveKubectl, proveMesh, proveUntouched, serverOf } from '../../demo/proofs.ts';
import { clusterOf, Installation } from './installation.ts';
import { smallManifest } from './small-manifest.ts';

const name = 'moving';
const compute = {
  'compute-1': { provider: 'local-1', region: 'here' },
  'compute-2': { provider: 'local-2', region: 'there' },
};

describe('the API endpoint on real hosts', () => {
  let installation: Installation;
  let machines: Machines;
  let ids: ReadonlyMap<string, string>;
  const apply = (servesApi: boolean) =>
    installation.apply(name, smallManifest({ name, compute, balancer: { servesApi } }));

  /** Everything works, and the delivered kubeconfig leads to `server`. */
  async function prove(manifest: ManifestDescription, server: string | undefined): Promise<void> {
    const cluster = clusterOf(manifest);
    expect(manifest.status, JSON.stringify(cluster.failure)).toBe('Done');
    const file = await installation.kubeconfig(name, cluster);
    expect(await serverOf(file)).toBe(`https://${server}:6443`);
    await proveKubectl(
      file,
      cluster.nodes.filter(({ role }) => role !== 'loadBalancer').map((node) => node.name),
    );
    expect(await proveMesh(machines, cluster)).toBe(12);
    const workers = cluster.nodes.filter(({ role }) => role === 'compute').map((node) => node.name);
    await proveApplication(`http://${cluster.loadBalancers[0]?.endpoint}/`, workers);
    const now = await bootIds(machines, cluster);
    ids ??= now;
    proveUntouched(ids, now);
  }

  beforeAll(async () => {
    installation = await Installation.open();
  });
  afterAll(async () => {
    await machines?.close();
    await installation.close();
  });

  it('the API endpoint is the load balancer at first', async () => {
    const manifest = await apply(true);
    const { cluster, loadBalancers } = clusterOf(manifest);
    const ssmEndpoint = installation.platform.endpoints.ssm ?? '';
    machines = await openMachines({
      ssmEndpoint,
      accessKey: accessKeyOf(installation.platform.token),
      keyPrefix: `ssh/default/${name}/${cluster}`,
    });
    await prove(manifest, loadBalancers[0]?.endpoint);
  });

  it('the API endpoint moves to the control node when the load balancer loses its API role', async () => {
    const manifest = await apply(false);
    const control = clusterOf(manifest).nodes.find(({ role }) => role === 'control');
    await prove(manifest, control?.publicAddress);
  });

  it('the API endpoint moves back to the load balancer', async () => {
    const manifest = await apply(true);
    await prove(manifest, clusterOf(manifest).loadBalancers[0]?.endpoint);
  });
});
