/** Runs that never begin: something newer was stored before they got their turn, and is done instead of them. */
import type { ManifestRecord, RunRecord } from '#contracts/records.ts';

/**
 * The run as it really stands. Only the newest run of a manifest can still begin; an older one that says `Queued` was
 * passed over, also when the platform was killed before anyone could note it. Read the manifest after the run.
 */
export function asItStands(run: RunRecord, manifest: Pick<ManifestRecord, 'runId'> | undefined): RunRecord {
  const canBegin = run.status !== 'Queued' || run.runId === manifest?.runId;
  return canBegin ? run : { ...run, status: 'Superseded' };
}
