/** Replicas of Longhorn's volumes: which volumes would lose their last healthy copy with a node. */

export interface VolumeReplica {
  readonly volume: string;
  /** Empty while it is placed on none. */
  readonly node: string;
  /** It was complete once. */
  readonly healthy: boolean;
  readonly failed: boolean;
}

/** Names of volumes whose healthy replicas are all on this node, sorted. */
export function volumesOnlyOn(node: string, replicas: readonly VolumeReplica[]): readonly string[] {
  const healthy = replicas.filter((replica) => replica.healthy && !replica.failed);
  const elsewhere = new Set(healthy.filter((replica) => replica.node !== node).map(({ volume }) => volume));
  const here = healthy.filter((replica) => replica.node === node).map(({ volume }) => volume);
  return [...new Set(here)].filter((volume) => !elsewhere.has(volume)).sort();
}
