/** Which nodes of Kubernetes answer now and stay: only these count as another place for what a node has. */
import { allNodes } from '#domain/cluster-state.ts';
import { type Alternative, whatStays } from '#domain/what-stays.ts';
import type { StageContext } from '../stage-context.ts';
import type { ClusterNode, Kubectl } from './kubectl.ts';

/** Taints of nodes that are given up: by a person or program that declared the machine dead, and by the cluster-autoscaler before it removes them. */
const givenUp = new Set(['node.kubernetes.io/out-of-service', 'ToBeDeletedByClusterAutoscaler']);

/** Names of the nodes that are ready and that nothing removes. A drain takes minutes, so Kubernetes is asked each time. */
export async function stayingNodes(context: StageContext, kubectl: Kubectl): Promise<ReadonlySet<string>> {
  return whatStays(nodeAlternatives(context, await kubectl.nodes()));
}

/** All nodes of Kubernetes, those that Kubeloom does not know too. */
export function nodeAlternatives(
  context: StageContext,
  nodes: ReadonlyMap<string, ClusterNode>,
): readonly Alternative[] {
  const leaving = leavingNodes(context);
  return [...nodes].map(([name, node]) => ({
    name,
    answers: isReadyNow(node),
    leaves: leaving.has(name) || node.deleting === true || node.taints.some(({ key }) => givenUp.has(key)),
  }));
}

/** Its kubelet reported lately, and Kubernetes has it as ready. */
export function isReadyNow({ ready }: Pick<ClusterNode, 'ready'>): boolean {
  return ready === 'True';
}

/**
 * Those that this waypoint removes or orphans, and those of other states that the target does not have: an earlier waypoint that was
 * interrupted may have half removed them.
 */
function leavingNodes({ document, mode, target, others }: StageContext): ReadonlySet<string> {
  const kept = new Set(namesOf(target));
  const planned = (mode === 'undo' ? document.undo : document.stages).flatMap(({ stage, work }) => {
    if (stage === 'nodes') return work.remove;
    return stage === 'infrastructure' ? (work.orphan ?? []) : [];
  });
  return new Set([...planned, ...others.flatMap(namesOf).filter((name) => !kept.has(name))]);
}

function namesOf(state: Parameters<typeof allNodes>[0] | null): readonly string[] {
  return state === null ? [] : allNodes(state).map(({ node }) => node.name);
}
