/** Starting a check for drift of a manifest that is done or failed: a run of its own, of the same generation and attempt. */
import type { ManifestHead } from '#contracts/records.ts';
import type { CheckPolicy } from '#domain/drift.ts';
import type { Using } from '../../ports.ts';
import { startRun } from '../manifests/next-generation.ts';
import { missedStartSeconds } from '../records/next-record.ts';
import { checkRunId } from '../records/run-ids.ts';

/** The manifest as it is stored then. Throws `VersionConflict` when it was changed at that moment. */
export async function startDriftCheck(
  deps: Using<'manifests.replace' | 'runs.put' | 'workflows.startReconcile' | 'clock'>,
  stored: ManifestHead,
  { policy, reason }: { readonly policy: CheckPolicy; readonly reason: string },
): Promise<ManifestHead> {
  const record = await storeDriftCheck(deps, stored, policy);
  await startRun(deps, record, reason);
  return record;
}

/** The same for one whose run another starts. */
export async function storeDriftCheck(
  deps: Using<'manifests.replace' | 'clock'>,
  stored: ManifestHead,
  policy: CheckPolicy,
): Promise<ManifestHead> {
  const record = nextCheck(deps, stored, policy);
  const { generation, attempt, checks = 0 } = stored;
  await deps.manifests.replace(record, { generation, attempt, checks });
  return record;
}

/** The record of the run that follows: a check, or what takes its place. */
export function nextCheck<Stored extends ManifestHead>(
  deps: Using<'clock'>,
  stored: Stored,
  policy: CheckPolicy,
): Omit<Stored, 'retryFrom' | 'debug' | 'stateEdit'> {
  const { retryFrom: _from, debug: _debug, stateEdit: _edit, ...rest } = stored;
  const now = deps.clock.now();
  const checks = (stored.checks ?? 0) + 1;
  return {
    ...rest,
    checks,
    check: policy,
    ...(stored.status === 'Failed' && { failed: stored.failed ?? {} }),
    status: 'Pending',
    runId: checkRunId(stored, checks),
    updatedAt: now.toISOString(),
    dueAt: new Date(now.getTime() + missedStartSeconds * 1000).toISOString(),
  };
}
