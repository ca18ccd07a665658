/** Whether anything of a manifest is in progress. */
import type { ManifestStatus } from './records.ts';

/** Its last run has ended: it is done, or failed. */
export function hasEnded({ status }: { readonly status: ManifestStatus }): boolean {
  return status === 'Done' || status === 'Failed';
}
