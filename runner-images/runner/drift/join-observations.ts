/** What the parts of a check found out about each node, as one observation. */
import { allNodes, type ClusterState } from '#domain/cluster-state.ts';
import type { NodeObservation } from '#domain/drift.ts';
import type { Findings } from './findings.ts';

/**
 * A machine that is gone outweighs what others say of its node, which is kept, too: maybe only a volume or an address is gone. A machine
 * group has no Kubernetes that knows better: there a machine that someone reached still works unless its checks fail, and where no one tried,
 * or no one reached one of which only an attachment is missing, its state is not known.
 */
export function joinObservations(target: ClusterState, findings: readonly Findings[]): readonly NodeObservation[] {
  const machines = new Set(allNodes(target).flatMap(({ node, pool }) => (pool.role === 'machine' ? [node.name] : [])));
  const alive = findings.find((found) => found.alive !== undefined)?.alive;
  const partly = new Set(findings.flatMap((found) => [...(found.partly ?? [])]));
  const nodes = Map.groupBy(
    findings.flatMap((found) => found.health ?? []).toSorted((a, b) => rank(a) - rank(b)),
    ({ node }) => node,
  );
  return [...nodes].map(([node, of]) => {
    const states = of.map(({ health }) => health);
    const joined = Object.assign({}, ...of) as NodeObservation;
    if (joined.health !== 'gone') return joined;
    if (states.includes('healthy')) return { ...joined, ready: true };
    if (!machines.has(node) || states.includes('unhealthy')) return joined;
    if (alive?.has(node)) return { ...joined, ready: true };
    if (alive !== undefined && !partly.has(node)) return joined;
    const failing = 'at least a part of its machine is gone, and the rest could not be checked';
    return { node, health: 'unknown', failing };
  });
}

const rank = ({ health }: NodeObservation): number => (health === 'gone' ? 1 : 0);
