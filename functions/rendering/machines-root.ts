/** Root module of one provider instance of a cluster: a network for each region, a call for each node pool. */
import type {
  ClusterState,
  DynamicSource,
  MachineSpec,
  NodePoolState,
  ProviderInstance,
} from '#domain/cluster-state.ts';
import { allPools, servesApiOnNodes } from '#domain/cluster-state.ts';
import { defaultWireguardPort } from './node-access.ts';
import type { ProviderTemplate } from './provider-template.ts';
import { emptyRoot, providerChoice, type RootModule, type StateBackend } from './root-module.ts';
import { literal, networkModule, poolModule } from './terraform-names.ts';

export interface MachinesRootInput {
  /** Null: everything of the instance is to go. */
  readonly state: ClusterState | null;
  readonly provider: ProviderInstance;
  readonly template: ProviderTemplate;
  /** Regions in which the instance has something or had it: removed pools still need their provider block. */
  readonly regions: readonly string[];
  readonly backend: StateBackend;
  readonly installation: string;
  /** Directory of the provider type's modules, as Terraform should read it. */
  readonly modules: string;
  /** By pool id. */
  readonly publicKeys: Readonly<Record<string, string>>;
  /** Values of module variables that come from the runner's environment. */
  readonly extra: { readonly network: Variables; readonly nodepool: Variables };
}

type Variables = Readonly<Record<string, string>>;
export type DynamicPool = NodePoolState & { readonly source: DynamicSource };

/** The pools that a provider instance makes, load balancers' included. */
export function poolsOf(state: ClusterState | null, provider: string): readonly DynamicPool[] {
  if (state === null) return [];
  return allPools(state).filter(
    (pool): pool is DynamicPool => pool.source.kind === 'dynamic' && pool.source.provider.name === provider,
  );
}

/** Renders it. */
export function renderMachinesRoot(input: MachinesRootInput): RootModule {
  const { state, provider, template } = input;
  const pools = poolsOf(state, provider.name);
  const root = emptyRoot(template, [...input.regions, ...pools.map(({ source }) => source.region)], input.backend);
  if (state === null || pools.length === 0) return root;
  const regions = [...new Set(pools.map(({ source }) => source.region))].sort();
  return {
    ...root,
    module: {
      ...Object.fromEntries(regions.map((region) => [networkModule(region), networkCall(input, state, region, pools)])),
      ...Object.fromEntries(pools.map((pool) => [poolModule(pool.id), poolCall(input, state, pool)])),
    },
    output: {
      nodes: { value: Object.fromEntries(pools.map(({ id }) => [id, `\${module.${poolModule(id)}.nodes}`])) },
    },
  };
}

function networkCall(
  input: MachinesRootInput,
  state: ClusterState,
  region: string,
  pools: readonly DynamicPool[],
): Readonly<Record<string, unknown>> {
  const here = pools.filter(({ source }) => source.region === region);
  const ids = here.map(({ id }) => id);
  const balancers = state.loadBalancers.filter((balancer) => balancer.pools.some(({ id }) => ids.includes(id)));
  const roles = balancers.flatMap(({ name: balancer, roles: all }) =>
    all.map(({ name, protocol, port }) => ({ name: `${balancer}-${name}`, protocol, port })),
  );
  return {
    source: `${input.modules}/network`,
    ...providerChoice(input.template, region),
    ...literal({
      installation: input.installation,
      cluster_id: state.id,
      provider_name: input.provider.name,
      region,
      api_port_open: servesApiOnNodes(state) && here.some(({ role }) => role === 'control'),
      roles,
      ssh_ports: [...new Set(here.map(({ sshPort }) => sshPort))].sort((a, b) => a - b),
      wireguard_port: defaultWireguardPort,
      tags: tagsOf(input.installation, state),
      ...input.extra.network,
    }),
  };
}

function poolCall(input: MachinesRootInput, state: ClusterState, pool: DynamicPool): Readonly<Record<string, unknown>> {
  return {
    source: `${input.modules}/nodepool`,
    ...providerChoice(input.template, pool.source.region),
    network: `\${module.${networkModule(pool.source.region)}}`,
    ...literal({
      pool: poolVariable(pool),
      nodes: Object.fromEntries(pool.nodes.map(({ name }) => [name, {}])),
      ssh_public_key: input.publicKeys[pool.id] ?? '',
      tags: { ...tagsOf(input.installation, state), 'kubeloom-pool': pool.id },
      ...input.extra.nodepool,
    }),
  };
}

function poolVariable({ id, role, source }: DynamicPool): Readonly<Record<string, unknown>> {
  return {
    id,
    role,
    region: source.region,
    ...(source.zone === undefined ? {} : { zone: source.zone }),
    server_type: source.serverType,
    image: source.image,
    storage_disk_size: source.storageDiskSize,
    ...(source.externalNetworkName === undefined ? {} : { external_network_name: source.externalNetworkName }),
    ...(source.machineSpec === undefined ? {} : { machine_spec: machineSpec(source.machineSpec) }),
    spot: source.spot,
    subnet: source.subnet,
  };
}

function machineSpec(spec: MachineSpec): Readonly<Record<string, unknown>> {
  const words = {
    cpu_count: spec.cpuCount,
    memory: spec.memory,
    nvidia_gpu_count: spec.nvidiaGpuCount,
    nvidia_gpu_type: spec.nvidiaGpuType,
  };
  return Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined));
}

function tagsOf(installation: string, state: ClusterState): Variables {
  return { 'managed-by': 'kubeloom', 'kubeloom-installation': installation, 'kubeloom-cluster': state.id };
}
