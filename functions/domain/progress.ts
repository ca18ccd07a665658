/** How far a path is: steps, percent, and what happens to each node. */
import { allNodes, type ClusterState } from './cluster-state.ts';
import type { Waypoint } from './plan.ts';

/** A step is one stage with work. */
export function countSteps(waypoints: readonly Pick<Waypoint, 'stages'>[]): number {
  return waypoints.reduce((sum, { stages }) => sum + stages.length, 0);
}

/** Whole percent, 100 only when all is done; nothing to do is 0, unless it is known to be done. */
export function percentDone({ step, steps }: { readonly step: number; readonly steps: number }): number {
  return steps <= 0 ? 0 : Math.min(100, Math.max(0, Math.floor((100 * step) / steps)));
}

/** One row of a cluster's progress: a node and what the waypoint does to it. */
export interface NodeToReport {
  readonly name: string;
  readonly role: string;
  /** Name of its pool. */
  readonly pool: string;
  readonly provider: string;
  readonly part: 'stays' | 'joins' | 'leaves';
}

/** Every node of the target, then those that leave: of `before`, and of what an earlier attempt may have left. */
export function nodesToReport(
  before: ClusterState | null,
  target: ClusterState | null,
  tried: readonly (ClusterState | null)[] = [],
): NodeToReport[] {
  const known = namesOf(before);
  const kept = namesOf(target);
  const leaving = [before, ...tried].flatMap((state) => rows(state, () => 'leaves'));
  const all = [
    ...rows(target, (name) => (known.has(name) ? 'stays' : 'joins')),
    ...leaving.filter(({ name }) => !kept.has(name)),
  ];
  return [...new Map(all.map((row) => [row.name, row])).values()];
}

function namesOf(state: ClusterState | null): ReadonlySet<string> {
  return new Set(state === null ? [] : allNodes(state).map(({ node }) => node.name));
}

function rows(state: ClusterState | null, part: (name: string) => NodeToReport['part']): NodeToReport[] {
  if (state === null) return [];
  return allNodes(state).map(({ node, pool }) => ({
    name: node.name,
    role: pool.role,
    pool: pool.name,
    provider: pool.source.kind === 'static' ? 'static' : pool.source.provider.name,
    part: part(node.name),
  }));
}
