/** The generated roots that a trial gives to Terraform: of made-up clusters, rendered by our own renderer, without a backend, with a few literals made variables. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { ClusterState, DnsState, NodePoolState, ProviderInstance } from '#domain/cluster-state.ts';
import { renderDnsRoot } from '#rendering/dns-root.ts';
import { renderMachinesRoot } from '#rendering/machines-root.ts';
import type { ProviderTemplate } from '#rendering/provider-template.ts';
import type { RootModule } from '#rendering/root-module.ts';
import { poolModule } from '#rendering/terraform-names.ts';
import { bodies, type HclBody } from './module-source.ts';

const sampleCluster = 'trial-abc1234';
const backend = { bucket: 'none', region: 'none', key: 'none' };
const owner = { installation: 'trial', namespace: 'trial', manifest: 'trial', clusterId: sampleCluster, generation: 1 };
const publicKey = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'B'.repeat(43)} trial`;
const modules = './modules';

/** Machines of `instance` in `state`. */
export function machinesRoot(template: ProviderTemplate, instance: ProviderInstance, state: ClusterState): RootModule {
  const pools = [...state.pools, ...state.loadBalancers.flatMap((balancer) => balancer.pools)];
  return withoutBackend(
    renderMachinesRoot({
      ...owner,
      state,
      others: [],
      provider: instance,
      template,
      backend,
      modules,
      adminCidrs: ['198.51.100.7/32'],
      peerCidrs: ['203.0.113.1/32', '203.0.113.2/32'],
      publicKeys: Object.fromEntries(pools.map(({ id }) => [id, publicKey])),
      extra: { network: {}, nodepool: {} },
    }),
  );
}

/** Names of one load balancer at `instance`. */
export function namesRoot(template: ProviderTemplate, instance: ProviderInstance, words: SampleWords): RootModule {
  return withoutBackend(
    renderDnsRoot({
      ...owner,
      dns: sampleNames(instance, words),
      gone: false,
      addresses: ['203.0.113.1', '203.0.113.2'],
      healthCheckPort: 6443,
      template,
      backend,
      modules,
      extra: {},
    }),
  );
}

/** What differs from run to run of a test, as root variables with the root's own values as defaults. */
export interface Knobs {
  /** Pool whose nodes can be given. */
  readonly grows: string;
  /** Pool that can be left out. */
  readonly comes: string;
}

/** `root` with the variables `grown_nodes`, `with_pool`, `generation` and `first_boot`. */
export function withKnobs(root: RootModule, { grows, comes }: Knobs): RootModule {
  const calls = bodies(root.module)[0] ?? {};
  const first = (id: string): HclBody => bodies(calls[poolModule(id)])[0] ?? {};
  const turned = Object.fromEntries(
    Object.entries(calls).map(([name, call]) => {
      const body = bodies(call)[0] ?? {};
      return [
        name,
        {
          ...body,
          ...(body.tags === undefined
            ? {}
            : { tags: { ...(body.tags as HclBody), 'kubeloom-generation': '${var.generation}' } }),
          ...(body.first_boot === undefined ? {} : { first_boot: '${var.first_boot}' }),
          ...(name === poolModule(grows) ? { nodes: '${var.grown_nodes}' } : {}),
          ...(name === poolModule(comes) ? { count: '${var.with_pool ? 1 : 0}' } : {}),
        },
      ];
    }),
  );
  const knobs = {
    generation: { type: 'string', default: '1' },
    first_boot: { type: 'string', default: 'echo @node@' },
    grown_nodes: { type: 'map(object({}))', default: first(grows).nodes },
    with_pool: { type: 'bool', default: false },
  };
  return {
    ...root,
    module: turned,
    variable: { ...bodies(root.variable)[0], ...knobs },
    output: { nodes: { value: `\${module.${poolModule(grows)}.nodes}` } },
  };
}

function withoutBackend(root: RootModule): RootModule {
  const { backend: _, ...terraform } = bodies(root.terraform)[0] ?? {};
  return { ...root, terraform };
}

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
  /** What a pool says that the schema of the type accepts. */
  properties: z.record(z.string(), z.unknown()).optional(),
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

function sampleNames(provider: ProviderInstance, { zone = 'example.com' }: SampleWords = {}): DnsState {
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
      ...(words.properties && { properties: words.properties }),
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
