/** The installation proxy of nodes, and NO_PROXY: everything that must never go through it. */
import { allNodes, type ClusterFacts, type ClusterState } from '#domain/cluster-state.ts';
import { alternativeNamesOf } from './dns-names.ts';

/** Loopback, the cluster's own names and networks, and the metadata services of clouds. */
const always = [
  '127.0.0.1/8',
  'localhost',
  'svc',
  'cluster.local',
  '10.244.0.0/16',
  '10.96.0.0/12',
  '169.254.169.254',
  'metadata',
  'metadata.google.internal',
  'metadata.google.internal.',
] as const;

/** What nodes are set to; an empty endpoint: to none. */
export interface ProxySettings {
  readonly endpoint: string;
  /** Comma list. */
  readonly noProxy: string;
}

export function proxySettings(state: ClusterState, facts: ClusterFacts): ProxySettings {
  const { enabled, endpoint } = state.installationProxy;
  return enabled ? { endpoint, noProxy: noProxyList(state, facts).join(',') } : { endpoint: '', noProxy: '' };
}

/** In a fixed order and without repeats, so that nodes change only when something did. */
export function noProxyList(state: ClusterState, facts: ClusterFacts): readonly string[] {
  const nodes = allNodes(state).flatMap(({ node }) => [
    node.privateAddress,
    node.static?.endpoint ?? facts.nodes[node.name]?.publicAddress ?? '',
  ]);
  const endpoints = state.loadBalancers.flatMap((balancer) => [
    facts.loadBalancers[balancer.name]?.endpoint ?? '',
    // As programs read it: a dot at the beginning is for all names in it.
    ...alternativeNamesOf(balancer, facts).map((name) => name.replace(/^\*\./, '.')),
  ]);
  const entries = [...always, state.network, ...state.installationProxy.noProxy, ...nodes, ...endpoints];
  return [...new Set(entries)].filter((entry) => entry !== '');
}
