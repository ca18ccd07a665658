/** Access to a node: the only place that joins the desired state with the facts. */
import type { ClusterFacts, NodePoolState, NodeState } from '#domain/cluster-state.ts';
import { PipelineError } from '#domain/errors.ts';

/** Public address of a node. Throws `InternalFault` for a dynamic node that no tool has seen yet. */
export function publicAddressOf(node: NodeState, facts: ClusterFacts): string {
  const address = node.static?.endpoint ?? facts.nodes[node.name]?.publicAddress;
  if (address === undefined) {
    throw new PipelineError(
      'InternalFault',
      `node ${node.name} has no public address yet: the infrastructure stage must run before this one`,
    );
  }
  return address;
}

/** SSH port: what the provider mapped, else what the pool says. */
export function sshPortOf(node: NodeState, pool: NodePoolState, facts: ClusterFacts): number {
  return facts.nodes[node.name]?.sshPort ?? pool.sshPort;
}

export function sshUserOf(node: NodeState): string {
  return node.static?.username ?? 'root';
}

/** File of the private SSH key below `directory`: one for each dynamic pool, one for each static node. */
export function sshKeyFileOf(node: NodeState, pool: NodePoolState, directory: string): string {
  return `${directory}/${node.static === undefined ? pool.id : node.name}.key`;
}

/** Nodes of one site reach each other under their local addresses; undefined where only public ones are known. */
export function siteOf(
  { node, pool }: { readonly node: NodeState; readonly pool: NodePoolState },
  facts: ClusterFacts,
): string | undefined {
  const local = facts.nodes[node.name]?.local;
  return local === undefined || pool.source.kind === 'static'
    ? undefined
    : `${pool.source.provider.name} ${local.network}`;
}
