/** What the scheduler does about a manifest that is due. */
import type { Lease, ManifestHead, ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { earliest, mostRetries, nextRetryAt } from '#domain/due-times.ts';
import { isPipelineError } from '#domain/errors.ts';
import { leaseTerm } from '../../manifest-store.ts';
import type { Using } from '../../ports.ts';
import { checkPolicyOf, nextCheckOf } from '../drift/drift-policy.ts';
import { startDriftCheck } from '../drift/start-drift-check.ts';
import { type MovedTemplates, movedTemplates } from '../manifests/moved-templates.ts';
import { startNextAttempt } from '../manifests/next-attempt.ts';
import { isCancelled } from '../records/cancellation.ts';
import { cancelOverdueRun, runAtWork } from '../runs/cancel-run.ts';
import { dueAfterFailure } from '../runs/due-after-run.ts';
import { type ReleasePorts, releaseRun } from '../runs/ended-run.ts';
import { endBuilds, leftByRun } from '../runs/left-builds.ts';
import { remindOfExpiry } from './expiry-reminders.ts';
import { hasEnded } from './tick-measures.ts';

export type DueAction =
  | 'prolonged'
  | 'stopped'
  | 'leftAlone'
  | 'started'
  | 'startedAgain'
  | 'finished'
  | 'checked'
  | 'retried'
  | 'reminded';

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
  Parameters<typeof startDriftCheck>[0] &
  Using<'manifests.renewLease' | 'workflows.status'>;

/**
 * A run that is alive keeps its lease; so does one that is gone, until no build of it runs any more: then it is finished. One that never
 * started is started; whether it is alive is asked first, as names of executions are free again after 90 days. A paused manifest is not
 * touched, and the tools of one that is being cancelled are asked once more, or stopped. One that is done is checked for drift,
 * one that failed is retried at its time and checked until then; for both it is reported when branches or tags of their templates have moved.
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
  if (head.paused || hasEnded(head)) {
    // What is next is in its document.
    const record = await deps.manifests.get(key);
    return record?.runId === runId && record.lease === null ? handleIdle(record, deps) : 'leftAlone';
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

function prolong(key: ManifestKey, { fence }: Lease, { manifests, clock, config }: DuePorts): Promise<void> {
  return manifests.renewLease(key, fence, leaseTerm(clock.now(), config.KUBELOOM_LEASE_SECONDS));
}

async function handleIdle(record: ManifestRecord, deps: DuePorts): Promise<DueAction> {
  if (!record.paused) return hasEnded(record) ? unlessChanged(startEnded(record, deps)) : 'leftAlone';
  const { dueAt: _due, generation, attempt, ...rest } = record;
  // It may be resumed by then; nothing else would schedule its checks and retries again.
  const now = deps.clock.now();
  const { change, again } = await remindOfExpiry(deps, record, now);
  const dueAt = earliest([nextDueOf(record, now), again]);
  const next = { ...rest, ...change, generation, attempt, ...(dueAt !== undefined && { dueAt }) };
  await deps.manifests.replace(next, { generation, attempt });
  return 'leftAlone';
}

/** When a paused manifest is due next. */
function nextDueOf(record: ManifestRecord, now: Date): string | undefined {
  if (record.status === 'Done') return nextCheckOf(record, now);
  if (record.status !== 'Failed') return undefined;
  const retryAt = nextRetryAt(now, record.retries ?? 0, `${record.uid}/${record.name}`);
  return dueAfterFailure(nextCheckOf(record, now), retryAt).dueAt;
}

type EndedPorts = Parameters<typeof startDriftCheck>[0] &
  Parameters<typeof startNextAttempt>[1] &
  Parameters<typeof movedTemplates>[0] &
  Parameters<typeof remindOfExpiry>[0];

async function startEnded(record: ManifestRecord, deps: EndedPorts): Promise<DueAction> {
  const now = deps.clock.now();
  const retries = record.status === 'Failed' && isRetryDue(record, now);
  if (!retries && nextCheckOf(record, now) === undefined) return remind(record, deps, now);
  const moved = await movedTemplates(deps, record, retries);
  if (moved && moved.events.length > 0) await deps.events.append(record, moved.events);
  return retries ? retry(record, deps, moved) : check(record, deps, moved);
}

/** One that failed before its checks were scheduled, too, was due for its retry alone. */
function isRetryDue({ failed }: ManifestRecord, now: Date): boolean {
  return failed === undefined || (failed.retryAt !== undefined && failed.retryAt <= now.toISOString());
}

async function check(record: ManifestRecord, deps: EndedPorts, moved: MovedTemplates | undefined): Promise<DueAction> {
  const seen = moved?.change.templatesSeen;
  await startDriftCheck(
    deps,
    { ...record, ...(seen && { templatesSeen: seen }) },
    { policy: checkPolicyOf(record), reason: 'drift check' },
  );
  return 'checked';
}

/** A manifest without checks is only reminded. */
async function remind(record: ManifestRecord, deps: EndedPorts, now: Date): Promise<DueAction> {
  const { dueAt: _due, generation, attempt, ...rest } = record;
  const { change, again } = await remindOfExpiry(deps, record, now);
  const { dueAt } = dueAfterFailure(again, record.failed?.retryAt);
  const next = { ...rest, ...change, generation, attempt, ...(dueAt !== undefined && { dueAt }) };
  await deps.manifests.replace(next, { generation, attempt });
  return 'reminded';
}

async function retry(
  { namespace, name, generation, attempt, retries: before = 0 }: ManifestRecord,
  deps: EndedPorts,
  moved: MovedTemplates | undefined,
): Promise<DueAction> {
  const retries = before + 1;
  const reason = `automatic retry ${retries} of ${mostRetries}`;
  const change = { retries, ...moved?.change };
  await startNextAttempt({ namespace, name, generation, attempt, reason }, deps, change);
  return 'retried';
}

/** Another request that was faster comes first. */
async function unlessChanged(action: Promise<DueAction>): Promise<DueAction> {
  return action.catch((error: unknown) => {
    if (!isPipelineError(error, 'VersionConflict')) throw error;
    return 'leftAlone';
  });
}
