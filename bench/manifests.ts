/** Manifests that benchmarks submit, and waiting for their end. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CliClient } from '#cli/connection/api-client.ts';

type Manifest = { readonly metadata: { readonly name: string } } & Record<string, unknown>;

const pool = (name: string, provider: string) => ({
  name,
  providerSpec: { name: provider, region: 'here' },
  count: 1,
  serverType: 'host',
  image: 'debian',
});

function manifest(name: string, providers: readonly object[], pools: readonly object[], rest: object): Manifest {
  const spec = { providers, nodePools: { dynamic: pools }, ...rest };
  return { apiVersion: 'kubeloom.dev/v1', kind: 'InputManifest', metadata: { name }, spec };
}

const kubernetes = (control: readonly string[], compute: readonly string[]) => ({
  clusters: [{ name: 'bench', version: '1.36.0', network: '192.168.2.0/24', pools: { control, compute } }],
});

/** One cluster of two providers, 1 control and 2 compute nodes, with a load balancer for the API. */
export function benchManifest(name: string, providerType: string): Manifest {
  const providers = ['cloud-1', 'cloud-2'].map((provider) => ({ name: provider, providerType }));
  const pools = [
    ...[pool('control', 'cloud-1'), pool('compute-1', 'cloud-1')],
    ...[pool('compute-2', 'cloud-2'), pool('balancer', 'cloud-1')],
  ];
  const front = {
    name: 'front',
    roles: ['apiserver'],
    targetedK8s: 'bench',
    pools: ['balancer'],
    dns: { dnsZone: 'bench.test', provider: 'cloud-1', hostname: name },
  };
  const role = { name: 'apiserver', protocol: 'tcp', port: 6443, targetPort: 6443, targetPools: ['control'] };
  return manifest(name, providers, pools, {
    kubernetes: kubernetes(['control'], ['compute-1', 'compute-2']),
    loadBalancers: { roles: [role], clusters: [front] },
  });
}

/** The least that is a cluster: one control node. */
export function smallManifest(name: string, providerType: string): Manifest {
  const pools = [pool('control', 'cloud-1')];
  return manifest(name, [{ name: 'cloud-1', providerType }], pools, { kubernetes: kubernetes(['control'], []) });
}

/** Waits for the end of a manifest's run; throws unless it is Done. Returns the run. */
export async function untilDone(api: CliClient, name: string, pollMs: number) {
  const key = { namespace: 'default', name };
  for (;;) {
    const manifest = await api.getManifest(key);
    if (manifest.status === 'Failed')
      throw new Error(`${name} failed: ${JSON.stringify(manifest.clusters.map((c) => c.failure))}`);
    if (manifest.status === 'Done') return manifest;
    await sleep(pollMs);
  }
}
