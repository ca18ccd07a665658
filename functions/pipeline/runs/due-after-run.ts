/** When a manifest is due after its run, and what is kept of a failure until then. */
import type { ManifestRecord } from '#contracts/records.ts';
import type { SettleManifestOutput } from '#contracts/state-inputs.ts';
import { earliest } from '#domain/due-times.ts';
import type { SettledCluster } from './run-summary.ts';

export interface Settling {
  readonly outcome: SettleManifestOutput['outcome'];
  readonly clusters: readonly Pick<SettledCluster, 'maintained'>[];
  /** Time of the next check, by the manifest and its nodes. */
  readonly checkAt: string | undefined;
  /** Time of the automatic retry of what failed. */
  readonly retryAt: string | undefined;
  /** Without checks, someone is still warned before certificates end. */
  readonly remindAt: string | undefined;
}

/** One that is done is due for its check; one that failed for its check, if anything of it can be checked, or its retry. */
export function dueAfterRun({
  outcome,
  clusters,
  checkAt,
  retryAt,
  remindAt,
}: Settling): Pick<ManifestRecord, 'dueAt' | 'failed'> {
  if (outcome === 'failed') {
    const next = clusters.some(({ maintained }) => maintained) ? checkAt : undefined;
    return dueAfterFailure(checkAt === undefined ? remindAt : next, retryAt);
  }
  const dueAt = (outcome === 'done' ? checkAt : undefined) ?? remindAt;
  return dueAt === undefined ? {} : { dueAt };
}

/** Whichever comes first; both are optional. */
export function dueAfterFailure(
  checkAt: string | undefined,
  retryAt: string | undefined,
): Pick<ManifestRecord, 'dueAt' | 'failed'> {
  const dueAt = earliest([checkAt, retryAt]);
  return { ...(dueAt !== undefined && { dueAt }), failed: retryAt === undefined ? {} : { retryAt } };
}

/** The result of a check of what failed before: it has done its work, unless something failed in it. */
export function checkedOutcome(
  summary: SettleManifestOutput,
  unfinished: readonly Pick<SettledCluster, 'failure'>[],
  runId: string,
): SettleManifestOutput {
  const failed = unfinished.some(({ failure }) => failure?.runId === runId);
  return failed || summary.outcome !== 'failed' ? summary : { outcome: 'done', Error: '', Cause: '' };
}
