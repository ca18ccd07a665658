/** A manifest whose run ended without settling: the lease is released, and the end is reported. */
import type { ManifestHead, NewEvent, RunRecord } from '#contracts/records.ts';
import type { EndedRunInput, ReleaseRunOutput, StateError } from '#contracts/state-inputs.ts';
import { failurePolicy, restartPauseSeconds } from '#domain/failure-policy.ts';
import type { Using } from '../../ports.ts';
import { isCancelled } from '../records/cancellation.ts';
import { dueAfterFailure } from './due-after-run.ts';
import { planRetryOf, type RetryPlan, retryEvent } from './retry-plan.ts';
import { innermost, passes } from './service-faults.ts';

/** Runs that are read: at least as many as `KUBELOOM_MAX_CUT_OFFS` may be. */
const recentRuns = 20;

export type ReleasePorts = Using<
  | 'manifests.releaseLease'
  | 'manifests.replace'
  | 'runs.list'
  | 'runs.put'
  | 'events.append'
  | 'workflows.fault'
  | 'workflows.statusOfRun'
  | 'clock'
  | 'config'
>;

/** Frees the lease, ends the run records, and says whether the manifest is to be started again. Doing it twice is fine. */
export async function releaseRun(ended: EndedRunInput, deps: ReleasePorts): Promise<ReleaseRunOutput> {
  const key = ended.input;
  const at = deps.clock.now().toISOString();
  const manifest = await deps.manifests.releaseLease(key, ended.executionArn);
  const recent = (await deps.runs.list(key, recentRuns)).items;
  const mine = recent.filter((run) => wasInterrupted(run, ended, manifest));
  const fault = ended.status === 'FAILED' ? await deps.workflows.fault(ended.executionArn) : undefined;
  const broke = fault && passes(innermost(fault)) ? fault : undefined;
  const status = ended.status === 'FAILED' && !broke ? ('Failed' as const) : ('Aborted' as const);
  await Promise.all(mine.map((run) => deps.runs.put({ ...run, status, endedAt: at })));
  const nothing = { reason: '', startAgain: false, pauseSeconds: 0 };
  if (!manifest) return { ...key, generation: 0, attempt: 0, ...nothing };

  const version = { ...key, generation: manifest.generation, attempt: manifest.attempt };
  const left = !manifest.lease && ['Pending', 'Running', 'Deleting'].includes(manifest.status);
  if (!left) return { ...version, ...nothing };
  const next = await nextFor(manifest, { ended, broke, mine, recent, deps });
  const messages = mine.map((run) => `the run ${run.runId} ended ${ended.status}: ${next.sentence}`);
  const tried = next.care === 'fail' && next.retry ? [retryEvent(next.retry, at, ended.runId)] : [];
  // Together: events of the same millisecond have an order only within one batch.
  await deps.events.append(key, [...messages.map((message) => runEvent(ended, at, message)), ...tried]);
  if (next.care === 'fail') await endWith('Failed', manifest, { at, ...dueOf(manifest, next, deps.clock.now()) }, deps);
  if (next.care === 'pause') await endWith('Pending', manifest, { at }, deps);
  const { sentence: reason, pauseSeconds = 0 } = next;
  return { ...version, reason, startAgain: next.care === 'start', pauseSeconds };
}

/** Runs that this execution was at work on: its own, and, as the lease is free, every other run that was in progress. */
function wasInterrupted(run: RunRecord, ended: EndedRunInput, manifest: ManifestHead | undefined): boolean {
  if (run.runId === ended.runId) return run.status === 'Running' || run.status === 'Queued';
  return run.status === 'Running' && !manifest?.lease;
}

interface Next {
  readonly care: 'start' | 'wait' | 'pause' | 'fail';
  readonly sentence: string;
  /** @default 0 */
  readonly pauseSeconds?: number;
  /** The automatic retry of a failed run. @default only a person retries it */
  readonly retry?: RetryPlan;
  /** It was a check of what exists, which is repeated at once. @default in an hour */
  readonly checkAgain?: boolean;
}

interface Aftermath {
  readonly ended: EndedRunInput;
  /** The fault that it broke by, when that is one that passes. */
  readonly broke: StateError | undefined;
  readonly mine: readonly RunRecord[];
  readonly recent: readonly RunRecord[];
  readonly deps: ReleasePorts;
}

async function nextFor(manifest: ManifestHead, { ended, broke, mine, recent, deps }: Aftermath): Promise<Next> {
  const check = manifest.check !== undefined && manifest.runId === ended.runId;
  const maintained = check && manifest.failed !== undefined;
  if (manifest.paused && !maintained)
    return { care: 'pause', sentence: 'the manifest is paused; resume it to continue' };
  if (isCancelled(manifest, manifest)) return { care: 'fail', sentence: 'it was cancelled' };
  const newest = recent.find((run) => run.runId === manifest.runId);
  // The run was stored but its record was not: it counts as queued.
  const waits = newest === undefined || newest.status === 'Queued';
  if (waits && manifest.runId !== ended.runId) {
    const alive = (await deps.workflows.statusOfRun(manifest.runId)) === 'RUNNING';
    return {
      care: alive ? 'wait' : 'start',
      sentence: `generation ${manifest.generation} waited for it and continues`,
    };
  }
  // The next run is not a check: it finishes what this one started, and if that breaks as well it has failed.
  if (check && !maintained)
    return {
      care: 'start',
      sentence: `it was ${whatIt(manifest)}; what it started is finished, and the next check starts at its regular time`,
    };
  if (ended.status === 'FAILED' && !broke && !maintained)
    return { care: 'fail', sentence: 'the run itself broke; retry once the cause is found' };
  // Runs outlive their manifest; an earlier one of the same name had another uid.
  const own = `${manifest.name}-${manifest.uid}-`;
  const sameGeneration = recent.filter((run) => run.generation === manifest.generation && run.runId.startsWith(own));
  const previous = sameGeneration.findIndex((run) => run.status !== 'Aborted' && !mine.includes(run));
  const inARow = previous < 0 ? sameGeneration.length : previous;
  const most = deps.config.KUBELOOM_MAX_CUT_OFFS;
  // What it started is checked again, and repaired: never by another attempt, which would lead to what failed.
  if (maintained) {
    const checkAgain = inARow < most;
    const when = checkAgain ? 'in some minutes' : 'in an hour';
    return {
      care: 'fail',
      checkAgain,
      sentence: `it was ${whatIt(manifest)}${manifest.stateEdit === undefined ? ' of what exists; another one' : '; a check'} follows ${when}`,
    };
  }
  if (broke && inARow < most) {
    const pauseSeconds = restartPauseSeconds(deps.config, inARow - 1);
    const sentence = `a service below did not answer in time (${innermost(broke).Error}); attempt ${inARow + 1} of ${most} is started in ${pauseSeconds} s`;
    return { care: 'start', sentence, pauseSeconds };
  }
  if (inARow < most) return { care: 'start', sentence: 'it was interrupted and is started again' };
  const sentence = `${inARow} attempts in a row were interrupted; find out why, then retry`;
  const retry = planRetryOf(manifest, failurePolicy.platform.because, deps.clock.now());
  return { care: 'fail', sentence, retry };
}

const whatIt = ({ stateEdit }: ManifestHead): string =>
  stateEdit === undefined
    ? 'a drift check'
    : 'an edit of a Terraform state (`kubeloom state list` says whether it was made)';

const hourMs = 3_600_000;

/** What exists of it is checked soon: its document, which has the interval, is not read here. */
function dueOf({ deleting, failed: before }: ManifestHead, { retry, checkAgain }: Next, now: Date): Failing {
  const checkAt = deleting ? undefined : new Date(now.getTime() + (checkAgain ? 0 : hourMs)).toISOString();
  return dueAfterFailure(checkAt, retry?.dueAt ?? before?.retryAt);
}

type Failing = ReturnType<typeof dueAfterFailure>;

/** Nothing else is due any more. */
async function endWith(
  status: ManifestHead['status'],
  manifest: ManifestHead,
  { at, ...next }: { readonly at: string } & Partial<Failing>,
  { manifests }: ReleasePorts,
): Promise<void> {
  const { dueAt: _due, ...rest } = manifest;
  const { generation, attempt } = manifest;
  await manifests.replace({ ...rest, status, updatedAt: at, ...next }, { generation, attempt });
}

function runEvent(ended: EndedRunInput, at: string, message: string): NewEvent {
  return { at, runId: ended.runId, level: 'warning', kind: 'RunCutOff', message };
}
