/** Builds that no one waits for any more: nothing else may work on their cluster until they have ended. */
import type { ClusterRecord, ManifestKey } from '#contracts/records.ts';
import { type StopRequest, waypointKeys } from '#contracts/stage.ts';
import type { ClusterRun, EndedRunInput } from '#contracts/state-inputs.ts';
import { PipelineError } from '#domain/errors.ts';
import type { Using } from '../../ports.ts';
import { type AskPorts, askToStop } from './stop-requests.ts';

/** Builds of one waypoint. */
export interface LeftBuilds {
  /** Its prefix. */
  readonly waypoint: string;
  /** Where their runners look for the request to stop: each of them at one or more. */
  readonly places: readonly string[];
  readonly reason: StopRequest['reason'];
}

export interface EndedBuilds {
  /** How many were stopped, which in AWS kills them. */
  readonly stopped: number;
  /** Ids of those that have not ended yet. */
  readonly running: readonly string[];
}

/**
 * One step towards their end: runners are asked first, as a build that is stopped stores nothing of what its tool has done; those that
 * have not obeyed for `overdueSeconds` are stopped. To be repeated until none runs.
 */
export async function endBuilds(
  deps: AskPorts & Using<'builds.running' | 'builds.stop'>,
  left: readonly LeftBuilds[],
): Promise<EndedBuilds> {
  const waypoints = left.map(({ waypoint }) => waypoint);
  const running = await runningAt(deps, waypoints);
  if (running.length === 0) return { stopped: 0, running };
  const overdue = await Promise.all(left.map((one) => isOverdue(deps, one)));
  const stopped = await stopBuildsOf(
    deps,
    waypoints.filter((_, index) => overdue[index]),
  );
  return { stopped, running: stopped === 0 ? running : await runningAt(deps, waypoints) };
}

/** All of its runners were asked so long ago that those that still run do not obey. */
async function isOverdue(deps: AskPorts, { places, reason }: LeftBuilds): Promise<boolean> {
  return (await Promise.all(places.map((place) => askToStop(deps, place, reason)))).every(Boolean);
}

/** A stage may run. */
const atWork: readonly ClusterRecord['status'][] = ['Running', 'RollingBack', 'Checking'];

/** What an execution may have left at work that ended so. */
export async function leftByRun(
  deps: Using<'clusters.list'>,
  key: ManifestKey,
  status: EndedRunInput['status'],
): Promise<readonly LeftBuilds[]> {
  const prefixes = prefixesAtWork(await deps.clusters.list(key), atWork);
  const reason = status === 'ABORTED' ? 'cancelled' : 'late';
  return prefixes.map((waypoint) => leftOf(waypoint, reason));
}

/** The builds of a waypoint, whether it was being done or undone. */
export function leftOf(waypoint: string, reason: StopRequest['reason']): LeftBuilds {
  return { waypoint, places: [waypoint, waypointKeys.undo(waypoint)], reason };
}

/**
 * Whether builds of the last waypoint may run although nothing waits for them: another run was interrupted there or needs attention, or
 * it pauses because of a failure that no stage recorded, so that none has seen its build end.
 */
function mayBeLeft(
  { status, waypointPrefix, failure }: Pick<ClusterRecord, 'status' | 'waypointPrefix' | 'failure'>,
  { runId }: Pick<ClusterRun, 'runId'>,
): boolean {
  if (waypointPrefix === null) return false;
  if (status === 'BackingOff') return failure?.attemptPrefix === undefined;
  return [...atWork, 'NeedsAttention'].includes(status) && runOf(waypointPrefix) !== runId;
}

/** Throws `BuildStillRuns` when builds may be left that Stop Builds has not seen end. */
export function refuseNextToBuilds(
  record: ClusterRecord,
  run: Pick<ClusterRun, 'runId'>,
  stopped: { readonly waypoint: string | null } | undefined,
): void {
  const { waypointPrefix } = record;
  if (!mayBeLeft(record, run) || stopped?.waypoint === waypointPrefix) return;
  throw new PipelineError('BuildStillRuns', `builds of ${waypointPrefix} may still run`);
}

/** The run of the prefix of a waypoint: `runs/<namespace>/<name>/<run>/…`. */
export const runOf = (waypointPrefix: string): string => waypointPrefix.split('/')[3] ?? '';

/** Prefixes of the waypoints of clusters that are at work in one of these ways. */
export function prefixesAtWork(
  clusters: readonly ClusterRecord[],
  statuses: readonly ClusterRecord['status'][],
): readonly string[] {
  return clusters.flatMap(({ status, waypointPrefix }) =>
    waypointPrefix !== null && statuses.includes(status) ? [waypointPrefix] : [],
  );
}

/** Stops the builds of these waypoints; returns how many. It does not wait for their end. */
export async function stopBuildsOf(
  deps: Using<'builds.running' | 'builds.stop'>,
  prefixes: readonly string[],
): Promise<number> {
  const running = await runningAt(deps, prefixes);
  await Promise.all(running.map((build) => deps.builds.stop(build)));
  return running.length;
}

/** Ids of builds. */
async function runningAt({ builds }: Using<'builds.running'>, prefixes: readonly string[]): Promise<readonly string[]> {
  return (await Promise.all(prefixes.map((prefix) => builds.running(prefix)))).flat();
}
