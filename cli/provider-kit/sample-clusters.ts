/** Made-up clusters on made-up provider instances: what the generated roots of a trial are rendered from. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { ClusterState, DnsState, NodePoolState, ProviderInstance } from '#domain/cluster-state.ts';

export const sampleCluster = 'trial-abc1234';

/** The instance number `index` (0-based) of `type`: an account of its own as far as names go. */
export function sampleInstance(type: string, index: number): ProviderInstance {
  return { name: `${type}-${index + 1}`, type, secret: `trial/${type}-${index + 1}`, templates: 'builtin@trial' };
}

export interface SamplePool {
  readonly name: string;
  readonly role: NodePoolState['role'];
  /** In the second region. */
  readonly far?: true;
  readonly nodes: number;
  /** GB of the data disk. */
  readonly disk?: number;
}

/** One pool of each kind in a first region; every second instance has another in a second region. */
export function samplePools(index: number): readonly SamplePool[] {
  return [
    { name: 'control', role: 'control', nodes: 3 },
    { name: 'workers', role: 'compute', nodes: 2, disk: 50 },
    { name: 'balancers', role: 'loadBalancer', nodes: 2 },
    ...(index % 2 === 1 ? [{ name: 'far', role: 'compute', far: true, nodes: 1, disk: 50 } as const] : []),
  ];
}

/** Words that a type requires in a certain form; `mocks/pool.json` next to its modules has them. */
export const SampleWords = z.strictObject({
  image: z.string().optional(),
  serverType: z.string().optional(),
  regions: z.tuple([z.string(), z.string()]).optional(),
  /** DNS zone, as manifests name it. */
  zone: z.string().optional(),
});
export type SampleWords = z.infer<typeof SampleWords>;

/** The words of the type whose modules are in `directory`; none where it has no file of them. */
export function readSampleWords(directory: string): SampleWords {
  const file = join(directory, 'mocks', 'pool.json');
  return existsSync(file) ? SampleWords.parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
}

/** A cluster whose pools all come from `instance`. */
export function sampleState(
  instance: ProviderInstance,
  pools: readonly SamplePool[],
  words: SampleWords = {},
): ClusterState {
  const balancers = pools.filter(({ role }) => role === 'loadBalancer');
  const made = (wanted: readonly SamplePool[]) =>
    wanted.map((pool) => nodePool(instance, { ...pool, subnet: pools.indexOf(pool) + 1 }, words));
  return {
    id: sampleCluster,
    name: 'trial',
    kubernetesVersion: '1.36.0',
    network: '192.168.2.0/24',
    apiEndpoint: { kind: 'loadBalancer', loadBalancer: 'front-def5678' },
    installationProxy: { enabled: false, endpoint: 'http://proxy.example.com:8880', noProxy: [] },
    pools: made(pools.filter((pool) => !balancers.includes(pool))),
    loadBalancers: [
      {
        id: 'front-def5678',
        name: 'front',
        roles: [role('api', 6443, 'control'), role('https', 443, 'workers')],
        dns: sampleNames(instance),
        pools: made(balancers),
      },
    ],
  };
}

export function sampleNames(provider: ProviderInstance, { zone = 'example.com' }: SampleWords = {}): DnsState {
  return { zone, provider, hostname: 'front', alternativeNames: ['www', 'api.shop'] };
}

function role(name: string, port: number, pool: string) {
  const common = { proxyProtocol: true, stickySessions: false, targetPools: [pool] };
  return { name, protocol: 'tcp' as const, port, targetPort: port, servesApi: port === 6443, ...common };
}

function nodePool(
  provider: ProviderInstance,
  pool: SamplePool & { readonly subnet: number },
  words: SampleWords,
): NodePoolState {
  const id = `${pool.name}-abc1234`;
  return {
    id,
    name: pool.name,
    role: pool.role,
    source: {
      kind: 'dynamic',
      provider,
      region: (pool.far ? words.regions?.[1] : words.regions?.[0]) ?? (pool.far ? 'region-2' : 'region-1'),
      externalNetworkName: 'public',
      serverType: words.serverType ?? 'server-type',
      image: words.image ?? 'ubuntu-24.04',
      storageDiskSize: pool.disk ?? 0,
      machineSpec: { cpuCount: 2, memory: 8 },
      spot: false,
      subnet: `10.0.${pool.subnet}.0/24`,
    },
    sshPort: 22,
    labels: {},
    annotations: {},
    taints: [],
    nodes: Array.from({ length: pool.nodes }, (_, at) => ({
      name: `${id}-${(at + 1).toString(16).padStart(2, '0')}`,
      privateAddress: `192.168.2.${pool.subnet * 16 + at}`,
    })),
  };
}
