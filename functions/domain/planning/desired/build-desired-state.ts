/** The desired state of one cluster: what the manifest asks for, with the names and addresses of what exists already. */
import { addressSource, subnetSource } from '#domain/addresses.ts';
import type { DocumentState } from '#domain/cluster-documents.ts';
import {
  type ApiEndpoint,
  allPools,
  type ClusterState,
  type LoadBalancerState,
  type NodePoolState,
  type ProviderInstance,
} from '#domain/cluster-state.ts';
import { PipelineError } from '#domain/errors.ts';
import { replaceablePools } from '#domain/manifest/replaceable-pools.ts';
import { dnsForm, type HashSource, hashedId } from '#domain/naming.ts';
import { providerTypeFacts } from '#domain/provider-types.ts';
import type { InputManifest, KubernetesCluster } from '../../manifest/schema/input-manifest.ts';
import { locatorOf } from '../../manifest/schema/secret-source.ts';
import { targetsApi } from '../states/role-targets.ts';
import { desiredDocuments, type Storage } from './desired-documents.ts';
import { desiredLoadBalancers } from './desired-load-balancers.ts';
import { desiredPools, type HeldPoolUse, type PoolSources, useKey } from './desired-pools.ts';
import { kubernetesOptions } from './kubernetes-options.ts';

/** Version of the templates that come with Kubeloom. */
export const builtinTemplates = 'builtin@1';

export interface DesiredStateInput {
  readonly manifest: InputManifest;
  /** Name of the cluster. */
  readonly cluster: string;
  /** The current state. */
  readonly current: ClusterState | null;
  /** The attempted state that was interrupted; its machines may exist and are adopted where they are still desired. */
  readonly attempted: ClusterState | null;
  /** Resolved version of the templates of each provider instance, by its name; without one, `builtinTemplates`. Of documents by `documentsKey`. */
  readonly templates: Readonly<Record<string, string>>;
  /** Locator of the Secret that opens their repository, by the same name. @default the repositories are public */
  readonly templateSecrets?: Readonly<Record<string, string>>;
  readonly ids: HashSource;
  /** Pools that could not be created: nodes that do not exist are not desired, existing ones stay as they are. @default none */
  readonly heldPools?: readonly HeldPoolUse[];
  /** Names of dynamic nodes that are removed; where the pool keeps its number, others take their place before. @default none */
  readonly leaving?: readonly string[];
  /** Names of nodes that are not healthy: of a machine group that gets smaller they leave first. @default none */
  readonly unhealthy?: readonly string[];
  /** Nodes of autoscaled pools by name; the bounds of the pool apply. @default as many as exist */
  readonly sizes?: Readonly<Record<string, number>>;
  /** For a new cluster whose manifest names none. @default none */
  readonly defaultStorage?: Storage;
  /** Base URL under which agents in clusters reach the API. @default they do not */
  readonly agentUrl?: string;
  /** Authority that they trust for it, PEM. @default those that Node trusts */
  readonly agentCa?: string;
  /** Types of the providers whose control nodes reach it. @default all */
  readonly agentProviders?: readonly string[];
  /** Documents of management planes, by the name of the cluster. @default none */
  readonly planes?: Readonly<Record<string, readonly DocumentState[]>>;
}

/** Builds it; null when the manifest does not have the cluster. Throws `PlanRefused` when names or addresses run out. */
export function buildDesiredState(input: DesiredStateInput): ClusterState | null {
  const { manifest, current, attempted, ids } = input;
  const cluster = manifest.spec.kubernetes.clusters.find((candidate) => candidate.name === input.cluster);
  if (cluster === undefined) return null;
  const existing = [current, attempted].filter((state) => state !== null);
  const sources = poolSources(input, cluster, existing);
  const use = (role: 'control' | 'compute' | 'machine') => (name: string) =>
    desiredPools({ name, role, current: current?.pools ?? [], attempted: attempted?.pools ?? [] }, sources);
  const { control, compute } = cluster.pools;
  const pools = cluster.machinesOnly
    ? compute.flatMap(use('machine'))
    : [...control.flatMap(use('control')), ...compute.flatMap(use('compute'))];
  const targets = new Set(pools.map((pool) => pool.name));
  const loadBalancers = desiredLoadBalancers(cluster, { current, attempted, targets }, sources);
  return {
    id: (current ?? attempted)?.id ?? hashedId(cluster.name, ids, new Set()),
    name: cluster.name,
    kubernetesVersion: cluster.version.replace(/^v/, ''),
    network: cluster.network,
    ...(cluster.meshless && { meshless: true as const }),
    // Where pools are held, the endpoint waits for a load balancer that has nodes.
    apiEndpoint: cluster.machinesOnly
      ? { kind: 'none' }
      : apiEndpoint(pools, loadBalancers, { existing, waits: sources.held.size > 0 }),
    installationProxy: installationProxy(cluster, pools),
    ...kubernetesOptions(cluster),
    ...(!cluster.machinesOnly &&
      desiredDocuments(cluster, {
        existing,
        pools,
        loadBalancers,
        defaultStorage: input.defaultStorage ?? 'none',
        agentUrl: input.agentUrl ?? '',
        agentCa: input.agentCa ?? '',
        agentProviders: input.agentProviders ?? [],
        plane: input.planes?.[cluster.name] ?? [],
        templates: input.templates,
        templateSecrets: input.templateSecrets ?? {},
      })),
    pools,
    loadBalancers,
    ...(cluster.protect ? { protect: true } : {}),
  };
}

function poolSources(
  {
    manifest,
    templates,
    templateSecrets = {},
    ids,
    heldPools = [],
    leaving = [],
    unhealthy = [],
    sizes = {},
  }: DesiredStateInput,
  cluster: KubernetesCluster,
  existing: readonly ClusterState[],
): PoolSources {
  const pools = existing.flatMap(allPools);
  const subnets = pools.flatMap(({ source }) =>
    source.kind === 'static' ? [] : [{ provider: source.provider.name, region: source.region, subnet: source.subnet }],
  );
  return {
    manifest,
    ids,
    addresses: addressSource(
      cluster.network,
      pools.flatMap(({ nodes }) => nodes.map(({ privateAddress }) => privateAddress)),
    ),
    subnets: subnetSource(cluster.network, subnets),
    takenIds: new Set([
      ...pools.map((pool) => pool.id),
      ...existing.flatMap((state) => state.loadBalancers.map((loadBalancer) => loadBalancer.id)),
      ...manifest.spec.nodePools.static.map((pool) => dnsForm(pool.name)),
    ]),
    provider: (name) => providerInstance(manifest, name, { templates, templateSecrets }),
    held: new Set(heldPools.map(useKey)),
    leaving: new Set(leaving),
    unhealthy: new Set(unhealthy),
    sizes: new Map(Object.entries(sizes)),
    replaceable: replaceablePools(manifest),
  };
}

function providerInstance(
  manifest: InputManifest,
  name: string,
  { templates, templateSecrets }: Required<Pick<DesiredStateInput, 'templates' | 'templateSecrets'>>,
): ProviderInstance {
  const provider = manifest.spec.providers.find((candidate) => candidate.name === name);
  if (provider === undefined) {
    throw new PipelineError('InvalidManifest', `there is no provider "${name}"; add it to spec.providers`);
  }
  const { secretRef } = provider;
  return {
    name,
    type: provider.plugin?.name ?? provider.providerType,
    ...(secretRef ? { secret: locatorOf(secretRef, manifest.metadata.namespace) } : {}),
    templates: templates[name] ?? builtinTemplates,
    ...(templateSecrets[name] === undefined ? {} : { templatesSecret: templateSecrets[name] }),
  };
}

/** A load balancer with the API role, else a control node; the existing one is kept while it is valid. */
function apiEndpoint(
  pools: readonly NodePoolState[],
  loadBalancers: readonly LoadBalancerState[],
  { existing, waits }: { readonly existing: readonly ClusterState[]; readonly waits: boolean },
): ApiEndpoint {
  const serving = loadBalancers.filter(targetsApi);
  const ready = serving.filter((loadBalancer) => loadBalancer.pools.some((pool) => pool.nodes.length > 0));
  const balancers = serving.map((loadBalancer) => loadBalancer.name);
  const control = pools.filter((pool) => pool.role === 'control').flatMap((pool) => pool.nodes.map(({ name }) => name));
  const known = existing.map((state) => state.apiEndpoint);
  const keptBalancer = known.find((end) => end.kind === 'loadBalancer' && balancers.includes(end.loadBalancer));
  if (keptBalancer !== undefined) return keptBalancer;
  const [balancer] = waits ? ready : serving;
  if (balancer !== undefined) return { kind: 'loadBalancer', loadBalancer: balancer.name };
  const keptNode = known.find((end) => end.kind === 'node' && control.includes(end.node));
  return keptNode ?? { kind: 'node', node: control[0] ?? '' };
}

function installationProxy(
  cluster: KubernetesCluster,
  pools: readonly NodePoolState[],
): ClusterState['installationProxy'] {
  const { mode, endpoint, noProxy } = cluster.installationProxy;
  const proxied = pools.some(
    ({ source }) => source.kind === 'dynamic' && providerTypeFacts(source.provider.type)?.proxied === true,
  );
  if (endpoint === undefined || mode === 'off' || (mode === 'default' && !proxied))
    return { enabled: false, endpoint: '', noProxy: [] };
  const hosts = noProxy.split(',').map((host) => host.trim());
  return { enabled: true, endpoint, noProxy: [...new Set(hosts.filter(Boolean))] };
}
