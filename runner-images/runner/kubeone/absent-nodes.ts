/** Nodes that KubeOne works without: they do not answer, and what is done does not need them. KubeOne stops at each that it is given. */
import type { ClusterState } from '#domain/cluster-state.ts';
import { publicAddressOf, sshPortOf } from '#rendering/node-access.ts';
import { sshFaultOf } from '../ansible/ssh-banner.ts';
import type { ContextOf } from '../stage-context.ts';

/**
 * Their names. Only when nodes join: an upgrade needs every node, and a cluster without a majority of its control nodes needs all of
 * them. KubeOne does not remove what it is not given. Ansible was at all nodes just before; one that answers again is given to KubeOne.
 */
export async function absentNodes(context: ContextOf<'kubeone'>, state: ClusterState): Promise<ReadonlySet<string>> {
  const { before, direction } = context.document;
  if (before === null || !['grow', 'repair'].includes(direction)) return new Set();
  if (before.kubernetesVersion !== state.kubernetesVersion) return new Set();
  const { current: facts } = context.facts;
  const earlier = new Set(before.pools.flatMap((pool) => pool.nodes.map(({ name }) => name)));
  const silent = state.pools
    .flatMap((pool) => pool.nodes.map((node) => ({ node, pool })))
    .filter(({ node }) => earlier.has(node.name) && facts.nodes[node.name]?.unreachableSince !== undefined);
  const faults = await Promise.all(
    silent.map(({ node, pool }) =>
      sshFaultOf({ name: node.name, host: publicAddressOf(node, facts), port: sshPortOf(node, pool, facts) }),
    ),
  );
  const absent = silent.filter((_, index) => faults[index] !== undefined);
  const controls = absent.filter(({ pool }) => pool.role === 'control').length;
  const all = before.pools.filter(({ role }) => role === 'control').flatMap(({ nodes }) => nodes).length;
  const left = absent.filter(({ pool }) => pool.role !== 'control' || controls * 2 < all);
  for (const { node } of left) {
    const message = `${node.name} does not answer: KubeOne works without it, and what Kubernetes has of it stays`;
    context.emit({ kind: 'NodeLeftOut', message, node: node.name });
  }
  return new Set(left.map(({ node }) => node.name));
}
