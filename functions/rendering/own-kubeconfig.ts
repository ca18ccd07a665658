/** The kubeconfig of a cluster as Kubeloom hands it to its tools and to people, from what a control node had. */
import { canonicalServer, kubeconfigText, readKubeconfig } from '#documents/kubeconfig.ts';
import type { ClusterFacts, ClusterState } from '#domain/cluster-state.ts';
import { apiPort } from '#domain/manifest/schema/load-balancers.ts';
import type { KubeconfigParts } from '#domain/observed/kubeconfig.ts';
import { alternativeNamesOf } from './dns-names.ts';

/** What Kubeloom knows of the cluster: the state that counts first, then others whose nodes or endpoint may exist. */
export interface KnownCluster {
  readonly states: readonly ClusterState[];
  readonly facts: ClusterFacts;
}

/** `refusal`: as in `ReadKubeconfig`. */
export type OwnKubeconfig = { readonly text: string; readonly parts: KubeconfigParts } | { readonly refusal: string };

/**
 * A control node does not choose where clients go: where a control node is the endpoint, the server is that node, whatever the file
 * says (it may name one that was lost); else the file has to name a known address of this cluster's API.
 */
export function ownKubeconfig(text: string, { states, facts }: KnownCluster): OwnKubeconfig {
  const read = readKubeconfig(text);
  if ('refusal' in read) return read;
  const server = nodeServer(states[0], facts) ?? read.parts.server;
  const known = states.flatMap((state) => apiServers(state, facts));
  if (!known.includes(server)) {
    const place = known.length === 0 ? 'no address of it is known' : `its addresses are ${known.join(', ')}`;
    return { refusal: `leads to ${server}, which is not the API of the cluster: ${place}` };
  }
  const parts = { ...read.parts, server };
  return { text: kubeconfigText(states[0]?.name ?? 'cluster', parts), parts };
}

/** Every address under which clients may reach the API, as `https://host:port`. Nodes that no tool has seen yet have none. */
function apiServers(state: ClusterState, facts: ClusterFacts): readonly string[] {
  const balanced = state.loadBalancers.flatMap((balancer) => {
    const port = balancer.roles.find((role) => role.servesApi)?.port;
    if (port === undefined) return [];
    const { hostname, zone } = balancer.dns;
    const endpoint = facts.loadBalancers[balancer.name]?.endpoint;
    const names = [endpoint, `${hostname}.${zone}`, ...alternativeNamesOf(balancer, facts)];
    return names.flatMap((name) => serverText(name, port));
  });
  const nodes = state.pools
    .filter(({ role }) => role === 'control')
    .flatMap((pool) => pool.nodes.flatMap(({ name }) => nodeAddress(state, name, facts)));
  return [...new Set([...nodes, ...balanced])];
}

function nodeServer(state: ClusterState | undefined, facts: ClusterFacts): string | undefined {
  return state?.apiEndpoint.kind === 'node' ? nodeAddress(state, state.apiEndpoint.node, facts)[0] : undefined;
}

function nodeAddress({ pools }: ClusterState, wanted: string, facts: ClusterFacts): readonly string[] {
  const node = pools.flatMap(({ nodes }) => nodes).find(({ name }) => name === wanted);
  return serverText(node?.static?.endpoint ?? facts.nodes[wanted]?.publicAddress, apiPort);
}

function serverText(host: string | undefined, port: number): readonly string[] {
  if (host === undefined) return [];
  const server = canonicalServer(`https://${host.includes(':') ? `[${host}]` : host}:${port}`);
  return server === undefined ? [] : [server];
}
