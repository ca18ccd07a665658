/** What is kept of a manifest when its run ends, and when it is due again. */
import type { ManifestRecord } from '#contracts/records.ts';
import type { SettleManifestOutput } from '#contracts/state-inputs.ts';
import { earliest } from '#domain/due-times.ts';
import type { SettledWith } from '../../manifest-store.ts';
import { earlierCheck, nextCheckOf } from '../drift/drift-policy.ts';
import { dueAfterRun } from './due-after-run.ts';
import { planRetry, type RetryPlan } from './retry-plan.ts';
import type { SettledCluster } from './run-summary.ts';
import type { ClustersAtEnd } from './settled-clusters.ts';

export interface EndedRun {
  readonly summary: Pick<SettleManifestOutput, 'outcome'>;
  readonly unfinished: readonly SettledCluster[];
  readonly cancelled: boolean;
  readonly now: Date;
}

/** `retry`: absent where nothing failed, where a person cancelled it, and where the run only checked what exists. */
export function afterRun(
  manifest: ManifestRecord,
  { clusters, maintained, acceptedCost }: ClustersAtEnd,
  { summary: { outcome }, unfinished, cancelled, now }: EndedRun,
): { readonly retry: RetryPlan | undefined; readonly also: SettledWith } {
  const retry = outcome === 'failed' && !cancelled && !maintained ? planRetry(manifest, unfinished, now) : undefined;
  const checkAt = earlierCheck(nextCheckOf(manifest, now), clusters, now);
  const { retryAt = retry?.dueAt } = maintained ?? {};
  const remindAt = earliest(clusters.map(({ warnAt }) => warnAt));
  const next = dueAfterRun({ outcome, clusters, checkAt, retryAt, remindAt });
  const also = { ...next, ...dueForTemplates(manifest, { outcome, retryAt, dueAt: next.dueAt, now }) };
  const served = clusters.flatMap(({ names }) => names);
  return { retry, also: { ...also, served, ...(outcome === 'done' && acceptedCost && { acceptedCost }) } };
}

interface NextOfRun extends Pick<SettledWith, 'dueAt'> {
  readonly outcome: SettleManifestOutput['outcome'];
  readonly retryAt: string | undefined;
  readonly now: Date;
}

/** Its templates have to be compared, or those that it used without a person have failed for good: that does not wait for a check. */
function dueForTemplates(
  { templatesAsked, taking, deleting }: ManifestRecord,
  { outcome, retryAt, dueAt, now }: NextOfRun,
): SettledWith {
  if (deleting || outcome === 'newer' || outcome === 'paused') return {};
  const failed = taking !== undefined && outcome === 'failed' && retryAt === undefined;
  if (templatesAsked === undefined) return failed ? { dueAt: now.toISOString() } : {};
  const { since } = templatesAsked;
  return { dueAt: now.toISOString(), templatesAsked: { since, ...(dueAt !== undefined && { dueAt }) } };
}
