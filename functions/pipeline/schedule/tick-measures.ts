/** Measures of a tick: alarms watch leases that are not released, runs that do not end, and checks that are late. */
import { hasEnded } from '#contracts/has-ended.ts';
import type { ManifestRecord } from '#contracts/records.ts';
import type { Using } from '../../ports.ts';

/** Seconds; 0 when no manifest is due. */
export interface TickMeasures {
  /** How long the oldest lease has been expired without being freed. */
  readonly leaseOverdueSeconds: number;
  /** How long the longest active run has been at work. */
  readonly longestRunSeconds: number;
  /** How long the check or retry that is due for longest has been due; 0 while all are within a few ticks. */
  readonly checksOverdueSeconds: number;
}

/** What waits for so long is not late yet: a measure above 0 costs money in AWS. */
const inTimeSeconds = 900;

/** Delays of the manifests that were due; all others are in time. */
export async function measureTick(
  due: readonly Pick<ManifestRecord, 'namespace' | 'name' | 'runId' | 'lease' | 'status' | 'dueAt'>[],
  deps: Using<'runs.get' | 'clock'>,
): Promise<TickMeasures> {
  const now = deps.clock.now().getTime();
  const secondsSince = (time: string): number => Math.max(0, Math.round((now - Date.parse(time)) / 1000));
  const ended = due.filter((record) => !record.lease && record.dueAt !== undefined && hasEnded(record));
  const overdue = Math.max(0, ...ended.map(({ dueAt = '' }) => secondsSince(dueAt)));
  const leased = due.flatMap((record) => (record.lease ? [{ record, lease: record.lease }] : []));
  const runs = await Promise.allSettled(leased.map(({ record }) => deps.runs.get(record, record.runId)));
  // A run that cannot be read is reported where it is needed; it must not keep the tick from its work.
  const known = runs.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : undefined));
  const atWork = known.filter((run) => run?.status === 'Running');
  return {
    leaseOverdueSeconds: Math.max(0, ...leased.map(({ lease }) => secondsSince(lease.expiresAt))),
    longestRunSeconds: Math.max(0, ...atWork.map((run) => secondsSince(run?.startedAt ?? run?.queuedAt ?? ''))),
    checksOverdueSeconds: overdue > inTimeSeconds ? overdue : 0,
  };
}
