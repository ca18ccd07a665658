/** What is still true of unhealthy nodes after something was done about them: no one is shown as gone who is back. */
import type { ClusterState } from '../cluster-state.ts';
import type { ClusterDrift, NodeHealthRecord, NodeObservation } from '../drift.ts';
import { outageIn } from './assess-repair.ts';
import { isUnhealthy, observedNodes } from './node-health.ts';

type Found = Pick<ClusterDrift, 'health' | 'outage'>;

/** After a check that decides nothing about nodes: what it saw healthy is no longer unhealthy, and all else stays as it was. */
export function withSeenHealthy(
  found: Found,
  { state, seen }: { readonly state: ClusterState; readonly seen: readonly NodeObservation[] },
): Found {
  const healthy = new Set(seen.flatMap(({ node, health }) => (health === 'healthy' ? [node] : [])));
  return without(found, state, ({ node, health }) => healthy.has(node) && health !== 'healthy');
}

/** After a repair has recreated the machines of these nodes: the check that follows says how they are. */
export function withoutRecreated(drift: ClusterDrift, state: ClusterState): ClusterDrift {
  const { health: _health, outage: _outage, ...rest } = drift;
  const recreated = new Set((drift.repair?.items ?? []).flatMap(({ gone, where: { node } }) => (gone && node) || []));
  return { ...rest, ...without(drift, state, ({ node, health }) => recreated.has(node) && isUnhealthy(health)) };
}

/** An outage is over when too little is left of it. */
function without(
  { health = [], outage }: Found,
  state: ClusterState,
  isOver: (one: NodeHealthRecord) => boolean,
): Found {
  const left = health.filter((one) => !isOver(one));
  const lasts = outage !== undefined && outageIn(observedNodes(state, left, new Set())) !== undefined;
  return { ...(left.length > 0 && { health: left }), ...(lasts && { outage }) };
}
