/** Nodes that KubeOne works without: they do not answer, and what is done does not need them. KubeOne stops at each that it is given. */
import type { ClusterState } from '#domain/cluster-state.ts';
import { publicAddressOf, sshPortOf } from '#rendering/node-access.ts';
import { sshFaultOf } from '../ansible/ssh-banner.ts';
import type { ContextOf } from '../stage-context.ts';

/**
 * Their names. Only when nodes join: an upgrade needs every node. Never control nodes: when nodes join, KubeOne removes the etcd members
 * and Node objects of those that it is not given, alive or not. It leaves compute nodes as they are. Ansible was at all nodes just
 * before; one that answers again is given to KubeOne.
 */
export async function absentNodes(context: ContextOf<'kubeone'>, state: ClusterState): Promise<ReadonlySet<string>> {
  const { before, direction } = context.document;
  if (before === null || !['grow', 'repair'].includes(direction)) return new Set();
  if (before.kubernetesVersion !== state.kubernetesVersion) return new Set();
  const { current: facts } = context.facts;
  const earlier = new Set(before.pools.flatMap((pool) => pool.nodes.map(({ name }) => name)));
  const silent = state.pools
    .filter(({ role }) => role !== 'control')
    .flatMap((pool) => pool.nodes.map((node) => ({ node, pool })))
    .filter(({ node }) => earlier.has(node.name) && facts.nodes[node.name]?.unreachableSince !== undefined);
  const faults = await Promise.all(
    silent.map(({ node, pool }) =>
      sshFaultOf({ name: node.name, host: publicAddressOf(node, facts), port: sshPortOf(node, pool, facts) }),
    ),
  );
  const left = silent.filter((_, index) => faults[index] !== undefined);
  for (const { node } of left) {
    const message = `${node.name} does not answer: KubeOne works without it, and what Kubernetes has of it stays`;
    context.emit({ kind: 'NodeLeftOut', message, node: node.name });
  }
  return new Set(left.map(({ node }) => node.name));
}
