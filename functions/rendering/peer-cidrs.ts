/** A cluster's own nodes for a firewall: the networks that WireGuard and SSH between nodes come from. */
import { allNodes, type ClusterFacts, type ClusterState } from '#domain/cluster-state.ts';

const everybody = '0.0.0.0/0';

/**
 * Public addresses of all nodes that are known, as /32, sorted. With a static node all addresses are allowed: it can be behind
 * NAT, so that it sends from an unknown address. WireGuard answers only to keys it knows. Machines without a mesh are not peers
 * of each other.
 */
export function peerCidrs(state: ClusterState | null, facts: ClusterFacts): readonly string[] {
  if (state?.meshless) return [];
  const nodes = state === null ? [] : allNodes(state).map(({ node }) => node);
  if (nodes.some((node) => node.static !== undefined)) return [everybody];
  const known = nodes.flatMap(({ name }) => facts.nodes[name]?.publicAddress ?? []);
  // Nodes behind one shared address are one peer.
  return [...new Set(known)].sort().map((address) => `${address}/32`);
}
