/** Cancelling: the request is stored, and running tools are asked to stop; the run itself ends in order. */
import type { ManifestHead, ManifestKey } from '#contracts/records.ts';
import type { Using } from '../../ports.ts';
import { isCancelled } from '../records/cancellation.ts';
import { prefixesAtWork, runOf, stopBuildsOf } from './left-builds.ts';
import { type AskPorts, askToStop } from './stop-requests.ts';

/** After this time the scheduler checks whether a tool was about to start when the others were asked. */
const lookAgainSeconds = 15;

type CancelPorts = AskPorts & Using<'clusters.list' | 'manifests.requestCancel'>;

/** Id of the run that is in progress: the newest may still wait for the one before it. Undefined if no run is. */
export async function runAtWork(deps: Using<'runs.list'>, manifest: ManifestHead): Promise<string | undefined> {
  if (!manifest.lease) return undefined;
  const recent = (await deps.runs.list(manifest, 10)).items;
  return recent.find(({ status }) => status === 'Running')?.runId ?? manifest.runId;
}

/** Returns what is stored. Throws `NotFound`. */
export async function cancelRun(deps: CancelPorts, key: ManifestKey, runId: string): Promise<ManifestHead> {
  const { manifest } = await cancelAtWork(deps, key, runId);
  return manifest;
}

/** Cancels it again; builds of tools that have not obeyed are stopped, which in AWS kills them. */
export async function cancelOverdueRun(
  deps: CancelPorts & Using<'builds.running' | 'builds.stop'>,
  key: ManifestKey,
  runId: string,
): Promise<void> {
  const { overdue } = await cancelAtWork(deps, key, runId);
  await stopBuildsOf(deps, overdue);
}

async function cancelAtWork(
  deps: CancelPorts,
  key: ManifestKey,
  runId: string,
): Promise<{ readonly manifest: ManifestHead; readonly overdue: readonly string[] }> {
  const lookAgain = new Date(deps.clock.now().getTime() + lookAgainSeconds * 1000).toISOString();
  // Read before the manifest says which run is the newest: what a newer one starts is not among them.
  const clusters = await deps.clusters.list(key);
  const manifest = await deps.manifests.requestCancel(key, runId, lookAgain);
  const meant = prefixesAtWork(clusters, ['Running', 'Checking']).filter((prefix) =>
    isCancelled(manifest, { runId: runOf(prefix) }),
  );
  const asked = meant.map(async (prefix) => ((await askToStop(deps, prefix, 'cancelled')) ? [prefix] : []));
  return { manifest, overdue: (await Promise.all(asked)).flat() };
}
