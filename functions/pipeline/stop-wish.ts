/** What people said about a run under way: that it is to stop at once, or after its waypoint. */
import type { ManifestRecord } from '#contracts/records.ts';
import type { StageError } from '#contracts/stage.ts';

/** Cancelling the newest run cancels every older one that is still at work; a newer one is not meant. */
export function isCancelled(
  manifest: Pick<ManifestRecord, 'cancelRequested' | 'runId'> | undefined,
  run: { readonly runId: string },
): boolean {
  const wanted = manifest?.cancelRequested;
  return wanted !== undefined && (wanted === run.runId || wanted === manifest?.runId);
}

/** The failure of what was cancelled; `during` says where it was, in words. */
export function cancelled(during: string): StageError {
  return {
    class: 'user',
    code: 'Cancelled',
    message: `The run was cancelled ${during}.`,
    hint: 'Retry to go on from what stands, or change the manifest.',
    retryable: false,
  };
}
