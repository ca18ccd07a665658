/** Typed changes as sentences, apart from nodes that are added and removed: `node-groups.ts` describes those by pool. */
import { proxyText } from '#domain/installation-proxy.ts';
import type { Change } from '#domain/plan.ts';
import { counted, listed, placeText, roleText } from '../../words.ts';
import type { PoolLabel } from './pool-labels.ts';

/** The change in words for people; empty for one that nodes or the title show already. */
export function changeSentences(change: Change, label: PoolLabel): readonly string[] {
  switch (change.kind) {
    case 'ClusterCreated':
    case 'ClusterDeleted':
    case 'NodesAdded':
    case 'NodesRemoved':
    case 'ApiEndpointMoved':
    case 'KubernetesUpgraded':
      return [];
    case 'NodePoolAdded':
    case 'NodePoolRemoved':
      return change.nodes.length > 0 ? [] : [emptyPool(change, label)];
    case 'LeftoversFound':
      return [`leftovers of an earlier attempt are removed: ${counted(change.nodes.length, 'node')}`];
    case 'LoadBalancerAdded':
      return [`load balancer ${change.loadBalancer} is made`];
    case 'LoadBalancerRemoved':
      return [`load balancer ${change.loadBalancer} is removed`];
    case 'RolesChanged':
      return [rolesSentence(change)];
    case 'DnsChanged':
      return [`load balancer ${change.loadBalancer} is reached as ${change.to} instead of ${change.from}`];
    case 'InstallationProxyChanged':
      return [
        change.enabled
          ? `downloads of nodes go through ${proxyText(change.endpoint)}`
          : 'nodes use no installation proxy',
      ];
    case 'KubernetesOptionsChanged':
      return [`Kubernetes gets other settings: ${listed(change.options)}`];
    case 'StorageChanged':
      return [change.to === 'none' ? 'storage is switched off' : `volume claims are served by ${change.to}`];
    case 'DocumentsChanged':
      return [documentsSentence(change)];
    case 'NodeMetadataChanged':
      return [`nodes of ${label(change.pool)} get other ${metadataText(change)}`];
    case 'BootChanged':
      return [
        change.removed
          ? `${label(change.pool)} no longer has a boot script; its effects stay`
          : `machines of ${label(change.pool)} run another boot script`,
      ];
    case 'OpenPortsChanged':
      return [`ports of ${label(change.pool)} that are open to all: ${listed(change.ports) || 'none'}`];
    case 'HealthChecksChanged':
      return [`health checks of ${label(change.pool)}: ${listed(change.checks) || 'none'}`];
    case 'AutoscalerChanged':
      return [`the size of ${label(change.pool)} goes from ${change.from} to ${change.to}`];
    case 'GrowthOrderChanged':
      return [`the order in which ${label(change.pool)} grows: ${change.order || 'none of its own'}`];
    case 'ProviderChanged':
      return [`provider ${change.provider}: ${change.what}; no machine is touched`];
    case 'NodeAccessChanged':
      return [`${label(change.pool)} is reached by other credentials or another port; no machine is touched`];
    case 'ApiPortChanged':
      return [`port 6443 of control nodes is ${change.open ? 'opened' : 'closed'}`];
    case 'ProtectionChanged':
      return [
        `${protectedText(change.what, label)} is ${change.protect ? 'protected from now on' : 'no longer protected'}`,
      ];
    case 'DriftRepaired':
      return change.found;
    case 'StateEdited':
      return change.what;
    case 'NodePoolSpecChanged':
      return inPlaceTexts(change.fields, label(change.pool));
    case 'NetworkChanged':
      return [`the network would change from ${change.from} to ${change.to}`];
    case 'CniChanged':
      return [`the network of pods would change from ${change.from} to ${change.to}`];
    default:
      return change satisfies never;
  }
}

function inPlaceTexts(fields: readonly string[], pool: string): readonly string[] {
  const restarting = fields.filter((field) => field !== 'storageDiskSize');
  return [
    ...(restarting.length > 0 ? [`machines of ${pool} get another ${listed(restarting)} in place, and restart`] : []),
    ...(restarting.length < fields.length ? [`data disks of ${pool} are made larger in place, without a restart`] : []),
  ];
}

/** A setting in two or three words, for titles; undefined for a change that is not a setting. */
export function settingText(change: Change, label: PoolLabel): string | undefined {
  switch (change.kind) {
    case 'RolesChanged':
      return `roles of ${change.loadBalancer}`;
    case 'DnsChanged':
      return `names of ${change.loadBalancer}`;
    case 'InstallationProxyChanged':
      return `installation proxy ${change.enabled ? 'on' : 'off'}`;
    case 'KubernetesOptionsChanged':
      return `${listed(change.options)} of Kubernetes`;
    case 'StorageChanged':
      return `storage ${change.to}`;
    case 'DocumentsChanged':
      return `documents ${listed([...change.added, ...change.changed, ...change.removed])}`;
    case 'NodeMetadataChanged':
      return `${metadataKinds(change)} of ${label(change.pool)}`;
    case 'BootChanged':
      return `boot script of ${label(change.pool)}`;
    case 'OpenPortsChanged':
      return `open ports of ${label(change.pool)}`;
    case 'HealthChecksChanged':
      return `health checks of ${label(change.pool)}`;
    case 'AutoscalerChanged':
      return `size of ${label(change.pool)}`;
    case 'GrowthOrderChanged':
      return `growth order of ${label(change.pool)}`;
    case 'ProviderChanged':
      return `${change.what.split(' ')[0]} of ${change.provider}`;
    case 'NodeAccessChanged':
      return `access to ${label(change.pool)}`;
    case 'ApiPortChanged':
      return `port 6443 of control nodes ${change.open ? 'opened' : 'closed'}`;
    case 'ProtectionChanged':
      return `protection of ${protectedText(change.what, label)}`;
    case 'DriftRepaired':
      return `${counted(change.found.length, 'thing')} as made before`;
    case 'StateEdited':
      return change.title;
    default:
      return undefined;
  }
}

function documentsSentence({ added, removed, changed }: Extract<Change, { kind: 'DocumentsChanged' }>): string {
  const another = changed.length > 0 ? [`gets ${listed(changed)} in another form`] : [];
  return `documents in the cluster: it ${[...comeAndGo({ added, removed }), ...another].join(', ')}`;
}

type Metadata = Extract<Change, { kind: 'NodeMetadataChanged' }>;

function metadataText({ labels, annotations, taints }: Metadata): string {
  const parts = Object.entries({ labels, annotations, taints }).filter(([, keys]) => keys.length > 0);
  return parts.map(([kind, keys]) => `${kind} (${listed(keys)})`).join(', ');
}

function metadataKinds({ labels, annotations, taints }: Metadata): string {
  return listed(
    Object.entries({ labels, annotations, taints }).flatMap(([kind, keys]) => (keys.length > 0 ? [kind] : [])),
  );
}

function protectedText(what: string, label: PoolLabel): string {
  return what.startsWith('pool ') ? `pool ${label(what.slice('pool '.length))}` : what;
}

function emptyPool(change: Extract<Change, { kind: 'NodePoolAdded' | 'NodePoolRemoved' }>, label: PoolLabel): string {
  const { pool, role, provider, region } = change;
  const verb = change.kind === 'NodePoolAdded' ? 'is added' : 'is removed';
  return `${roleText(role)} pool ${label(pool)} (${placeText(provider, region)}) ${verb}; it has no nodes`;
}

function rolesSentence({ loadBalancer, added, removed, changed }: Extract<Change, { kind: 'RolesChanged' }>): string {
  const another = changed.length > 0 ? [`changes ${listed(changed)}`] : [];
  return `roles of load balancer ${loadBalancer}: ${[...comeAndGo({ added, removed }), ...another].join(', ')}`;
}

function comeAndGo({
  added,
  removed,
}: { readonly [way in 'added' | 'removed']: readonly string[] }): readonly string[] {
  return [
    ...(added.length > 0 ? [`gets ${listed(added)}`] : []),
    ...(removed.length > 0 ? [`loses ${listed(removed)}`] : []),
  ];
}
