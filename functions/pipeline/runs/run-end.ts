/** The record of a run that has settled. */
import type { ManifestKey, ManifestStatus, NewEvent, RunRecord, RunStatus } from '#contracts/records.ts';
import type { SettleManifestOutput } from '#contracts/state-inputs.ts';
import { type KindOf, levelOf, type Reported } from '#domain/event-kinds.ts';
import type { Using } from '../../ports.ts';

type Outcome = SettleManifestOutput['outcome'];

export interface Ending {
  readonly key: ManifestKey;
  readonly runId: string;
  readonly at: string;
  readonly outcome: Outcome;
  /** Its outcome, whether or not a newer version follows. */
  readonly summary: SettleManifestOutput;
  /** It was cancelled. */
  readonly cancelled: boolean;
  readonly clusters: RunRecord['clusters'];
  /** It was only a drift check, or the edit of a Terraform state. @default neither */
  readonly only?: 'check' | 'edit' | undefined;
}

const settled = { done: 'Done', paused: 'Pending', failed: 'Failed', newer: 'Failed' } as const;

export const settleStatus = (summary: SettleManifestOutput): ManifestStatus => settled[summary.outcome];

/**
 * Ends the record. Returns the event that reports it; none for a run that waits as before. It is appended with those around it: events of
 * the same millisecond have an order only within one batch.
 */
export async function endRun(
  deps: Using<'runs.get' | 'runs.put'>,
  { key, runId, at, outcome, summary, cancelled, clusters, only }: Ending,
): Promise<NewEvent | undefined> {
  const run = await deps.runs.get(key, runId);
  // It never started: the manifest is paused, and the run waits as before.
  if (summary.outcome === 'paused' && run?.status === 'Queued') return undefined;
  const status = runStatus(outcome, summary, cancelled);
  const event = reported(status, summary, only);
  if (run) await deps.runs.put({ ...run, status, endedAt: at, clusters });
  return { at, runId, ...event, level: levelOf(event) };
}

/** A run that reached its target has succeeded, also when a newer version follows at once. */
function runStatus(outcome: Outcome, summary: SettleManifestOutput, cancelled: boolean): RunStatus {
  if (summary.outcome === 'done') return 'Succeeded';
  if (summary.outcome === 'paused' || cancelled) return 'Aborted';
  return outcome === 'newer' ? 'Superseded' : 'Failed';
}

const succeeded = { check: 'the drift check is done', edit: 'the Terraform state is edited' } as const;

function reported(
  status: RunStatus,
  summary: SettleManifestOutput,
  only: Ending['only'],
): Reported<KindOf<'manifest'>> {
  switch (status) {
    case 'Succeeded':
      return {
        kind: 'RunSucceeded',
        message: only ? succeeded[only] : 'everything is in the desired state',
      };
    case 'Superseded':
      return {
        kind: 'RunSuperseded',
        message: 'the manifest was changed meanwhile; the newer generation follows',
      };
    case 'Aborted':
      if (summary.outcome === 'paused') {
        return { kind: 'RunPaused', message: 'the manifest is paused; resume it to continue' };
      }
      return { kind: 'RunCancelled', message: `the run was cancelled; ${summary.Cause}` };
    default:
      return { kind: 'RunFailed', message: summary.Cause };
  }
}
