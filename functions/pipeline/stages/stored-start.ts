/** What is stored before the stages of a waypoint, or a check, run; and where: each has a number within its run. */
import type { DriftCheck } from '#contracts/job.ts';
import type { ClusterRecord } from '#contracts/records.ts';
import type { PlannedPath } from '#contracts/run-plan.ts';
import { type WaypointDocument, waypointKeys } from '#contracts/stage.ts';
import type { ClusterRun, PlanClusterOutput } from '#contracts/state-inputs.ts';
import { PipelineError } from '#domain/errors.ts';
import type { Using } from '../../ports.ts';

/** Waypoints, retries included, that one run may start for one cluster: a plan that never ends is a fault. */
const mostWaypoints = 200;

/** Everything that has to be stored before a stage runs, and the input of the next states. */
export interface Start {
  readonly document: WaypointDocument | DriftCheck;
  readonly record: ClusterRecord;
  readonly output: PlanClusterOutput;
}

/** The documents are written first: readers of the record rely on them. A check has no way of its own. */
export async function storeStart(
  deps: Using<'artifacts.putText' | 'clusters.put'>,
  { document, record, output }: Start,
  path?: PlannedPath,
): Promise<void> {
  const { waypointPrefix: prefix } = output;
  const documents = [[waypointKeys.document(prefix), document] as const, [waypointKeys.path(prefix), path] as const];
  await Promise.all(
    documents.flatMap(([key, content]) =>
      content === undefined ? [] : [deps.artifacts.putText(key, JSON.stringify(content), 'application/json')],
    ),
  );
  await deps.clusters.put(record);
}

/** Number and artifact prefix of the next waypoint, or check, of this run. */
export function nextPrefix(run: ClusterRun, record: ClusterRecord): { index: number; waypointPrefix: string } {
  const index = nextIndex(run, record);
  return { index, waypointPrefix: `${waypointsOf(run)}${String(index).padStart(2, '0')}` };
}

/** Numbers of waypoints continue within a run: files of one are never read as those of another. */
function nextIndex(run: ClusterRun, record: ClusterRecord): number {
  const prefix = waypointsOf(run);
  const last = record.waypointPrefix?.startsWith(prefix) ? Number(record.waypointPrefix.slice(prefix.length)) : -1;
  if (last + 1 < mostWaypoints) return last + 1;
  const message = `cluster ${run.cluster} started ${mostWaypoints} waypoints in the run ${run.runId} without reaching its end`;
  throw new PipelineError('InternalFault', message);
}

function waypointsOf(run: ClusterRun): string {
  return `runs/${run.namespace}/${run.name}/${run.runId}/${run.cluster}/w`;
}
