/** The record of a run that has settled. */
import type { ManifestKey, ManifestStatus, RunEvent, RunRecord, RunStatus } from '#contracts/records.ts';
import type { SettleManifestOutput } from '#contracts/state-inputs.ts';
import type { Deps } from '../ports.ts';

type Outcome = SettleManifestOutput['outcome'];

export interface Ending {
  readonly key: ManifestKey;
  readonly runId: string;
  readonly at: string;
  readonly outcome: Outcome;
  /** What it came to, whether or not something newer follows. */
  readonly summary: SettleManifestOutput;
  readonly clusters: RunRecord['clusters'];
}

export const settleStatus = (summary: SettleManifestOutput): ManifestStatus =>
  summary.outcome === 'done' ? 'Done' : 'Failed';

export async function endRun(
  deps: Pick<Deps, 'runs' | 'events'>,
  { key, runId, at, outcome, summary, clusters }: Ending,
): Promise<void> {
  const status = runStatus(outcome, summary);
  const run = await deps.runs.get(key, runId);
  const event: RunEvent = {
    at,
    runId,
    level: summary.outcome === 'failed' && outcome !== 'newer' ? 'error' : 'info',
    ...told(status, summary),
  };
  await Promise.all([
    run && deps.runs.put({ ...run, status, endedAt: at, clusters }),
    deps.events.append(key, [event]),
  ]);
}

/** A run that got there has succeeded, also when something newer follows at once. */
function runStatus(outcome: Outcome, summary: SettleManifestOutput): RunStatus {
  if (summary.outcome === 'done') return 'Succeeded';
  return outcome === 'newer' ? 'Superseded' : 'Failed';
}

function told(status: RunStatus, summary: SettleManifestOutput): Pick<RunEvent, 'kind' | 'message'> {
  switch (status) {
    case 'Succeeded':
      return { kind: 'RunSucceeded', message: 'everything is as the manifest wishes' };
    case 'Superseded':
      return { kind: 'RunSuperseded', message: 'the manifest was changed meanwhile; the newer generation follows' };
    default:
      return { kind: 'RunFailed', message: summary.Cause };
  }
}
