/** Incoming traffic that the firewall of a node allows, where its cloud has none; input of `templates/ansible/templates/firewall.nft.j2`. */
import {
  allNodes,
  type ClusterFacts,
  type ClusterState,
  type NodePoolState,
  type NodeState,
  servesApiOnNodes,
} from '#domain/cluster-state.ts';
import { type CniName, cniOf } from '#domain/kubernetes-options.ts';
import { apiPort, wireguardPort } from '#domain/manifest/schema/load-balancers.ts';
import { siteOf } from './node-access.ts';
import { peerCidrs } from './peer-cidrs.ts';

export interface HostFirewall {
  readonly ssh_port: number;
  readonly wireguard_port: number;
  /** Ports that are open to all addresses. */
  readonly tcp: readonly number[];
  readonly udp: readonly number[];
  /** The cluster's own nodes: WireGuard, and SSH. */
  readonly peers: readonly string[];
  /** Further networks for SSH. */
  readonly admin: readonly string[];
  /** Devices through which pods of the node come; a `*` at the end stands for any end. */
  readonly pod_devices: readonly string[];
}

/** By network of the pods. A network of the user's own may be any that is common. */
const podDevices: Readonly<Record<CniName, readonly string[]>> = {
  cilium: ['cilium_host', 'cilium_net', 'cilium_vxlan', 'lxc*'],
  canal: ['cali*', 'flannel.1'],
  external: ['antrea*', 'cali*', 'cilium_*', 'cni*', 'flannel*', 'lxc*', 'ovn-*', 'veth*', 'vxlan.calico', 'weave'],
};

export interface HostFirewallInput {
  readonly state: ClusterState;
  readonly facts: ClusterFacts;
  readonly adminCidrs: readonly string[];
}

/** Local addresses of the other nodes of the same site. */
function neighbours(
  own: { readonly node: NodeState; readonly pool: NodePoolState },
  state: ClusterState,
  facts: ClusterFacts,
): readonly string[] {
  const site = siteOf(own, facts);
  if (site === undefined) return [];
  const others = allNodes(state).filter((one) => one.node.name !== own.node.name && siteOf(one, facts) === site);
  return others.flatMap(({ node }) => {
    const address = facts.nodes[node.name]?.local?.address;
    return address === undefined ? [] : [`${address}/32`];
  });
}

/** Undefined for nodes whose cloud has a firewall, and for those of the user. */
export function hostFirewallOf(
  { node, pool }: { readonly node: NodeState; readonly pool: NodePoolState },
  { state, facts, adminCidrs }: HostFirewallInput,
): HostFirewall | undefined {
  if (facts.nodes[node.name]?.hostFirewall !== true) return undefined;
  const balancer = state.loadBalancers.find(({ pools }) => pools.some(({ id }) => id === pool.id));
  const roles = [...(balancer?.roles ?? []), ...(pool.openPorts ?? [])];
  const ports = (protocol: 'tcp' | 'udp') => roles.filter((role) => role.protocol === protocol).map(({ port }) => port);
  const servesApi = pool.role === 'control' && servesApiOnNodes(state);
  return {
    // As they are on the machine itself: a provider may map others to them.
    ssh_port: pool.sshPort,
    wireguard_port: wireguardPort,
    tcp: [...ports('tcp'), ...(servesApi ? [apiPort] : [])],
    udp: ports('udp'),
    peers: state.meshless ? [] : [...peerCidrs(state, facts), ...neighbours({ node, pool }, state, facts)],
    admin: adminCidrs,
    pod_devices: balancer === undefined && pool.role !== 'machine' ? podDevices[cniOf(state)] : [],
  };
}
