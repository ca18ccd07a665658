/** The nodes of Kubernetes, and those whose machine may be another than the one that joined. */
import type { ClusterState, NodePoolState, NodeState } from '#domain/cluster-state.ts';
import type { StageContext } from '../stage-context.ts';

export interface Member {
  readonly node: NodeState;
  readonly pool: NodePoolState;
}

/**
 * Those that were there before and are not known to have joined: Terraform forgets what was known of a machine that it recreates, whatever it
 * is on its way to. In a repair also those that are set up again: someone may have reinstalled a machine. None in an upgrade: KubeOne
 * joins no node then.
 */
export function nodesInDoubt({ document, facts }: StageContext, state: ClusterState): readonly Member[] {
  const { before, direction, stages } = document;
  if (before === null || before.kubernetesVersion !== state.kubernetesVersion) return [];
  const earlier = new Set(membersOf(before).map(({ node }) => node.name));
  const again = stages.flatMap((plan) =>
    direction === 'repair' && plan.stage === 'configuration' ? plan.work.install : [],
  );
  return membersOf(state)
    .filter(({ node: { name } }) => earlier.has(name))
    .filter(({ node: { name } }) => facts.current.nodes[name]?.joined !== true || again.includes(name));
}

/** All nodes of Kubernetes. */
export function membersOf({ pools }: ClusterState): readonly Member[] {
  return pools.flatMap((pool) => pool.nodes.map((node) => ({ node, pool })));
}

export function controlNames({ pools }: ClusterState): readonly string[] {
  return pools.filter(({ role }) => role === 'control').flatMap(({ nodes }) => nodes.map(({ name }) => name));
}
