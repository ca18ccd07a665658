/** Replicas of Longhorn's volumes: which volumes would lose their last healthy copy with a node. */
import { lostWith } from './what-stays.ts';

export interface VolumeReplica {
  readonly volume: string;
  /** Empty while it is placed on none. */
  readonly node: string;
  /** It was complete once. */
  readonly healthy: boolean;
  /** It failed, or Longhorn is deleting it. */
  readonly failed: boolean;
  /** Longhorn reports an error of it, or does not know its state: it may be good, and is no other copy. @default false */
  readonly doubtful?: boolean;
}

/**
 * Names of volumes whose healthy replicas are on this node and on no node of `stays`, sorted. Longhorn keeps the record of a replica on a
 * node that is gone, and does not call it failed before the volume is attached again: so a record counts only on a node that stays.
 */
export function volumesOnlyOn(
  node: string,
  replicas: readonly VolumeReplica[],
  stays: ReadonlySet<string>,
): readonly string[] {
  const healthy = replicas.filter((replica) => replica.healthy && !replica.failed);
  return lostWith(
    node,
    healthy.map(({ volume: thing, node: holder, doubtful = false }) => ({ thing, holder, answers: !doubtful })),
    stays,
  );
}
