/** The state of one cluster: a waypoint, the stored record, and the target of every tool. */
import { z } from 'zod';
import { DocumentFacts, DocumentState } from './cluster-documents.ts';
import { Expiries } from './expiry.ts';
import { HealthCheck } from './health-check.ts';
import { isMap } from './json.ts';
import { KubernetesOptions } from './kubernetes-options.ts';
import { HostName, MachineName } from './observed/closed-texts.ts';
import { NodeFacts } from './observed/node-facts.ts';

/** True, or absent. One schema for all of them: each is made at each cold start of a function. */
const flag = z.literal(true).optional();

/** A provider instance: one set of credentials of one cloud, known by its name, never by its type. */
export const ProviderInstance = z.strictObject({
  name: z.string(),
  type: z.string().describe('key of `provider-types.ts`'),
  /** Where the credentials are: `<namespace>/<name>` of a Secret; absent for types that need none (local, sim). */
  secret: z.string().optional(),
  /** Version of the templates that made it: `builtin@<version>`, or see `template-version.ts`. */
  templates: z.string(),
  /** Secret with the token of a private template repository, as `secret`. */
  templatesSecret: z.string().optional(),
});
export type ProviderInstance = z.infer<typeof ProviderInstance>;

export const Taint = z.strictObject({
  key: z.string(),
  value: z.string().optional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
});
export type Taint = z.infer<typeof Taint>;

export const NodeState = z.strictObject({
  /** Host name and Kubernetes node name, unique in the cluster: `<pool id>-<2 hex>`; for static pools `<pool>-<2 hex>`. */
  name: z.string(),
  /** WireGuard address out of the cluster network; kept for the node's life. */
  privateAddress: z.string(),
  /** Static nodes only: where and as whom to reach the machine. */
  static: z.strictObject({ endpoint: z.string(), username: z.string(), secret: z.string() }).optional(),
  /** Only while a machine group is changed in place: what the machine still has, where that is not what its group has. */
  serverType: z.string().optional(),
});
export type NodeState = z.infer<typeof NodeState>;

export const MachineSpec = z.strictObject({
  cpuCount: z.number().int().optional(),
  /** GB */
  memory: z.number().int().optional(),
  nvidiaGpuCount: z.number().int().optional(),
  nvidiaGpuType: z.string().optional(),
});
export type MachineSpec = z.infer<typeof MachineSpec>;

export const DynamicSource = z.strictObject({
  kind: z.literal('dynamic'),
  provider: ProviderInstance,
  region: z.string(),
  zone: z.string().optional(),
  externalNetworkName: z.string().optional(),
  serverType: z.string(),
  image: z.string(),
  /** GB of the data disk; 0 = none. */
  storageDiskSize: z.number().int(),
  machineSpec: MachineSpec.optional(),
  /** What only a provider type from elsewhere knows; absent where there is nothing. */
  properties: z.record(z.string(), z.unknown()).optional(),
  spot: z.boolean(),
  /** Cloud subnet of the pool: `10.0.<x>.0/24`, x unique per provider instance and region. */
  subnet: z.string(),
});
export type DynamicSource = z.infer<typeof DynamicSource>;

const StaticSource = z.strictObject({ kind: z.literal('static') });

const OpenPort = z.strictObject({ protocol: z.enum(['tcp', 'udp']), port: z.number().int() });

/** `machine`: a machine group, without Kubernetes. */
export const poolRoles = ['control', 'compute', 'loadBalancer', 'machine'] as const;

export const NodePoolState = z.strictObject({
  /** Dynamic: `<name>-<7 char hash>`, one for each use of the blueprint; static: the name. */
  id: z.string(),
  name: z.string(),
  role: z.enum(poolRoles),
  source: z.discriminatedUnion('kind', [DynamicSource, StaticSource]),
  sshPort: z.number().int(),
  autoscaler: z
    .strictObject({
      min: z.number().int(),
      max: z.number().int(),
      /** The pool with the highest one grows first, where pods fit into several. */
      priority: z.number().int().optional(),
      /** The cheapest pool of the cluster grows first. */
      price: flag,
      /** In place of the list price. */
      monthlyPrice: z.strictObject({ currency: z.string(), amount: z.number() }).optional(),
    })
    .optional(),
  labels: z.record(z.string(), z.string()),
  annotations: z.record(z.string(), z.string()),
  taints: z.array(Taint),
  nodes: z.array(NodeState),
  /** Present when the user protects the pool: no plan may remove it, or a node of it. */
  protect: flag,
  /** Machine groups only: the user's script, run as root on each machine; present where there is one. */
  boot: z.string().optional(),
  /** Machine groups only: machines on which a changed script runs at once; 1 when absent. */
  bootAtOnce: z.number().int().optional(),
  /** Machine groups only: ports open to all addresses; absent if no port is open. */
  openPorts: z.array(OpenPort).optional(),
  /** Machine groups only: where their machines become others, so many old ones are removed before new ones are made; absent: none. */
  replaceAtOnce: z.number().int().optional(),
  /** Machine groups only: another server type is given to the machines that exist, which restart. */
  resizeInPlace: flag,
  /** Machine groups only: machines that are changed in place at once; 1 when absent. */
  resizeAtOnce: z.number().int().optional(),
  /** Machine groups only: what its machines are asked; absent where there is nothing. */
  health: z.array(HealthCheck).optional(),
});
export type NodePoolState = z.infer<typeof NodePoolState>;

export const RoleState = z.strictObject({
  name: z.string(),
  protocol: z.enum(['tcp', 'udp']),
  port: z.number().int(),
  targetPort: z.number().int(),
  /** Names of node pools (not ids): a pool used as control and compute is targeted in both uses, the API role only as control. */
  targetPools: z.array(z.string()),
  proxyProtocol: z.boolean(),
  stickySessions: z.boolean(),
  /** True for the role that serves the Kubernetes API (target port 6443). */
  servesApi: z.boolean(),
});
export type RoleState = z.infer<typeof RoleState>;

export const DnsState = z.strictObject({
  zone: z.string(),
  provider: ProviderInstance,
  hostname: z.string(),
  alternativeNames: z.array(z.string()),
});
export type DnsState = z.infer<typeof DnsState>;

export const LoadBalancerState = z.strictObject({
  /** `<name>-<7 char hash>` */
  id: z.string(),
  name: z.string(),
  roles: z.array(RoleState),
  dns: DnsState,
  pools: z.array(NodePoolState),
});
export type LoadBalancerState = z.infer<typeof LoadBalancerState>;

export const ApiEndpoint = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('node'), node: z.string() }),
  z.strictObject({ kind: z.literal('loadBalancer'), loadBalancer: z.string() }),
  /** Machine groups: there is no Kubernetes. */
  z.strictObject({ kind: z.literal('none') }),
]);
export type ApiEndpoint = z.infer<typeof ApiEndpoint>;

/** One cluster with its load balancers. A value of this type is a waypoint: complete, and it works. */
export const ClusterState = z.strictObject({
  /** `<name>-<7 char hash>` */
  id: z.string(),
  name: z.string(),
  /** Semver without a leading v; empty where there is no Kubernetes, see `hasKubernetes`. */
  kubernetesVersion: z.string(),
  /** IPv4 CIDR of the WireGuard network. */
  network: z.string(),
  /** Machine groups only: there is no WireGuard, and addresses out of `network` are on no machine. */
  meshless: flag,
  apiEndpoint: ApiEndpoint,
  /** Present only while the endpoint moves from a node to a load balancer: see `servesApiOnNodes`. */
  apiPortOpen: flag,
  installationProxy: z.strictObject({ enabled: z.boolean(), endpoint: z.string(), noProxy: z.array(z.string()) }),
  /** Absent where nothing differs from the usual. */
  kubernetesOptions: KubernetesOptions.optional(),
  /** What serves volume claims; absent: nothing of Kubeloom's. A new cluster has it before it has the documents. */
  storage: z.literal('longhorn').optional(),
  /** In the order in which they are applied; absent if the list is empty. */
  documents: z.array(DocumentState).optional(),
  pools: z.array(NodePoolState),
  loadBalancers: z.array(LoadBalancerState),
  /** Present when the user protects the cluster: no plan may delete it. */
  protect: flag,
});
export type ClusterState = z.infer<typeof ClusterState>;

const LoadBalancerFacts = z.strictObject({ endpoint: HostName });

const FactsOfCluster = z.strictObject({
  nodes: z.record(MachineName, NodeFacts),
  /** By load balancer name: host name or address under which it is reached. */
  loadBalancers: z.record(MachineName, LoadBalancerFacts),
  /** Artifact key of the kubeconfig, once Kubernetes runs. */
  kubeconfigKey: z.string().optional(),
  /** What ends of what is in it. */
  kubeconfigExpiries: Expiries,
  /** By name: the documents that were applied. */
  documents: z.record(z.string(), DocumentFacts).optional(),
  /**
   * The agent in the cluster: SHA-256 of its token, in hex; `before` and `older`: of those that it may still have; `pending`: no cluster has
   * the new one yet; `appliedAt`, ISO 8601: since when it has. Facts of older versions have neither of the two.
   */
  agent: z
    .strictObject({
      tokenHash: z.string(),
      before: z.string().optional(),
      older: z.string().optional(),
      pending: flag,
      appliedAt: z.string().optional(),
    })
    .optional(),
  /** The simulated parts of this cluster, for people ("control plane", "machines"); empty = all real. */
  simulated: z.array(z.string()),
  /** Ids of new pools of the current waypoint that could not be created: later stages work without them. */
  failedPools: z.array(z.string()).optional(),
});

/**
 * What an older version stored under what is not a name, or as an address that does not have the form of one, counts as unknown, and the rest is read.
 * Until 0.1.0 failed pools were stored as `lostPools`.
 */
export const ClusterFacts = z.preprocess((stored) => {
  if (!isMap(stored)) return stored;
  const { nodes, loadBalancers, lostPools, ...rest } = stored;
  return {
    ...rest,
    ...(lostPools ? { failedPools: lostPools } : {}),
    nodes: known(nodes, ([name]) => isName(name)),
    loadBalancers: known(loadBalancers, ([name, one]) => isName(name) && LoadBalancerFacts.safeParse(one).success),
  };
}, FactsOfCluster);

const isName = (text: string): boolean => MachineName.safeParse(text).success;

function known(stored: unknown, isKnown: (entry: readonly [string, unknown]) => boolean): unknown {
  return isMap(stored) ? Object.fromEntries(Object.entries(stored).filter(isKnown)) : stored;
}

export type ClusterFacts = z.infer<typeof ClusterFacts>;

export const noFacts: ClusterFacts = { nodes: {}, loadBalancers: {}, simulated: [] };

/** What a machine has; '' where it is not ours. */
export function serverTypeOf({ serverType }: NodeState, { source }: NodePoolState): string {
  return source.kind === 'static' ? '' : (serverType ?? source.serverType);
}

/** Every pool of a cluster: Kubernetes pools first, then those of the load balancers. */
export function allPools(state: ClusterState): readonly NodePoolState[] {
  return [...state.pools, ...state.loadBalancers.flatMap((lb) => lb.pools)];
}

/** Every node of a cluster with the pool it belongs to. */
export function allNodes(state: ClusterState): readonly { readonly node: NodeState; readonly pool: NodePoolState }[] {
  return allPools(state).flatMap((pool) => pool.nodes.map((node) => ({ node, pool })));
}

/** False for machine groups. */
export function hasKubernetes({ apiEndpoint }: ClusterState): boolean {
  return apiEndpoint.kind !== 'none';
}

/** True when port 6443 of the control nodes is open to the outside: a node is the endpoint, or was until just now. */
export function servesApiOnNodes(state: ClusterState): boolean {
  return state.apiPortOpen ?? state.apiEndpoint.kind === 'node';
}
