/** Requests about a run in progress: to stop at once, or after its waypoint. */
import { hasEnded } from '#contracts/has-ended.ts';
import type { ManifestHead, ManifestRecord } from '#contracts/records.ts';
import type { StageError } from '#contracts/stage.ts';

/** Cancelling the newest run cancels every older one that is still at work; a newer one is not meant. */
export function isCancelled(
  manifest: Pick<ManifestRecord, 'cancelRequested' | 'runId'> | undefined,
  run: { readonly runId: string },
): boolean {
  const wanted = manifest?.cancelRequested;
  return wanted !== undefined && (wanted === run.runId || wanted === manifest?.runId);
}

/** A run of it is in progress or waits to start, and has to stop. */
export const isBeingCancelled = (manifest: ManifestHead): boolean =>
  !hasEnded(manifest) && isCancelled(manifest, manifest);

/** The failure of what was cancelled; `during` says where it was, in words, `before` what had failed until then. */
export function cancelled(during: string, before?: Pick<StageError, 'code' | 'message'>): StageError {
  const cause =
    before && before.code !== 'Cancelled' ? ` Before that it had failed: ${before.code}: ${before.message}` : '';
  return {
    class: 'user',
    code: 'Cancelled',
    message: `The run was cancelled ${during}.${cause}`.slice(0, 2000),
    hint: 'Retry to continue from what exists, or change the manifest.',
    retryable: false,
  };
}
