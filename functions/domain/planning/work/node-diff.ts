/** Two states and what differs between them, asked by the stages that work on the difference. */
import {
  allNodes,
  type ClusterState,
  type LoadBalancerState,
  type NodePoolState,
  type NodeState,
  serverTypeOf,
} from '#domain/cluster-state.ts';
import { onceFor } from '#domain/once-for.ts';
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
  /** Whether the API endpoint or its host name changed; false when one of the states is null. */
  readonly endpointMoves: boolean;
}

/** The difference of the two. */
export function spanOf(from: ClusterState | null, to: ClusterState | null): NodeDiff {
  if (from === null || to === null) {
    const [added, removed] = [to === null ? [] : allNodes(to), from === null ? [] : allNodes(from)];
    return { from, to, added, staying: [], removed, endpointMoves: false };
  }
  const [before, after] = [nodesByKey(from), nodesByKey(to)];
  const [added, staying, removed]: [NodeInPool[], NodeInPool[], NodeInPool[]] = [[], [], []];
  for (const [key, placed] of after) (before.has(key) ? staying : added).push(placed);
  for (const [key, placed] of before) if (!after.has(key)) removed.push(placed);
  return { from, to, added, staying, removed, endpointMoves: endpointName(from) !== endpointName(to) };
}

/** Each state is compared with several others. Names of nodes are unique in it. */
const nodesByKey = onceFor(
  (state: ClusterState): ReadonlyMap<string, NodeInPool> =>
    new Map(allNodes(state).map((placed) => [keyOf(placed), placed])),
);

/** Load balancers of both states whose roles, or the nodes those reach, are different. */
export function rerouted({ from, to }: NodeDiff): readonly LoadBalancerState[] {
  if (from === null || to === null) return [];
  return to.loadBalancers.filter((loadBalancer) => {
    const before = from.loadBalancers.find((candidate) => candidate.id === loadBalancer.id);
    return before !== undefined && routes(from, before) !== routes(to, loadBalancer);
  });
}

/** Machines that stay and get another server type in place. */
export function resizedIn({ from, staying }: NodeDiff): readonly NodeInPool[] {
  if (from === null) return [];
  const before = nodesByKey(from);
  return staying.filter((placed) => {
    const old = before.get(keyOf(placed));
    return old !== undefined && serverTypeOf(old.node, old.pool) !== serverTypeOf(placed.node, placed.pool);
  });
}

/** Machines that stay, and whose data disk becomes larger. */
export function withLargerDisk({ from, staying }: NodeDiff): readonly NodeInPool[] {
  if (from === null) return [];
  const before = nodesByKey(from);
  const diskOf = ({ pool: { source } }: NodeInPool) => (source.kind === 'static' ? 0 : source.storageDiskSize);
  return staying.filter((placed) => {
    const old = before.get(keyOf(placed));
    return old !== undefined && diskOf(placed) > diskOf(old);
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
