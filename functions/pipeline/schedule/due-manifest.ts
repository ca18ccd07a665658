/** What the scheduler does about a manifest that is due. */
import { hasEnded } from '#contracts/has-ended.ts';
import type { Lease, ManifestHead, ManifestKey } from '#contracts/records.ts';
import { isPipelineError } from '#domain/errors.ts';
import { leaseTerm } from '../../manifest-store.ts';
import type { Using } from '../../ports.ts';
import { startNextAttempt } from '../manifests/next-attempt.ts';
import { isCancelled } from '../records/cancellation.ts';
import { cancelOverdueRun, runAtWork } from '../runs/cancel-run.ts';
import { type ReleasePorts, releaseRun } from '../runs/ended-run.ts';
import { endBuilds, leftByRun } from '../runs/left-builds.ts';
import { waitsForTemplates } from '../templates/held-templates.ts';
import { type EndedAction, type EndedPorts, handleEnded, handlePaused } from './ended-manifest.ts';

export type DueAction = EndedAction | 'prolonged' | 'stopped' | 'leftAlone' | 'started' | 'startedAgain' | 'finished';

/**
 * So many manifests are at work before the tick starts no more; what is due waits for a later tick. With checks every 6 hours that take 6
 * minutes, as they do in containers, this is the pace of 12,000 manifests.
 */
export const mostAtWork = 200;
/** Those of users may take all of that for hours: so many are started all the same. */
export const leastStarts = 20;

/** Leases are never left waiting; of what is to be started, what was missed comes before retries and checks for drift. */
export function inTurn(due: readonly ManifestHead[], atWork: number): readonly ManifestHead[] {
  const leased = due.filter(({ lease }) => lease);
  const waiting = due.filter(({ lease }) => !lease);
  const starts = [...waiting.filter((record) => !hasEnded(record)), ...waiting.filter(hasEnded)];
  return [...leased, ...starts.slice(0, Math.max(leastStarts, mostAtWork - atWork - leased.length))];
}

export type DuePorts = ReleasePorts &
  EndedPorts &
  Parameters<typeof cancelOverdueRun>[0] &
  Parameters<typeof startNextAttempt>[1] &
  Using<'manifests.renewLease' | 'workflows.status'>;

/**
 * A run that is alive keeps its lease; so does one that is gone, until no build of it runs any more: then it is finished. One that never
 * started is started; whether it is alive is asked first, as names of executions are free again after 90 days. A paused manifest is not
 * touched, and the tools of one that is being cancelled are asked once more, or stopped. One that is done or failed: `ended-manifest.ts`.
 */
export async function handleDue(head: ManifestHead, deps: DuePorts): Promise<DueAction> {
  const { namespace, name, generation, attempt, lease, runId } = head;
  const key = { namespace, name };
  if (lease) {
    const status = (await deps.workflows.status(lease.owner)) ?? 'ABORTED';
    if (status === 'RUNNING') {
      await prolong(key, lease, deps);
      if (head.cancelRequested === undefined) return 'prolonged';
      const atWork = (await runAtWork(deps, head)) ?? runId;
      if (!isCancelled(head, { runId: atWork })) return 'prolonged';
      await cancelOverdueRun(deps, key, head.cancelRequested);
      return 'stopped';
    }
    const ended = status === 'FAILED' || status === 'TIMED_OUT' ? status : 'ABORTED';
    // What finishes runs may have given up, or is still waiting: nothing is freed next to a build.
    const { running } = await endBuilds(deps, await leftByRun(deps, key, ended));
    if (running.length > 0) {
      await prolong(key, lease, deps);
      return 'leftAlone';
    }
    const holder = lease.owner.split(':').at(-1) ?? runId;
    const next = await releaseRun({ executionArn: lease.owner, runId: holder, status: ended, input: key }, deps);
    if (!next.startAgain) return 'finished';
    await startNextAttempt(next, deps);
    return 'startedAgain';
  }
  if (waitsForTemplates(head, deps.clock.now())) return 'leftAlone';
  if (head.paused || hasEnded(head)) {
    // What is next is in its document.
    const record = await deps.manifests.get(key);
    if (record?.runId !== runId || record.lease !== null) return 'leftAlone';
    return record.paused ? handlePaused(record, deps) : handleEnded(record, deps);
  }
  const status = await deps.workflows.statusOfRun(runId);
  // It is about to take the lease, or waits for its turn.
  if (status === 'RUNNING') return 'leftAlone';
  if (status === undefined) {
    await deps.workflows.startReconcile(runId, key);
    return 'started';
  }
  await startNextAttempt({ ...key, generation, attempt, reason: 'its start was missed' }, deps);
  return 'startedAgain';
}

/** A run that ended since it was asked has no lease any more: what it left is found by the next tick. */
async function prolong(key: ManifestKey, { fence }: Lease, { manifests, clock, config }: DuePorts): Promise<void> {
  try {
    await manifests.renewLease(key, fence, leaseTerm(clock.now(), config.KUBELOOM_LEASE_SECONDS));
  } catch (error) {
    if (!isPipelineError(error, 'LeaseLost')) throw error;
  }
}
