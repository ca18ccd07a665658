/** What an edit of a Terraform state leaves in the record of its cluster: as it was, apart from a failure. */
import type { ClusterFailure, ClusterRecord } from '#contracts/records.ts';
import type { ClusterRun } from '#contracts/state-inputs.ts';
import type { ClusterFacts } from '#domain/cluster-state.ts';
import { lastStep } from '#domain/failure-outcome.ts';
import { changed } from '../records/cluster-records.ts';

/** It was made: what exists and what was attempted is as before, and stages that succeeded before run again. */
export function editedRecord(
  run: ClusterRun,
  { doneStages: _done, ...record }: ClusterRecord,
  facts: ClusterFacts,
): ClusterRecord {
  return changed(record, run, { status: 'Planning', facts, failure: null });
}

/** It failed: nothing of the cloud was touched, and the cluster is as it was, unless a build of it may still run. */
export function failedEdit(
  { unreached }: Pick<ClusterRecord, 'unreached'>,
  failure: Pick<ClusterFailure, 'class' | 'outcome'>,
): Pick<ClusterFailure, 'outcome'> & Pick<ClusterRecord, 'status'> {
  const status = failure.class === 'stuck' ? 'NeedsAttention' : (unreached?.status ?? 'Converged');
  const before = lastStep(failure.outcome);
  return { status, outcome: { kind: 'editFailed', ...(before && { before }) } };
}
