/** Manifests that benchmarks submit, and waiting for their end. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '#cli/api-client.ts';

/** One cluster of two providers, 1 control and 2 compute nodes, with a load balancer for the API. */
export function benchManifest(
  name: string,
  providerType: string,
): { metadata: { name: string } } & Record<string, unknown> {
  const pool = (poolName: string, provider: string, count: number) => ({
    name: poolName,
    providerSpec: { name: provider, region: 'here' },
    count,
    serverType: 'host',
    image: 'debian',
  });
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'InputManifest',
    metadata: { name },
    spec: {
      providers: [
        { name: 'cloud-1', providerType },
        { name: 'cloud-2', providerType },
      ],
      nodePools: {
        dynamic: [
          pool('control', 'cloud-1', 1),
          pool('compute-1', 'cloud-1', 1),
          pool('compute-2', 'cloud-2', 1),
          pool('balancer', 'cloud-1', 1),
        ],
      },
      kubernetes: {
        clusters: [
          {
            name: 'bench',
            version: '1.36.0',
            network: '192.168.2.0/24',
            pools: { control: ['control'], compute: ['compute-1', 'compute-2'] },
          },
        ],
      },
      loadBalancers: {
        roles: [{ name: 'apiserver', protocol: 'tcp', port: 6443, targetPort: 6443, targetPools: ['control'] }],
        clusters: [
          {
            name: 'front',
            roles: ['apiserver'],
            dns: { dnsZone: 'bench.test', provider: 'cloud-1', hostname: name },
            targetedK8s: 'bench',
            pools: ['balancer'],
          },
        ],
      },
    },
  };
}

/** The least that is a cluster: one control node. */
export function smallManifest(
  name: string,
  providerType: string,
): { metadata: { name: string } } & Record<string, unknown> {
  const providerSpec = { name: 'cloud-1', region: 'here' };
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'InputManifest',
    metadata: { name },
    spec: {
      providers: [{ name: 'cloud-1', providerType }],
      nodePools: {
        dynamic: [{ name: 'control', providerSpec, count: 1, serverType: 'host', image: 'debian' }],
      },
      kubernetes: {
        clusters: [
          { name: 'bench', version: '1.36.0', network: '192.168.2.0/24', pools: { control: ['control'], compute: [] } },
        ],
      },
    },
  };
}

/** Waits for the end of a manifest's run; throws unless it is Done. Returns the run. */
export async function untilDone(api: ApiClient, name: string, pollMs: number) {
  const key = { namespace: 'default', name };
  for (;;) {
    const manifest = await api.getManifest(key);
    if (manifest.status === 'Failed')
      throw new Error(`${name} failed: ${JSON.stringify(manifest.clusters.map((c) => c.failure))}`);
    if (manifest.status === 'Done') return manifest;
    await sleep(pollMs);
  }
}
