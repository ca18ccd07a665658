/** Root module of one provider instance of a cluster: a network for each region, a call for each node pool. */
import type { ClusterState, DynamicSource, NodePoolState, ProviderInstance } from '#domain/cluster-state.ts';
import { allPools, servesApiOnNodes } from '#domain/cluster-state.ts';
import { moduleInputs } from '#domain/machine-fields.ts';
import { wireguardPort } from '#domain/manifest/schema/load-balancers.ts';
import { renderFirstBoot } from './first-boot.ts';
import type { ProviderTemplate } from './provider-template.ts';
import { emptyRoot, providerChoice, type RootModule, type StateBackend, secretArguments } from './root-module.ts';
import { type TagSource, tagsOf } from './tags.ts';
import { literal, modulesPath, networkModule, poolModule, providerNameIn } from './terraform-names.ts';

export interface MachinesRootInput extends TagSource {
  /** Null: everything of the instance will be deleted. */
  readonly state: ClusterState | null;
  /** States in which pools of the instance may exist that `state` does not have. */
  readonly others: readonly ClusterState[];
  readonly provider: ProviderInstance;
  readonly template: ProviderTemplate;
  readonly backend: StateBackend;
  /** Directory of the provider type's modules, as Terraform should read it; see `modulesPath`. */
  readonly modules: string;
  /** Networks from which the runner and people may use SSH. */
  readonly adminCidrs: readonly string[];
  /** See `peerCidrs`. */
  readonly peerCidrs: readonly string[];
  /** By pool id. */
  readonly publicKeys: Readonly<Record<string, string>>;
  /** Values of module variables that come from the runner's environment. */
  readonly extra: { readonly network: Variables; readonly nodepool: Variables };
}

/** A key without an owner: modules require one, also where nothing is created. */
const unownedKey = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'A'.repeat(43)} unowned`;

/** What the subnets of all pools lie in. */
const networkCidr = '10.0.0.0/16';

type Variables = Readonly<Record<string, string>>;
type Call = Readonly<Record<string, unknown>>;
export type DynamicPool = NodePoolState & { readonly source: DynamicSource };

/** The pools that a provider instance makes, load balancers' included. */
export function dynamicPoolsOf(state: ClusterState | null, provider: string): readonly DynamicPool[] {
  if (state === null) return [];
  return allPools(state).filter(
    (pool): pool is DynamicPool => pool.source.kind === 'dynamic' && pool.source.provider.name === provider,
  );
}

/** Pools of the other states that are not in `state`, each once. */
export function droppedPools(
  state: ClusterState | null,
  others: readonly ClusterState[],
  provider: string,
): readonly DynamicPool[] {
  const wanted = new Set(dynamicPoolsOf(state, provider).map(({ id }) => id));
  const known = others.flatMap((other) => dynamicPoolsOf(other, provider)).filter(({ id }) => !wanted.has(id));
  return [...new Map(known.toReversed().map((pool) => [pool.id, pool])).values()].toReversed();
}

/**
 * Renders it. What is dropped stays as a call with `count = 0`: Terraform runs the destroy provisioners of a resource,
 * and finds its provider block, only as long as the configuration has it.
 */
export function renderMachinesRoot(input: MachinesRootInput): RootModule {
  const { state, others, provider, template } = input;
  const pools = dynamicPoolsOf(state, provider.name);
  const dropped = droppedPools(state, others, provider.name);
  const places = placesOf(pools);
  const gone = placesOf(dropped).filter((place) => !places.some((kept) => moduleOf(kept) === moduleOf(place)));
  const root = emptyRoot(
    template,
    [...places, ...gone].map(({ region }) => region),
    input.backend,
  );
  if (pools.length + dropped.length === 0) return root;
  return {
    ...root,
    module: {
      ...calls(places, moduleOf, (place) => networkCall(input, place, pools)),
      ...calls(gone, moduleOf, (place) => ({ ...networkCall(input, place, []), count: 0 })),
      ...calls(
        pools,
        ({ id }) => poolModule(id),
        (pool) => poolCall(input, pool),
      ),
      ...calls(
        dropped,
        ({ id }) => poolModule(id),
        (pool) => droppedCall(input, pool, gone),
      ),
    },
    ...(pools.length === 0 ? {} : { output: outputs(input, pools) }),
  };
}

function calls<Item>(
  items: readonly Item[],
  name: (item: Item) => string,
  call: (item: Item) => Call,
): Readonly<Record<string, Call>> {
  return Object.fromEntries(items.map((item) => [name(item), call(item)]));
}

/** What has a network of its own: a region, once for each version of templates. */
export interface NetworkPlace {
  readonly region: string;
  readonly templates: string;
}

const placeOf = ({ source }: DynamicPool): NetworkPlace => ({
  region: source.region,
  templates: source.provider.templates,
});
const moduleOf = ({ region, templates }: NetworkPlace): string => networkModule(region, templates);

/** Each once, in the order of their names. */
export function placesOf(pools: readonly DynamicPool[]): readonly NetworkPlace[] {
  const places = new Map(pools.map((pool) => [moduleOf(placeOf(pool)), placeOf(pool)]));
  return [...places].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, place]) => place);
}

function outputs({ template, peerCidrs }: MachinesRootInput, pools: readonly DynamicPool[]): Call {
  const nodes = Object.fromEntries(pools.map(({ id }) => [id, `\${module.${poolModule(id)}.nodes}`]));
  if (template.firewall !== 'cloud') return { nodes: { value: nodes } };
  // Kept in the state: it shows whether the firewalls know the current nodes. It is true only once they are done.
  const networks = placesOf(pools).map((place) => `module.${moduleOf(place)}`);
  return { nodes: { value: nodes }, peer_cidrs: { value: peerCidrs, depends_on: networks } };
}

function networkCall(input: MachinesRootInput, place: NetworkPlace, pools: readonly DynamicPool[]): Call {
  const { state } = input;
  const { region, templates } = place;
  const here = pools.filter((pool) => moduleOf(placeOf(pool)) === moduleOf(place));
  const ids = here.map(({ id }) => id);
  const balancers = (state?.loadBalancers ?? []).filter(({ pools: all }) => all.some(({ id }) => ids.includes(id)));
  const roles = balancers.flatMap(({ name: balancer, roles: all }) =>
    all.map(({ name, protocol, port }) => ({ name: `${balancer}-${name}`, protocol, port })),
  );
  const servesApi = state !== null && servesApiOnNodes(state);
  return {
    source: `${modulesPath(input.modules, templates)}/network`,
    ...providerChoice(input.template, region),
    ...secretArguments(input.template),
    ...literal({
      installation: input.installation,
      cluster_id: input.clusterId,
      provider_name: providerNameIn(input.provider.name, templates),
      region,
      api_port_open: servesApi && here.some(({ role }) => role === 'control'),
      roles: [...roles, ...openPorts(here, roles)],
      ssh_ports: here.length === 0 ? [22] : [...new Set(here.map(({ sshPort }) => sshPort))].sort((a, b) => a - b),
      wireguard_port: wireguardPort,
      admin_cidrs: input.adminCidrs,
      peer_cidrs: input.peerCidrs,
      cidr: networkCidr,
      tags: tagsOf(input),
      ...input.extra.network,
    }),
  };
}

/** Ports of machine groups, in the words of roles; each once, for clouds refuse a rule that is there twice. */
function openPorts(
  pools: readonly DynamicPool[],
  roles: readonly { readonly protocol: string; readonly port: number }[],
): readonly { readonly name: string; readonly protocol: string; readonly port: number }[] {
  const open = new Map<string, { readonly protocol: string; readonly port: number }>(
    pools.flatMap((pool) => (pool.openPorts ?? []).map((one) => [`${one.protocol}-${one.port}`, one] as const)),
  );
  for (const { protocol, port } of roles) open.delete(`${protocol}-${port}`);
  return [...open].map(([key, { protocol, port }]) => ({ name: `open-${key}`, protocol, port }));
}

function poolCall(input: MachinesRootInput, pool: DynamicPool): Call {
  const publicKey = input.publicKeys[pool.id] ?? '';
  return {
    source: `${modulesPath(input.modules, pool.source.provider.templates)}/nodepool`,
    ...providerChoice(input.template, pool.source.region),
    ...secretArguments(input.template),
    network: `\${module.${moduleOf(placeOf(pool))}}`,
    ...literal({
      // Modules know the machines of a group as those of a compute pool.
      pool: { id: pool.id, role: pool.role === 'machine' ? 'compute' : pool.role, ...moduleInputs(pool.source) },
      ...propertiesOf(input, pool),
      nodes: Object.fromEntries(
        pool.nodes.map(({ name, serverType }) => [name, serverType === undefined ? {} : { server_type: serverType }]),
      ),
      ssh_public_key: publicKey,
      first_boot: renderFirstBoot({ clusterId: input.clusterId, publicKey }),
      tags: tagsOf(input, pool.id),
      ...input.extra.nodepool,
    }),
  };
}

/** A type with a schema has a variable for them, any other one has not. Of another version it is not known here. */
function propertiesOf({ template, provider }: MachinesRootInput, { source }: DynamicPool): Call {
  const { properties = {} } = source;
  const isKnown = template.properties !== undefined && source.provider.templates === provider.templates;
  return isKnown || Object.keys(properties).length > 0 ? { properties } : {};
}

function droppedCall(input: MachinesRootInput, pool: DynamicPool, gone: readonly NetworkPlace[]): Call {
  const call = poolCall({ ...input, publicKeys: { [pool.id]: unownedKey } }, { ...pool, nodes: [] });
  const network = moduleOf(placeOf(pool));
  if (!gone.some((place) => moduleOf(place) === network)) return { ...call, count: 0 };
  // A network with a count is a list, here an empty one.
  return { ...call, network: `\${one(module.${network}[*])}`, count: 0 };
}
