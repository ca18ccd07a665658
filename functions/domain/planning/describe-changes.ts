/** Typed changes as sentences. */
import type { Change } from '#domain/plan.ts';
import { counted, listed } from './words.ts';

/** The change in words for people; empty for one that its neighbours tell already. */
export function changeSentences(change: Change): readonly string[] {
  switch (change.kind) {
    case 'ClusterCreated':
      return [`cluster ${change.cluster} is made`];
    case 'ClusterDeleted':
      return [`cluster ${change.cluster} is removed with all that belongs to it`];
    case 'NodePoolAdded':
      return [`pool ${change.pool} (${place(change)}, ${roleText(change.role)}) is added with ${nodes(change.nodes)}`];
    case 'NodePoolRemoved':
      return [
        `pool ${change.pool} (${place(change)}, ${roleText(change.role)}) is removed with ${nodes(change.nodes)}`,
      ];
    case 'NodesAdded':
      return [`pool ${change.pool} (${place(change)}) gets ${nodes(change.nodes)}`];
    case 'NodesRemoved':
      return [`pool ${change.pool} (${place(change)}) loses ${nodes(change.nodes)}`];
    case 'LeftoversFound':
      return [`what an earlier attempt left is removed: ${change.nodes.length > 0 ? nodes(change.nodes) : 'no nodes'}`];
    case 'LoadBalancerAdded':
      return [`load balancer ${change.loadBalancer} is added`];
    case 'LoadBalancerRemoved':
      return [`load balancer ${change.loadBalancer} is removed`];
    case 'RolesChanged':
      return [rolesSentence(change)];
    case 'DnsChanged':
      return [`load balancer ${change.loadBalancer} is reached as ${change.to} instead of ${change.from}`];
    case 'ApiEndpointMoved':
      return [`the API endpoint moves from ${change.from} to ${change.to}`];
    case 'KubernetesUpgraded':
      return [`Kubernetes goes from ${change.from} to ${change.to}`];
    case 'InstallationProxyChanged':
      return [
        change.enabled ? `nodes use the installation proxy ${change.endpoint}` : 'nodes use no installation proxy',
      ];
    case 'NodeMetadataChanged':
      return [metadataSentence(change)];
    case 'AutoscalerChanged':
      return [`the size of pool ${change.pool} goes from ${change.from} to ${change.to}`];
    case 'ProviderChanged':
      return [`provider ${change.provider}: ${change.what}; no machine is touched`];
    case 'NodeAccessChanged':
      return [`pool ${change.pool} is reached by other credentials or another port; no machine is touched`];
    case 'ApiPortChanged':
      return [`port 6443 of control nodes is ${change.open ? 'opened' : 'closed'}`];
    case 'ProtectionChanged':
      return [`${change.what} is ${change.protect ? 'protected from now on' : 'no longer protected'}`];
    case 'Refreshed':
      return [`${change.what === 'mesh' ? 'the mesh' : 'everything'} is brought back to what it should be`];
    case 'NodePoolSpecChanged':
      return [`${listed(change.fields)} of pool ${change.pool} would change`];
    case 'NetworkChanged':
      return [`the network would change from ${change.from} to ${change.to}`];
    default:
      return change satisfies never;
  }
}

function place({ provider, region }: { readonly provider: string; readonly region: string }): string {
  return [provider, region].filter(Boolean).join(', ');
}

function roleText(role: string): string {
  return role === 'loadBalancer' ? 'load balancer' : role;
}

function nodes(names: readonly string[]): string {
  return names.length === 0 ? 'no nodes' : `${counted(names.length, 'node')} (${listed(names)})`;
}

function rolesSentence({ loadBalancer, added, removed, changed }: Extract<Change, { kind: 'RolesChanged' }>): string {
  const parts = [
    ...(added.length > 0 ? [`gets ${listed(added)}`] : []),
    ...(removed.length > 0 ? [`loses ${listed(removed)}`] : []),
    ...(changed.length > 0 ? [`changes ${listed(changed)}`] : []),
  ];
  return `roles of load balancer ${loadBalancer}: ${parts.join(', ')}`;
}

function metadataSentence({
  pool,
  labels,
  annotations,
  taints,
}: Extract<Change, { kind: 'NodeMetadataChanged' }>): string {
  const parts = [
    ...(labels.length > 0 ? [`labels ${listed(labels)}`] : []),
    ...(annotations.length > 0 ? [`annotations ${listed(annotations)}`] : []),
    ...(taints.length > 0 ? [`taints ${listed(taints)}`] : []),
  ];
  return `nodes of pool ${pool}: ${parts.join(', ')} change`;
}
