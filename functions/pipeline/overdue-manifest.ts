/** What the scheduler does about a manifest that should have moved on by now. */
import type { ManifestRecord } from '#contracts/records.ts';
import type { Deps } from '../ports.ts';
import { cancelRun } from './cancel-run.ts';
import { releaseRun } from './ended-run.ts';
import { leaseTerm } from './lease-term.ts';
import { startNextAttempt } from './next-attempt.ts';
import { runAtWork } from './run-at-work.ts';
import { isCancelled } from './stop-wish.ts';

export type Care = 'prolonged' | 'stopped' | 'leftAlone' | 'started' | 'startedAgain' | 'finished';

/**
 * A run that is alive keeps its lease; one that is gone is finished; one that never began is started. What is paused is
 * left alone, and what is being cancelled has its tools stopped once more.
 */
export async function lookAfter(record: ManifestRecord, deps: Deps): Promise<Care> {
  const { namespace, name, generation, attempt, lease, runId } = record;
  const key = { namespace, name };
  if (lease) {
    const status = (await deps.workflows.status(lease.owner)) ?? 'ABORTED';
    if (status === 'RUNNING') {
      const term = leaseTerm(deps.clock.now(), deps.config.KUBELOOM_LEASE_SECONDS);
      await deps.manifests.renewLease(key, lease.fence, term);
      if (record.cancelRequested === undefined) return 'prolonged';
      const atWork = (await runAtWork(deps, record)) ?? runId;
      if (!isCancelled(record, { runId: atWork })) return 'prolonged';
      await cancelRun(deps, key, { runId: record.cancelRequested });
      return 'stopped';
    }
    const ended = status === 'FAILED' || status === 'TIMED_OUT' ? status : 'ABORTED';
    const holder = lease.owner.split(':').at(-1) ?? runId;
    const next = await releaseRun({ executionArn: lease.owner, runId: holder, status: ended, input: key }, deps);
    if (!next.startAgain) return 'finished';
    await startNextAttempt(next, deps);
    return 'startedAgain';
  }
  if (record.paused) {
    const { dueAt: _due, ...rest } = record;
    await deps.manifests.replace(rest, { generation, attempt });
    return 'leftAlone';
  }
  const executionArn = await deps.workflows.startReconcile(runId, key);
  if ((await deps.workflows.status(executionArn)) === 'RUNNING') return 'started';
  await startNextAttempt({ ...key, generation, attempt, reason: 'its start was missed' }, deps);
  return 'startedAgain';
}
