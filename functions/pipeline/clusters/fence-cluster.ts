/** A run takes over a cluster: from its first write on, all writes of older runs are refused. */
import type { ClusterRecord, ManifestRecord } from '#contracts/records.ts';
import { isPipelineError, PipelineError } from '#domain/errors.ts';
import type { Using } from '../../ports.ts';
import { marksBefore } from '../stages/done-stages.ts';

export interface TakeOver {
  readonly manifest: ManifestRecord;
  readonly record: ClusterRecord;
  readonly fence: number;
}

/** Often enough for an older run that is just writing its last. */
const tries = 5;

/** Does nothing for a cluster without a stored record. Throws `LeaseLost` when a newer run has it. */
export async function takeOver(
  deps: Using<'clusters.get' | 'clusters.put'>,
  { manifest, record, fence }: TakeOver,
): Promise<void> {
  let found: ClusterRecord | undefined = record;
  for (let left = tries; found !== undefined && found.version > 0 && found.fence < fence; left--) {
    const { doneStages: _done, unreached, ...rest } = found;
    const doneStages = manifest.retryFrom ? marksBefore(found, manifest.retryFrom) : found.doneStages;
    try {
      // How an earlier change ended is of no matter once another one starts.
      const kept = { ...(doneStages && { doneStages }), ...(manifest.check && unreached && { unreached }) };
      return await deps.clusters.put({ ...rest, ...kept, version: rest.version + 1, fence });
    } catch (error) {
      if (left === 0 || !isPipelineError(error, 'VersionConflict')) throw error;
      found = await deps.clusters.get({ namespace: record.namespace, name: record.manifest }, record.cluster);
    }
  }
}

/**
 * Before a run deletes what a newer one may need and no condition of the table protects. Throws `LeaseLost` when a newer run has
 * taken the cluster over.
 */
export function refuseOlderRun(record: ClusterRecord, run: { readonly fence: number }): void {
  if (record.fence > run.fence)
    throw new PipelineError('LeaseLost', `a newer run has taken over ${record.cluster}; this one changes nothing more`);
}
