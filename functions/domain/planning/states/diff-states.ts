/** The typed differences between two states of a cluster: everything that differs is named, order never matters. */
import { clusterDocumentChanges } from '#domain/cluster-documents.ts';
import {
  type ClusterState,
  type LoadBalancerState,
  type NodePoolState,
  servesApiOnNodes,
} from '#domain/cluster-state.ts';
import { cniOf, differingOptions } from '#domain/kubernetes-options.ts';
import type { Change } from '#domain/plan.ts';
import { sameValue } from '#domain/same-value.ts';
import { diffLoadBalancer } from './diff-load-balancers.ts';
import { diffPool, poolAdded, poolRemoved } from './diff-pools.ts';

/** The changes from one state to the other; null = nothing exists. */
export function diffStates(from: ClusterState | null, to: ClusterState | null): Change[] {
  if (from === null && to === null) return [];
  if (from === null) return to === null ? [] : created(to);
  if (to === null) return deleted(from);
  if (from.id !== to.id) return [...deleted(from), ...created(to)];
  return [
    ...diffCluster(from, to),
    ...diffPools(from.pools, to.pools),
    ...diffLoadBalancers(from, to),
    ...diffProviders(from, to),
  ];
}

/** True when the two mean the same, in whatever order they list it. */
export function sameState(left: ClusterState | null, right: ClusterState | null): boolean {
  return left === right || diffStates(left, right).length === 0;
}

/** The API endpoint in words. */
export function endpointText(state: ClusterState): string {
  const { apiEndpoint } = state;
  if (apiEndpoint.kind === 'none') return 'none';
  return apiEndpoint.kind === 'node' ? `node ${apiEndpoint.node}` : `load balancer ${apiEndpoint.loadBalancer}`;
}

/** Key under which pools are compared: a static pool that changes its role leaves and comes back. */
export function poolKey(pool: NodePoolState): string {
  return `${pool.role} ${pool.source.kind} ${pool.id}`;
}

function created(state: ClusterState): Change[] {
  return [
    { kind: 'ClusterCreated', cluster: state.name },
    ...state.pools.map(poolAdded),
    ...state.loadBalancers.flatMap(loadBalancerAdded),
  ];
}

function deleted(state: ClusterState): Change[] {
  return [
    { kind: 'ClusterDeleted', cluster: state.name },
    ...state.pools.map(poolRemoved),
    ...state.loadBalancers.flatMap(loadBalancerRemoved),
  ];
}

function networkOf({ network, meshless }: ClusterState): string {
  return meshless ? 'none' : network;
}

function diffCluster(from: ClusterState, to: ClusterState): Change[] {
  const changes: Change[] = [];
  const [before, after] = [networkOf(from), networkOf(to)];
  if (before !== after) changes.push({ kind: 'NetworkChanged', from: before, to: after });
  if (from.kubernetesVersion !== to.kubernetesVersion) {
    changes.push({ kind: 'KubernetesUpgraded', from: from.kubernetesVersion, to: to.kubernetesVersion });
  }
  if (endpointText(from) !== endpointText(to)) {
    changes.push({ kind: 'ApiEndpointMoved', from: endpointText(from), to: endpointText(to) });
  }
  if (servesApiOnNodes(from) !== servesApiOnNodes(to)) {
    changes.push({ kind: 'ApiPortChanged', open: servesApiOnNodes(to) });
  }
  if (proxyText(from) !== proxyText(to)) {
    const { enabled, endpoint } = to.installationProxy;
    changes.push({ kind: 'InstallationProxyChanged', enabled, endpoint });
  }
  const options = differingOptions(from.kubernetesOptions, to.kubernetesOptions);
  if (options.length > 0) changes.push({ kind: 'KubernetesOptionsChanged', options: [...options] });
  if (cniOf(from) !== cniOf(to)) changes.push({ kind: 'CniChanged', from: cniOf(from), to: cniOf(to) });
  const [storageBefore, storageAfter] = [from.storage ?? 'none', to.storage ?? 'none'];
  if (storageBefore !== storageAfter) changes.push({ kind: 'StorageChanged', from: storageBefore, to: storageAfter });
  const { added, changed, removed } = clusterDocumentChanges(from.documents, to.documents);
  const names = (documents: readonly { readonly name: string }[]) => documents.map(({ name }) => name);
  if (added.length + changed.length + removed.length > 0) {
    const which = { added: names(added), removed: names(removed), changed: names(changed) };
    changes.push({ kind: 'DocumentsChanged', ...which });
  }
  if (from.protect !== to.protect) {
    changes.push({ kind: 'ProtectionChanged', what: `cluster ${to.name}`, protect: to.protect === true });
  }
  return changes;
}

function diffPools(from: readonly NodePoolState[], to: readonly NodePoolState[]): Change[] {
  const before = new Map(from.map((pool) => [poolKey(pool), pool]));
  const after = new Set(to.map(poolKey));
  return [
    ...to.flatMap((pool) => {
      const known = before.get(poolKey(pool));
      if (known === undefined) return [poolAdded(pool)];
      return sameValue(known, pool) ? [] : diffPool(known, pool);
    }),
    ...from.filter((pool) => !after.has(poolKey(pool))).map(poolRemoved),
  ];
}

function diffLoadBalancers(from: ClusterState, to: ClusterState): Change[] {
  const before = new Map(from.loadBalancers.map((loadBalancer) => [loadBalancer.id, loadBalancer]));
  const after = new Set(to.loadBalancers.map((loadBalancer) => loadBalancer.id));
  return [
    ...to.loadBalancers.flatMap((loadBalancer) => {
      const known = before.get(loadBalancer.id);
      if (known === undefined) return loadBalancerAdded(loadBalancer);
      return [
        ...diffLoadBalancer({ state: from, loadBalancer: known }, { state: to, loadBalancer }),
        ...diffPools(known.pools, loadBalancer.pools),
      ];
    }),
    ...from.loadBalancers.filter((loadBalancer) => !after.has(loadBalancer.id)).flatMap(loadBalancerRemoved),
  ];
}

function loadBalancerAdded({ name, pools }: LoadBalancerState): Change[] {
  return [{ kind: 'LoadBalancerAdded', loadBalancer: name }, ...pools.map(poolAdded)];
}

function loadBalancerRemoved({ name, pools }: LoadBalancerState): Change[] {
  return [{ kind: 'LoadBalancerRemoved', loadBalancer: name }, ...pools.map(poolRemoved)];
}

/** Credentials and templates, once for each provider instance and kind of change. */
function diffProviders(from: ClusterState, to: ClusterState): Change[] {
  const before = new Map(uses(from).map((use) => [use.key, use.provider] as const));
  const seen = new Set<string>();
  return uses(to).flatMap(({ key, provider }): Change[] => {
    const known = before.get(key);
    if (known === undefined || known.name !== provider.name) return [];
    const whats = [
      ...(known.secret === provider.secret
        ? []
        : [`credentials ${known.secret ?? 'none'} → ${provider.secret ?? 'none'}`]),
      ...(known.templates === provider.templates ? [] : [`templates ${known.templates} → ${provider.templates}`]),
    ];
    return whats
      .filter((what) => !seen.has(`${provider.name} ${what}`))
      .map((what) => {
        seen.add(`${provider.name} ${what}`);
        return { kind: 'ProviderChanged', provider: provider.name, what };
      });
  });
}

function uses(
  state: ClusterState,
): readonly { key: string; provider: ClusterState['loadBalancers'][number]['dns']['provider'] }[] {
  const ofPool = (pool: NodePoolState) =>
    pool.source.kind === 'dynamic' ? [{ key: `pool ${poolKey(pool)}`, provider: pool.source.provider }] : [];
  return [
    ...state.pools.flatMap(ofPool),
    ...state.loadBalancers.flatMap((loadBalancer) => [
      ...loadBalancer.pools.flatMap(ofPool),
      { key: `dns ${loadBalancer.id}`, provider: loadBalancer.dns.provider },
    ]),
  ];
}

function proxyText({ installationProxy: { enabled, endpoint, noProxy } }: ClusterState): string {
  return JSON.stringify([enabled, endpoint, [...noProxy].sort()]);
}
