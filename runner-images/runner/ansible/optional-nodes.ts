/** Nodes that a playbook visits if they answer; an unreachable one is reported and does not fail the stage. */
import { allNodes, type LoadBalancerState } from '#domain/cluster-state.ts';
import type { ContextOf } from '../stage-context.ts';

/**
 * Names of nodes that may be unreachable: in an undo, all earlier nodes, since they may have been dead before; otherwise, load balancers
 * that only get other targets, since a dead one receives no traffic. (The playbook itself tolerates nodes that only miss a list of peers.)
 */
export function optionalNodes({ mode, target, document }: ContextOf<'ansible'>): ReadonlySet<string> {
  if (target === null) return new Set();
  if (mode === 'undo') return new Set(allNodes(target).map(({ node }) => node.name));
  const before = document.before?.loadBalancers ?? [];
  return new Set(
    target.loadBalancers.flatMap((balancer) => {
      const earlier = before.find(({ id }) => id === balancer.id);
      if (earlier === undefined || listeners(earlier) !== listeners(balancer)) return [];
      const known = new Set(nodesOf(earlier));
      return nodesOf(balancer).filter((name) => known.has(name));
    }),
  );
}

/** All about the roles but their targets. */
function listeners({ roles }: LoadBalancerState): string {
  return JSON.stringify(roles.map(({ targetPools: _, ...role }) => JSON.stringify(role)).sort());
}

function nodesOf({ pools }: LoadBalancerState): readonly string[] {
  return pools.flatMap(({ nodes }) => nodes.map(({ name }) => name));
}
