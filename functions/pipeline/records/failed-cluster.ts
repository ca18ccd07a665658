/** The failures of a cluster record in the three lines that people see, for events and answers of the API alike. */
import type { ClusterFailure, ClusterRecord, HeldPool, ManifestHead } from '#contracts/records.ts';
import {
  type FailedManifest,
  type FailureLines,
  failureLines,
  logCommandOf,
  nextTryOf,
} from '#domain/failure-lines.ts';

/** What counts of a cluster. */
export interface FailedCluster extends Pick<ClusterRecord, 'status' | 'failure' | 'heldPools' | 'lastChange'> {
  /** Its name, not its id. */
  readonly name: string;
}

/** What counts of its manifest; a check of what failed before does not change what follows that failure. */
export function failedManifestOf(
  record: Pick<ManifestHead, 'namespace' | 'name' | 'status' | 'deleting' | 'paused' | 'failed' | 'check' | 'dueAt'>,
): FailedManifest {
  const { namespace, name, deleting, paused, failed, check, dueAt } = record;
  const status = failed !== undefined && check !== undefined ? 'Failed' : record.status;
  // One that failed before its checks were scheduled, too, was due for its retry alone.
  const retryAt = failed === undefined ? dueAt : failed.retryAt;
  return { namespace, name, status, deleting, paused, ...(status === 'Failed' && { retryAt }) };
}

/** The lines of its failure; undefined where it has none. */
export function linesOfCluster(cluster: FailedCluster, manifest: FailedManifest): FailureLines | undefined {
  const { failure, heldPools = [], status, lastChange } = cluster;
  if (failure === null) return undefined;
  const pools = heldPools.filter((held) => isFailureOf(held, failure)).map(({ pool }) => pool);
  // An edit of a Terraform state leaves all as it was.
  const edit = lastChange?.direction === 'edit' && lastChange.runId === failure.runId;
  const undone = status === 'RolledBack' || (status === 'Converged' && !edit);
  const { waitsFor: _, ...rest } = failure;
  const wording = manifest.deleting && failure.code === 'Cancelled' ? { ...rest, hint: deletionHint } : rest;
  return failureLines(status === 'BackingOff' ? { ...wording, waitsFor: failure.waitsFor } : wording, {
    cluster: cluster.name,
    ...(pools.length > 0 ? { pools } : { undone }),
    ...attemptOf(failure),
    next: nextTryOf(manifest, failure),
    logCommand: logOf(failure, manifest),
  });
}

/** The lines of a held pool. */
export function linesOfPool(
  { pool, failure }: HeldPool,
  cluster: FailedCluster,
  manifest: FailedManifest,
): FailureLines {
  return failureLines(
    { ...failure, stage: 'infrastructure' },
    {
      cluster: cluster.name,
      pools: [pool],
      next: nextTryOf(manifest, failure),
      logCommand: cluster.failure ? logOf(cluster.failure, manifest) : undefined,
    },
  );
}

/** The failure of its cluster is this one, or as good as it. */
export function isFailureOf(held: HeldPool, failure: ClusterFailure | null): boolean {
  return failure?.code === held.failure.code && failure.message === held.failure.message;
}

/** What a deletion cancels is not to be retried. */
export const deletionHint = 'Nothing to do: the deletion continues with what still exists.';

const shape = /(-undo)?\/(\d{1,6})$/;

/** As its artifact prefix names it. */
function attemptOf({ attemptPrefix = '' }: ClusterFailure): { readonly undoing: boolean; readonly tries: number } {
  const [, undo, tries = 1] = shape.exec(attemptPrefix) ?? [];
  return { undoing: undo !== undefined, tries: Number(tries) };
}

/** Only a stage that ran has a log. */
function logOf({ runId, stage, attemptPrefix }: ClusterFailure, { namespace }: FailedManifest): string | undefined {
  return attemptPrefix === undefined ? undefined : logCommandOf(runId, stage, namespace);
}
