/** Reports a plan: the path when a run starts, each waypoint when it starts, sentence by sentence; and all of it in a document. */
import type { ClusterRecord, NewEvent } from '#contracts/records.ts';
import type { PlannedPath } from '#contracts/run-plan.ts';
import { waypointOf } from '#contracts/stage.ts';
import type { ClusterRun } from '#contracts/state-inputs.ts';
import type { Waypoint } from '#domain/plan.ts';
import { type DescribedPlan, describeClusterPlan } from '#domain/planning/text/describe-plan.ts';
import { listed } from '#domain/words.ts';
import { plannedWaypoint } from '../plans/planned-waypoint.ts';
import { type ClusterEvent, clusterEvent, clusterName } from '../records/cluster-records.ts';

/** The path in words, while its first waypoint is in progress. */
export function describePath(path: readonly Waypoint[], after: ClusterRecord): DescribedPlan {
  return describeClusterPlan({ cluster: clusterName(after), waypoints: [...path], refusals: [] }, after.current);
}

/** What is stored of it. */
export function plannedPath(
  { waypoints }: DescribedPlan,
  path: readonly Waypoint[],
  after: ClusterRecord,
): PlannedPath {
  return {
    schema: 1,
    number: after.progress?.waypoint ?? 1,
    waypoints: waypoints.map((waypoint, index) => plannedWaypoint(waypoint, path[index]?.direction ?? 'settle')),
  };
}

/** `before` is the record as it was found, `after` as it is while the first waypoint of the path is in progress. */
export function planEvents(
  run: ClusterRun,
  { summary, waypoints }: DescribedPlan,
  { before, after, now }: { readonly before: ClusterRecord; readonly after: ClusterRecord; readonly now: string },
): readonly NewEvent[] {
  // It continues after a pause for nodes, which was already reported.
  if (after.nodeWait) return [];
  const [first] = waypoints;
  if (!first) return [];
  const waypoint = after.waypointPrefix === null ? undefined : waypointOf(after.waypointPrefix);
  const reported = (kind: 'PlanMade' | 'WaypointStarted' | 'PlanExplained', message: string): NewEvent => ({
    ...clusterEvent(run, now, { kind, message }),
    ...(waypoint !== undefined && kind !== 'PlanMade' && { waypoint }),
  });
  const begins = after.progress?.waypoint === 1 && before.status !== 'BackingOff';
  const done = after.doneStages?.stages ?? [];
  const kept =
    done.length === 0
      ? []
      : [`${listed(done, 5)} succeeded before and ${done.length === 1 ? 'is' : 'are'} not repeated`];
  return [
    ...(begins ? [reported('PlanMade', summary)] : []),
    reported('WaypointStarted', first.title),
    ...(before.status === 'BackingOff' ? kept : [...first.sentences, ...kept]).map((text) =>
      reported('PlanExplained', text),
    ),
  ];
}

/** The event of a waypoint that was reached. */
export function waypointReached(direction: string, record: ClusterRecord): ClusterEvent {
  const { waypoint = 1, waypoints = 1 } = record.progress ?? {};
  return { kind: 'WaypointReached', message: `${direction} done, waypoint ${waypoint} of ${waypoints}` };
}
