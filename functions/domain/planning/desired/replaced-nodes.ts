/** A cluster that stays as it is, apart from nodes that are exchanged: what healing asks for while no manifest is followed. */
import { addressSource } from '#domain/addresses.ts';
import { allNodes, type ClusterState, type NodePoolState } from '#domain/cluster-state.ts';
import { filledUp } from './desired-pools.ts';

/** Nodes that leave, by name, and how many nodes their pools have afterwards, by name of the pool. */
export interface Exchange {
  readonly leaving: ReadonlySet<string>;
  /** @default as many as there are */
  readonly sizes: Readonly<Record<string, number>>;
}

/** No other pool changes, and no node is removed apart from those. Throws `PlanRefused` when addresses run out. */
export function withReplacedNodes(state: ClusterState, { leaving, sizes }: Exchange): ClusterState {
  const inUse = allNodes(state).map(({ node }) => node.privateAddress);
  const addresses = addressSource(state.network, inUse);
  const exchanged = (pool: NodePoolState): NodePoolState => {
    const stay = pool.nodes.filter(({ name }) => !leaving.has(name));
    if (pool.source.kind === 'static' || stay.length === pool.nodes.length) return pool;
    const count = sizes[pool.name] ?? pool.nodes.length;
    return { ...pool, nodes: filledUp(pool.id, stay, pool.nodes, count, addresses) };
  };
  const pools = state.pools.map(exchanged);
  const loadBalancers = state.loadBalancers.map((one) => ({ ...one, pools: one.pools.map(exchanged) }));
  return { ...state, pools, loadBalancers, apiEndpoint: endpointOf(state, pools, leaving) };
}

/** A control node that exists, before one that is to be created. */
function endpointOf(
  { apiEndpoint, pools: before }: ClusterState,
  pools: readonly NodePoolState[],
  leaving: ReadonlySet<string>,
): ClusterState['apiEndpoint'] {
  if (apiEndpoint.kind !== 'node' || !leaving.has(apiEndpoint.node)) return apiEndpoint;
  const control = [...before, ...pools].filter(({ role }) => role === 'control').flatMap(({ nodes }) => nodes);
  const next = control.find(({ name }) => !leaving.has(name));
  return next === undefined ? apiEndpoint : { kind: 'node', node: next.name };
}
