/** What exists is checked and repaired, also after a change of it that failed: how that change ended is kept meanwhile. */
import type { ClusterRecord } from '#contracts/records.ts';
import type { ClusterState } from '#domain/cluster-state.ts';
import { sameValue } from '#domain/same-value.ts';

/** A cluster that exists. */
export type ExistingRecord = ClusterRecord & { readonly current: ClusterState };

/**
 * It is certain what exists: no change stopped half-way. A repair that stopped does not count, as it leads back to the state it
 * started from; a build that may still run does.
 */
export function isCheckable(record: ClusterRecord): record is ExistingRecord {
  const { current, attempted, failure } = record;
  if (current === null || failure?.class === 'stuck') return false;
  return attempted === null || sameValue(attempted, current);
}

/** A check has something to do there: compare it, or continue what an earlier check started and could not end. */
export function isMaintained(record: ClusterRecord): boolean {
  const { current, failure, unreached } = record;
  return isCheckable(record) || (unreached !== undefined && current !== null && failure?.class !== 'stuck');
}

/** For the record of a check that starts; empty for a cluster in its desired state. */
export function unreachedOf({ status, failure, unreached }: ClusterRecord): Pick<ClusterRecord, 'unreached'> {
  if (unreached !== undefined) return { unreached };
  switch (status) {
    case 'Converged':
    case 'Checking':
      return {};
    case 'Degraded':
    case 'RolledBack':
      return { unreached: { status, failure } };
    default:
      return { unreached: { status: 'NeedsAttention', failure } };
  }
}
