/** What the scheduler does about a manifest that is due and has no run: its templates, its retry, its check for drift, its reminders. */
import { hasEnded } from '#contracts/has-ended.ts';
import type { ManifestRecord } from '#contracts/records.ts';
import { earliest, nextRetryAt } from '#domain/due-times.ts';
import { isPipelineError } from '#domain/errors.ts';
import { checkPolicyOf, nextCheckOf } from '../drift/drift-policy.ts';
import { startDriftCheck } from '../drift/start-drift-check.ts';
import { startNextAttempt } from '../manifests/next-attempt.ts';
import { dueAfterFailure } from '../runs/due-after-run.ts';
import { mostRetriesOf } from '../runs/retry-plan.ts';
import { goBack, hasFailedWithMoved } from '../templates/go-back.ts';
import { retryTemplates } from '../templates/retry-templates.ts';
import { remindOfExpiry } from './expiry-reminders.ts';

/** `wentBack`: a run without the templates that moved was started. */
export type EndedAction = 'leftAlone' | 'checked' | 'retried' | 'reminded' | 'wentBack';

export type EndedPorts = Parameters<typeof startDriftCheck>[0] &
  Parameters<typeof startNextAttempt>[1] &
  Parameters<typeof retryTemplates>[0] &
  Parameters<typeof goBack>[0] &
  Parameters<typeof remindOfExpiry>[0];

/** Another request that was faster comes first. */
export async function handleEnded(record: ManifestRecord, deps: EndedPorts): Promise<EndedAction> {
  try {
    return await startEnded(record, deps);
  } catch (error) {
    if (!isPipelineError(error, 'VersionConflict')) throw error;
    return 'leftAlone';
  }
}

/** Nothing is started: it is due again, as it may be resumed by then; nothing else would schedule its checks and retries. */
export async function handlePaused(record: ManifestRecord, deps: EndedPorts): Promise<EndedAction> {
  const now = deps.clock.now();
  const { change, again } = await remindOfExpiry(deps, record, now);
  const dueAt = earliest([nextDueOf(record, now), again]);
  const next = { ...record, ...change };
  // What moved is reported, and that is all.
  const templatesAsked = { since: now.toISOString(), ...(dueAt !== undefined && { dueAt }) };
  if (hasEnded(record) && hasOwnTemplates(record)) await store(deps, { ...next, templatesAsked }, now.toISOString());
  else await store(deps, next, dueAt);
  return 'leftAlone';
}

const hasOwnTemplates = ({ templates = {} }: ManifestRecord): boolean => Object.keys(templates).length > 0;

/** When a paused manifest is due next. */
function nextDueOf(record: ManifestRecord, now: Date): string | undefined {
  if (record.status === 'Done') return nextCheckOf(record, now);
  if (record.status !== 'Failed') return undefined;
  const retryAt = nextRetryAt(now, record.retries ?? 0, `${record.uid}/${record.name}`, mostRetriesOf(record));
  return dueAfterFailure(nextCheckOf(record, now), retryAt).dueAt;
}

async function startEnded(stored: ManifestRecord, deps: EndedPorts): Promise<EndedAction> {
  const now = deps.clock.now();
  if (hasFailedWithMoved(stored) && (await goBack(deps, stored))) return 'wentBack';
  const { taking, ...rest } = stored;
  const record = hasFailedWithMoved(stored) ? rest : stored;
  if (record.status === 'Failed' && isRetryDue(record, now)) return retry(deps, record, now);
  return nextCheckOf(record, now) === undefined ? remind(record, deps, now) : check(deps, record, now);
}

/** One that failed before its checks were scheduled, too, was due for its retry alone. */
function isRetryDue({ failed }: ManifestRecord, now: Date): boolean {
  return failed === undefined || (failed.retryAt !== undefined && failed.retryAt <= now.toISOString());
}

/** Templates of its own are compared after it: that asks repositories, and the check does not wait for them. */
async function check(deps: EndedPorts, record: ManifestRecord, now: Date): Promise<EndedAction> {
  const { templatesAsked: _, ...rest } = record;
  const asked = hasOwnTemplates(record) && { templatesAsked: { since: now.toISOString() } };
  await startDriftCheck(deps, { ...rest, ...asked }, { policy: checkPolicyOf(record), reason: 'drift check' });
  return 'checked';
}

/** A manifest without checks is only reminded. */
async function remind(record: ManifestRecord, deps: EndedPorts, now: Date): Promise<EndedAction> {
  const { change, again } = await remindOfExpiry(deps, record, now);
  const { dueAt } = dueAfterFailure(again, record.failed?.retryAt);
  await store(deps, { ...record, ...change }, dueAt);
  return 'reminded';
}

async function store(deps: EndedPorts, record: ManifestRecord, dueAt: string | undefined): Promise<void> {
  const { dueAt: _due, ...rest } = record;
  const { generation, attempt, checks = 0 } = record;
  await deps.manifests.replace({ ...rest, ...(dueAt !== undefined && { dueAt }) }, { generation, attempt, checks });
}

async function retry(deps: EndedPorts, record: ManifestRecord, now: Date): Promise<EndedAction> {
  const { namespace, name, generation, attempt, retries: before = 0, taking } = record;
  const retries = before + 1;
  const reason = `automatic retry ${retries} of ${mostRetriesOf(record)}`;
  const templates = await retryTemplates(deps, record);
  const templatesAsked = hasOwnTemplates(record) ? { since: now.toISOString() } : undefined;
  const change = { retries, templatesAsked, ...(templates && { templates, taking }) };
  await startNextAttempt({ namespace, name, generation, attempt, reason }, deps, change);
  return 'retried';
}
