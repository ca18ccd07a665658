/** Cancelling: the request is stored, then running tools are stopped; the run itself ends in order. */
import type { ClusterRecord, ManifestKey, ManifestRecord } from '#contracts/records.ts';
import type { Using } from '../../ports.ts';

/** After this time the scheduler checks whether a tool was about to start when the others were stopped. */
const lookAgainSeconds = 15;

export interface Cancellation {
  readonly runId: string;
  /** Stop just this run's tools. @default those of every run of the manifest */
  readonly only?: true;
}

/** Returns the stored manifest. Throws `NotFound`. */
export async function cancelRun(
  deps: Using<'builds.running' | 'builds.stop' | 'clusters.list' | 'manifests.requestCancel' | 'clock'>,
  key: ManifestKey,
  { runId, only }: Cancellation,
): Promise<ManifestRecord> {
  const lookAgain = new Date(deps.clock.now().getTime() + lookAgainSeconds * 1000).toISOString();
  const manifest = await deps.manifests.requestCancel(key, runId, lookAgain);
  const clusters = await deps.clusters.list(key);
  const meant = clusters.filter(({ waypointPrefix }) => !only || waypointPrefix?.split('/').includes(runId));
  await stopBuildsOf(deps, prefixesAtWork(meant, ['Running', 'Checking']));
  return manifest;
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
  { builds }: Using<'builds.running' | 'builds.stop'>,
  prefixes: readonly string[],
): Promise<number> {
  const running = (await Promise.all(prefixes.map((prefix) => builds.running(prefix)))).flat();
  await Promise.all(running.map((build) => builds.stop(build)));
  return running.length;
}
