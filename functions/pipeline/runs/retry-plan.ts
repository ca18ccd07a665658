/** Whether and when a failed manifest is retried automatically. */
import type { ManifestRecord, NewEvent } from '#contracts/records.ts';
import { mostRetries, mostRetriesOfTemplates, nextRetryAt } from '#domain/due-times.ts';
import type { ErrorClass } from '#domain/errors.ts';
import { levelOf, type Reported } from '#domain/event-kinds.ts';
import { failurePolicy, type Restart } from '#domain/failure-policy.ts';
import type { SettledCluster } from './run-summary.ts';

export interface RetryPlan {
  /** Absent: it is not retried automatically. */
  readonly dueAt?: string;
  /** The event that reports it. */
  readonly event: Reported<'RetryScheduled' | 'RetriesUsedUp'>;
}

/** Undefined when no cluster failed of something that disappears without a change of the manifest. */
export function planRetry(
  manifest: Pick<ManifestRecord, 'uid' | 'name' | 'retries' | 'taking'>,
  unfinished: readonly Pick<SettledCluster, 'failure' | 'heldPools'>[],
  now: Date,
): RetryPlan | undefined {
  const passing = unfinished.flatMap(classesOf).find((name) => failurePolicy[name].restart === 'scheduled');
  return passing && planRetryOf(manifest, failurePolicy[passing].because, now);
}

/** The same for a run that broke, whatever its clusters say. */
export function planRetryOf(
  manifest: Pick<ManifestRecord, 'uid' | 'name' | 'retries' | 'taking'>,
  because: string,
  now: Date,
): RetryPlan {
  const { uid, name, retries = 0 } = manifest;
  const most = mostRetriesOf(manifest);
  const dueAt = nextRetryAt(now, retries, `${uid}/${name}`, most);
  if (dueAt === undefined) {
    const message = `${most} automatic retries did not help: it needs a retry by a person or a changed manifest (${because})`;
    return { event: { kind: 'RetriesUsedUp', message } };
  }
  const message = `it will be retried at ${dueAt}, retry ${retries + 1} of ${most} (${because})`;
  return { dueAt, event: { kind: 'RetryScheduled', message } };
}

export function mostRetriesOf({ taking }: Pick<ManifestRecord, 'taking'>): number {
  return taking === undefined ? mostRetries : mostRetriesOfTemplates;
}

/** Whether something of these clusters failed of a class that this starts again. */
export function failedFor(
  restart: Restart,
  clusters: readonly Pick<SettledCluster, 'failure' | 'heldPools'>[],
): boolean {
  return clusters.flatMap(classesOf).some((name) => failurePolicy[name].restart === restart);
}

/** An execution that ended without an outcome was interrupted by the platform. */
function classesOf({ failure, heldPools = [] }: Pick<SettledCluster, 'failure' | 'heldPools'>): readonly ErrorClass[] {
  const held = heldPools.map((pool) => pool.failure.class);
  if (failure) return [failure.class, ...held];
  return held.length > 0 ? held : ['platform'];
}

export function retryEvent({ event }: RetryPlan, at: string, runId: string): NewEvent {
  return { ...event, at, runId, level: levelOf(event) };
}
