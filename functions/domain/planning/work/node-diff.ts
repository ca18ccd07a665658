/** Two states and what differs between them, asked by the stages that work on the difference. */
import {
  allNodes,
  type ClusterState,
  type LoadBalancerState,
  type NodePoolState,
  type NodeState,
} from '#domain/cluster-state.ts';
import { nodeKey } from '../states/diff-pools.ts';
import { endpointText } from '../states/diff-states.ts';
import { roleTargets } from '../states/role-targets.ts';

export interface NodeInPool {
  readonly node: NodeState;
  readonly pool: NodePoolState;
}

export interface NodeDiff {
  readonly from: ClusterState | null;
  readonly to: ClusterState | null;
  readonly added: readonly NodeInPool[];
  readonly removed: readonly NodeInPool[];
  readonly staying: readonly NodeInPool[];
  /** The API endpoint, or the name it is reached under, is another; false when either state is nothing. */
  readonly endpointMoves: boolean;
}

/** The difference of the two. */
export function spanOf(from: ClusterState | null, to: ClusterState | null): NodeDiff {
  const before = from === null ? [] : allNodes(from);
  const after = to === null ? [] : allNodes(to);
  if (from === null || to === null) {
    return { from, to, added: after, staying: [], removed: before, endpointMoves: false };
  }
  const known = new Set(before.map(keyOf));
  const kept = new Set(after.map(keyOf));
  return {
    from,
    to,
    added: after.filter((placed) => !known.has(keyOf(placed))),
    staying: after.filter((placed) => known.has(keyOf(placed))),
    removed: before.filter((placed) => !kept.has(keyOf(placed))),
    endpointMoves: endpointName(from) !== endpointName(to),
  };
}

/** Load balancers of both states whose roles, or the nodes those reach, are different. */
export function rerouted({ from, to }: NodeDiff): readonly LoadBalancerState[] {
  if (from === null || to === null) return [];
  return to.loadBalancers.filter((loadBalancer) => {
    const before = from.loadBalancers.find((candidate) => candidate.id === loadBalancer.id);
    return before !== undefined && routes(from, before) !== routes(to, loadBalancer);
  });
}

export function isKubernetes({ pool }: NodeInPool): boolean {
  return pool.role === 'control' || pool.role === 'compute';
}

export function namesOf(placed: readonly NodeInPool[]): readonly string[] {
  return placed.map(({ node }) => node.name);
}

function keyOf({ node, pool }: NodeInPool): string {
  return `${pool.role} ${nodeKey(node)}`;
}

function endpointName(state: ClusterState): string {
  const { apiEndpoint } = state;
  if (apiEndpoint.kind !== 'loadBalancer') return endpointText(state);
  const dns = state.loadBalancers.find((candidate) => candidate.name === apiEndpoint.loadBalancer)?.dns;
  return `${endpointText(state)} ${dns?.hostname}.${dns?.zone}`;
}

function routes(state: ClusterState, loadBalancer: LoadBalancerState): string {
  const roles = loadBalancer.roles.map((role) => {
    const { name, protocol, port, targetPort, proxyProtocol, stickySessions } = role;
    const targets = roleTargets(state, role).map((node) => `${node.name} ${node.privateAddress}`);
    return JSON.stringify([name, protocol, port, targetPort, proxyProtocol, stickySessions, targets.sort()]);
  });
  return JSON.stringify(roles.sort());
}
