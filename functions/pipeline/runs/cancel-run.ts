/** Cancelling: the request is stored, and running tools are asked to stop; the run itself ends in order. */
import type { ClusterRecord, ManifestKey, ManifestRecord } from '#contracts/records.ts';
import type { Using } from '../../ports.ts';
import { type AskPorts, askToStop } from './stop-requests.ts';

/** After this time the scheduler checks whether a tool was about to start when the others were asked. */
const lookAgainSeconds = 15;

export interface Cancellation {
  readonly runId: string;
  /** Stop just this run's tools. @default those of every run of the manifest */
  readonly only?: true;
}

type CancelPorts = AskPorts & Using<'clusters.list' | 'manifests.requestCancel'>;

/** Returns the stored manifest. Throws `NotFound`. */
export async function cancelRun(
  deps: CancelPorts,
  key: ManifestKey,
  cancellation: Cancellation,
): Promise<ManifestRecord> {
  const { manifest } = await cancelAtWork(deps, key, cancellation);
  return manifest;
}

/** Cancels it again; builds of tools that have not obeyed are stopped, which in AWS kills them. */
export async function cancelOverdueRun(
  deps: CancelPorts & Using<'builds.running' | 'builds.stop'>,
  key: ManifestKey,
  cancellation: Cancellation,
): Promise<void> {
  const { overdue } = await cancelAtWork(deps, key, cancellation);
  await stopBuildsOf(deps, overdue);
}

async function cancelAtWork(
  deps: CancelPorts,
  key: ManifestKey,
  { runId, only }: Cancellation,
): Promise<{ readonly manifest: ManifestRecord; readonly overdue: readonly string[] }> {
  const lookAgain = new Date(deps.clock.now().getTime() + lookAgainSeconds * 1000).toISOString();
  const manifest = await deps.manifests.requestCancel(key, runId, lookAgain);
  const clusters = await deps.clusters.list(key);
  const meant = clusters.filter(({ waypointPrefix }) => !only || waypointPrefix?.split('/').includes(runId));
  const asked = prefixesAtWork(meant, ['Running', 'Checking']).map(async (prefix) =>
    (await askToStop(deps, prefix, 'cancelled')) ? [prefix] : [],
  );
  return { manifest, overdue: (await Promise.all(asked)).flat() };
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
