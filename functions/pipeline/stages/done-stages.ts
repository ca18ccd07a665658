/** Which stages of a waypoint succeeded before and are not repeated when it continues. */
import type { ClusterRecord, DoneStages } from '#contracts/records.ts';
import type { ClusterState } from '#domain/cluster-state.ts';
import { revertible, type StageName, stagesInOrder, type Waypoint } from '#domain/plan.ts';
import { checksumOf } from '../records/checksum.ts';

/**
 * The marks that hold for this waypoint, which starts from `before`: those of the same direction, target and start. One that can be undone
 * starts from the beginning: what it created may be gone.
 */
export function doneStagesOf(
  { direction, target }: Pick<Waypoint, 'direction' | 'target'>,
  before: ClusterState | null,
  known: DoneStages | undefined,
): DoneStages {
  const key = checksumOf({ direction, target, before }).slice(0, 16);
  // No edit is the one before it.
  const repeats = revertible.includes(direction) || direction === 'edit';
  return { key, stages: known?.key === key && !repeats ? known.stages : [] };
}

/** The record's marks with one more. */
export function marked({ doneStages }: ClusterRecord, stage: StageName): DoneStages | undefined {
  if (doneStages === undefined || doneStages.stages.includes(stage)) return doneStages;
  return { ...doneStages, stages: [...doneStages.stages, stage] };
}

/** Without the marks of `from` and of all later stages of the interrupted way. */
export function marksBefore(record: ClusterRecord, from: StageName): DoneStages | undefined {
  const { doneStages, progress } = record;
  if (doneStages === undefined) return undefined;
  const order = stagesInOrder(progress?.direction);
  const earlier = new Set(order.slice(0, order.indexOf(from)));
  return { ...doneStages, stages: doneStages.stages.filter((stage) => earlier.has(stage)) };
}
