/** Runs that never start: a newer version was stored before their turn, and is done instead of them. */
import type { ManifestRecord, RunRecord } from '#contracts/records.ts';

/**
 * The real status of the run. Only the newest run of a manifest can still start; an older one that says `Queued` was
 * passed over, also when the platform was killed before anyone could note it. Read the manifest after the run.
 */
export function withRealStatus(run: RunRecord, manifest: Pick<ManifestRecord, 'runId'> | undefined): RunRecord {
  const canBegin = run.status !== 'Queued' || run.runId === manifest?.runId;
  return canBegin ? run : { ...run, status: 'Superseded' };
}
