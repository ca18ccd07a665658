/** The documents that a cluster is to have: those of its agent, its storage, its autoscaler and its monitoring, as its manifest changes them, and its own. */
import { autoscalerImage } from '#domain/autoscaler-image.ts';
import { type BuiltinName, isBuiltin } from '#domain/builtin-documents.ts';
import { builtinDocument, type DocumentState } from '#domain/cluster-documents.ts';
import type { ClusterState, LoadBalancerState, NodePoolState, Taint } from '#domain/cluster-state.ts';
import { takesStorage } from '#domain/node-labels.ts';
import { documentsKey } from '#domain/template-version.ts';
import type { KubernetesCluster } from '../../manifest/schema/input-manifest.ts';
import { growthOrder } from './growth-order.ts';
import { poolTaints, storageTag } from './node-metadata.ts';
import { noticeValues } from './notice-values.ts';

export type Storage = 'longhorn' | 'none';

export interface DocumentSources {
  /** The current state, and the attempted one. */
  readonly existing: readonly ClusterState[];
  readonly pools: readonly NodePoolState[];
  readonly loadBalancers: readonly LoadBalancerState[];
  /** For a new cluster whose manifest names none. */
  readonly defaultStorage: Storage;
  /** Base URL under which an agent in the cluster reaches the API; empty: it does not. */
  readonly agentUrl: string;
  /** Authority that agents trust for it, PEM; empty: those that Node trusts. */
  readonly agentCa: string;
  /** Types of the providers whose control nodes reach it; empty: all. */
  readonly agentProviders: readonly string[];
  /** Versions of templates, and Secrets that open their repositories, by `documentsKey`. */
  readonly templates: Readonly<Record<string, string>>;
  readonly templateSecrets: Readonly<Record<string, string>>;
  /** Documents of the management plane on it. */
  readonly plane: readonly DocumentState[];
}

/** A manifest that names no storage keeps what the cluster has; a cluster without compute nodes that have no taints gets none unasked. */
export function desiredDocuments(
  cluster: KubernetesCluster,
  {
    existing,
    pools,
    loadBalancers,
    defaultStorage,
    agentUrl,
    agentCa,
    agentProviders,
    templates,
    templateSecrets,
    plane,
  }: DocumentSources,
): Pick<ClusterState, 'storage' | 'documents'> {
  const [known] = existing;
  const kept = known === undefined ? defaultFor(pools, defaultStorage) : (known.storage ?? 'none');
  const storage = cluster.storage ?? kept;
  const hasAgent = agentUrl !== '' && reachesApi(pools, agentProviders) && !isOff(cluster, 'kubeloom-agent');
  const builtin = [
    ...(hasAgent ? [agentDocument(cluster, pools, agentUrl, agentCa)] : []),
    ...(storage === 'longhorn' ? longhornDocuments(pools) : []),
    ...(hasAgent && isAutoscaled(pools) ? [autoscalerDocument(cluster, pools, { api: agentUrl, ca: agentCa })] : []),
    ...(cluster.documents?.some(({ name }) => name === 'monitoring') ? [monitoringDocument(loadBalancers)] : []),
  ];
  const entries = (cluster.documents ?? []).map(({ name, enabled, inline, templatesRef }): Entry => {
    const key = documentsKey(cluster.name, name);
    const version = templatesRef && templates[key];
    const secret = templateSecrets[key];
    const git = version === undefined ? {} : { git: { version, ...(secret && { templatesSecret: secret }) } };
    return { name, enabled, inline, ...git };
  });
  // What a plane needs of the cluster's own documents is there before it.
  const documents = [...withOwn(builtin, entries), ...plane];
  return {
    ...(storage === 'none' ? {} : { storage }),
    ...(documents.length === 0 ? {} : { documents: [...documents] }),
  };
}

/** Without a node that it can run on, Longhorn would wait for one for ever. */
function defaultFor(pools: readonly NodePoolState[], storage: Storage): Storage {
  const open = computePools(pools).some(
    (pool) => pool.nodes.length > 0 && (keptAway(pool).length === 0 || takesStorage(pool.labels)),
  );
  return open ? storage : 'none';
}

/** Taints that keep pods off the nodes of a pool. */
function keptAway(pool: NodePoolState): readonly Taint[] {
  return poolTaints(pool).filter(({ effect }) => effect !== 'PreferNoSchedule');
}

/** `key=value:NoSchedule`, as Longhorn's settings have taints, and `renderDocument` those that DaemonSets tolerate. */
function taintText({ key, value = '', effect }: Taint): string {
  return `${key}${value === '' ? '' : `=${value}`}:${effect}`;
}

/** Longhorn with its settings, and a class for each provider instance that has compute nodes. */
function longhornDocuments(pools: readonly NodePoolState[]): readonly DocumentState[] {
  const compute = computePools(pools);
  const tags = [...new Set(compute.map(storageTag))].sort();
  const tainted = compute.filter(({ labels }) => takesStorage(labels)).flatMap(keptAway);
  const tolerations = [...new Set(tainted.map(taintText))].sort();
  const taintToleration = tolerations.length === 0 ? '' : `\ntaint-toleration: "${tolerations.join(';')}"`;
  return [
    builtinDocument('longhorn', { autoscaled: String(isAutoscaled(pools)), tolerations, taintToleration }),
    builtinDocument('longhorn-classes', { zone: tags }),
  ];
}

/** It reports nodes of each cluster that reaches the API, and has the program and the token of the autoscaler's agent. */
function agentDocument(
  { installationProxy }: KubernetesCluster,
  pools: readonly NodePoolState[],
  api: string,
  ca: string,
): DocumentState {
  return builtinDocument('kubeloom-agent', { api, ca, ...proxyOfAgent(installationProxy), ...noticeValues(pools) });
}

/** Agents run on control nodes. */
function reachesApi(pools: readonly NodePoolState[], providers: readonly string[]): boolean {
  if (providers.length === 0) return true;
  const control = pools.filter(({ role }) => role === 'control');
  return control.every(({ source }) => source.kind === 'dynamic' && providers.includes(source.provider.type));
}

function isOff({ documents = [] }: KubernetesCluster, builtin: BuiltinName): boolean {
  return documents.some(({ name, enabled }) => name === builtin && !enabled);
}

/** It comes with the first autoscaled pool and goes with the last; bounds of pools are the API's to know, their order is the autoscaler's. */
function autoscalerDocument(
  { version, installationProxy }: KubernetesCluster,
  pools: readonly NodePoolState[],
  access: { readonly api: string; readonly ca: string },
): DocumentState {
  const order = growthOrder(computePools(pools));
  const values = { image: autoscalerImage(version), ...access, ...proxyOfAgent(installationProxy), ...order };
  return builtinDocument('autoscaler', values);
}

/**
 * The agent's way to the API: a proxy that the manifest asks for. Not one that is on by default: that is for downloads, and its nodes reach
 * the internet without it.
 */
function proxyOfAgent({ mode, endpoint, noProxy }: KubernetesCluster['installationProxy']): DocumentState['values'] {
  if (mode !== 'on' || endpoint === undefined) return { proxy: '', noProxy: '' };
  const hosts = noProxy.split(',').map((host) => host.trim());
  return {
    proxy: endpoint.includes('://') ? endpoint : `http://${endpoint}`,
    noProxy: [...new Set(['127.0.0.1', 'localhost', '.svc', ...hosts.filter(Boolean)])].join(','),
  };
}

/** It comes when the manifest names it, and follows the load balancers. */
function monitoringDocument(loadBalancers: readonly LoadBalancerState[]): DocumentState {
  const nodes = loadBalancers.flatMap(({ pools }) => pools).flatMap((pool) => pool.nodes);
  return builtinDocument('monitoring', { balancer: nodes.map(({ privateAddress }) => privateAddress).sort() });
}

function isAutoscaled(pools: readonly NodePoolState[]): boolean {
  return computePools(pools).some(({ autoscaler }) => autoscaler !== undefined);
}

function computePools(pools: readonly NodePoolState[]): readonly NodePoolState[] {
  return pools.filter(({ role }) => role === 'compute');
}

interface Entry {
  readonly name: string;
  readonly enabled: boolean;
  readonly inline: string | undefined;
  readonly git?: Pick<DocumentState, 'version' | 'templatesSecret'>;
}

/** Entries of the manifest: one that is switched off is left out, one with a text or a repository replaces that of its name or comes last. */
function withOwn(builtin: readonly DocumentState[], entries: readonly Entry[]): readonly DocumentState[] {
  const off = new Set(entries.filter(({ enabled }) => !enabled).map(({ name }) => name));
  const values = new Map(builtin.map((document) => [document.name, document.values]));
  const own = new Map(
    entries.flatMap(({ name, enabled, inline, git }): [string, DocumentState][] => {
      if (!enabled) return [];
      // Templates of a repository are filled with what those are that they replace.
      if (git !== undefined) return [[name, { name, values: values.get(name) ?? {}, ...git }]];
      return inline === undefined ? [] : [[name, { name, version: 'inline', values: {}, text: inline }]];
    }),
  );
  const known = new Set(builtin.map(({ name }) => name));
  return [
    ...builtin.filter(({ name }) => !off.has(name)).map((document) => own.get(document.name) ?? document),
    // Templates of one that the cluster does not have now have nothing to be filled with.
    ...[...own.values()].filter(({ name, text }) => !known.has(name) && (text !== undefined || !isBuiltin(name))),
  ];
}
