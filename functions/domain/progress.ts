/** How far a path is: steps, percent, and what becomes of each node. */
import { allNodes, type ClusterState } from './cluster-state.ts';
import type { StageName, Waypoint } from './plan.ts';

/** A step is one stage with work. */
export function countSteps(waypoints: readonly Pick<Waypoint, 'stages'>[]): number {
  return waypoints.reduce((sum, { stages }) => sum + stages.length, 0);
}

/** Steps finished when `stage` of a waypoint starts, counted from the start of that waypoint. */
export function stepsBefore(waypoint: Pick<Waypoint, 'stages'>, stage: StageName): number {
  return Math.max(
    0,
    waypoint.stages.findIndex((plan) => plan.stage === stage),
  );
}

/** Whole percent, 100 only when all is done. */
export function percentDone({ step, steps }: { readonly step: number; readonly steps: number }): number {
  return steps <= 0 ? 100 : Math.min(100, Math.max(0, Math.floor((100 * step) / steps)));
}

/** One row of a cluster's progress: a node and what the waypoint does to it. */
export interface NodeRow {
  readonly name: string;
  readonly role: string;
  readonly pool: string;
  readonly provider: string;
  readonly part: 'stays' | 'joins' | 'leaves';
}

/** Every node of both states: those that stay or join first, those that leave last. */
export function nodeRows(before: ClusterState | null, target: ClusterState | null): NodeRow[] {
  const known = namesOf(before);
  const kept = namesOf(target);
  return [
    ...rows(target, (name) => (known.has(name) ? 'stays' : 'joins')),
    ...rows(before, () => 'leaves').filter((row) => !kept.has(row.name)),
  ];
}

function namesOf(state: ClusterState | null): ReadonlySet<string> {
  return new Set(state === null ? [] : allNodes(state).map(({ node }) => node.name));
}

function rows(state: ClusterState | null, part: (name: string) => NodeRow['part']): NodeRow[] {
  if (state === null) return [];
  return allNodes(state).map(({ node, pool }) => ({
    name: node.name,
    role: pool.role,
    pool: pool.id,
    provider: pool.source.kind === 'static' ? 'static' : pool.source.provider.name,
    part: part(node.name),
  }));
}
