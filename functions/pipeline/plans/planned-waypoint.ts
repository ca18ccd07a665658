/** A waypoint in words as answers and documents have it. */
import type { PlannedWaypoint } from '#contracts/run-plan.ts';
import type { Direction } from '#domain/plan.ts';
import type { DescribedWaypoint } from '#domain/planning/text/describe-plan.ts';

export function plannedWaypoint(
  { title, lines, stages, forwardOnly }: DescribedWaypoint,
  direction: Direction,
): PlannedWaypoint {
  return {
    direction,
    title,
    forwardOnly,
    lines: lines.map(({ mark, text }) => ({ mark, text })),
    stages: stages.map(({ stage, reasons }) => ({ stage, reasons: [...reasons] })),
  };
}
