/** Where a step of a set can fail: for each cluster every stage of every direction that its path has. */
import { expect } from 'vitest';
import type { ManifestDescription, PlanReport } from '#contracts/api-bodies.ts';
import type { Direction, StageName } from '#domain/plan.ts';
import { type Fault, keyOf, type SimulatedWorld } from './simulated-world.ts';

export interface FailurePoint {
  /** Its name. */
  readonly cluster: string;
  readonly direction: Direction;
  readonly stage: StageName;
}

/** The points that a step would pass if it were applied now. */
export async function pointsOf(world: SimulatedWorld, step: unknown): Promise<readonly (readonly FailurePoint[])[]> {
  return failurePoints(await world.api.planManifest(keyOf(step), { document: step }));
}

/** The points of each cluster in the order of its path, each once. */
function failurePoints({ clusters }: PlanReport): readonly (readonly FailurePoint[])[] {
  return clusters.map(({ cluster, waypoints }) => {
    const points = waypoints.flatMap(({ direction, stages }) =>
      stages.map(({ stage }): FailurePoint => ({ cluster, direction, stage })),
    );
    return [...new Map(points.map((point) => [pointText(point), point])).values()];
  });
}

export function pointText({ cluster, direction, stage }: FailurePoint): string {
  return `${cluster} ${direction} ${stage}`;
}

/** For good, and for a reason that no retry helps against. */
export function permanentFault(point: FailurePoint): Fault {
  return { ...point, class: 'user', times: 1_000_000 };
}

/** Every cluster failed where it was to, and the others did not. */
export function expectFailures(settled: ManifestDescription, points: readonly FailurePoint[]): void {
  expect(settled.status).toBe('Failed');
  for (const { name, status, failure } of settled.clusters) {
    const point = points.find(({ cluster }) => cluster === name);
    const failed = point?.direction === 'grow' ? 'RolledBack' : 'NeedsAttention';
    expect(`${name} ${status}`).toBe(`${name} ${point ? failed : 'Converged'}`);
    if (point) expect(failure).toMatchObject({ class: 'user', code: 'InjectedFault', stage: point.stage });
  }
}
