/** Builds that no one waits for any more: nothing else may work on their cluster until they have ended. */
import type { ClusterRecord, ManifestKey } from '#contracts/records.ts';
import type { StopRequest } from '#contracts/stage.ts';
import type { EndedRunInput } from '#contracts/state-inputs.ts';
import type { Using } from '../../ports.ts';
import { type AskPorts, askToStop } from './stop-requests.ts';

/** Builds of one waypoint. */
export interface LeftBuilds {
  /** Its prefix. */
  readonly waypoint: string;
  /** Where their runners look for the request to stop. */
  readonly place: string;
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
  const overdue = await Promise.all(left.map(({ place, reason }) => askToStop(deps, place, reason)));
  const stopped = await stopBuildsOf(
    deps,
    waypoints.filter((_, index) => overdue[index]),
  );
  return { stopped, running: stopped === 0 ? running : await runningAt(deps, waypoints) };
}

/** What an execution may have left at work that ended so. */
export async function leftByRun(
  deps: Using<'clusters.list'>,
  key: ManifestKey,
  status: EndedRunInput['status'],
): Promise<readonly LeftBuilds[]> {
  const prefixes = prefixesAtWork(await deps.clusters.list(key), ['Running', 'RollingBack', 'Checking']);
  const reason = status === 'ABORTED' ? 'cancelled' : 'late';
  return prefixes.map((waypoint) => ({ waypoint, place: waypoint, reason }));
}

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
