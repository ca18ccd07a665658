/** Updates the demand of a cluster; concurrent writers do not overwrite each other. */
import type { DemandRecord, ManifestKey } from '#contracts/records.ts';
import {
  type Asking,
  type Demand,
  demandTexts,
  type FailedGrow,
  isOpen,
  type NodeDemand,
  noDemand,
  withoutFailed,
  withReplacements,
} from '#domain/demand.ts';
import { sameValue } from '#domain/same-value.ts';
import type { Using } from '../../ports.ts';
import { retryOnConflict } from '../../retry-on-conflict.ts';

/** A cluster of a manifest, by its id. */
export interface ClusterOfManifest {
  readonly key: ManifestKey;
  readonly cluster: string;
}

type Ports = Using<'demands.get' | 'demands.put'>;

/** Reads, changes and writes the demand, and repeats that after a conflict. Returns what is stored then; an unchanged demand is not written. */
export async function changeDemand(
  deps: Ports,
  { key, cluster }: ClusterOfManifest,
  change: (demand: Demand) => Demand,
): Promise<Demand> {
  return retryOnConflict(async () => {
    const stored = await deps.demands.get(key, cluster);
    const before = demandOf(stored);
    const after = change(before);
    if (sameValue(before, after)) return before;
    const version = (stored?.version ?? 0) + 1;
    await deps.demands.put({ namespace: key.namespace, manifest: key.name, cluster, version, ...after });
    return after;
  });
}

/** Whether someone wants to keep a node whose replacement was part of this demand when it was read. */
export async function isTakenBack(deps: Using<'demands.get'>, planned: DemandRecord): Promise<boolean> {
  const { namespace, manifest: name, cluster, replace } = planned;
  if (replace.length === 0) return false;
  const asked = new Set(demandOf(await deps.demands.get({ namespace, name }, cluster)).replace.map(({ node }) => node));
  return replace.some(({ node }) => !asked.has(node));
}

/** After a grow that was undone: removes the demands that the grow was started for, so that they are not retried. Returns what was removed, as texts for people. */
export async function dropFailedDemand(
  deps: Ports,
  of: ClusterOfManifest,
  grow: FailedGrow,
): Promise<readonly string[]> {
  if (!isOpen(grow.served)) return [];
  let dropped: readonly string[] = [];
  await changeDemand(deps, of, (demand) => {
    const left = withoutFailed(demand, grow);
    dropped = demandTexts(demand).filter((text) => !demandTexts(left).includes(text));
    return left;
  });
  return dropped;
}

/**
 * Asks for nodes to be replaced: the next plan of the cluster grows its pools first. It starts no run: that is
 * `startNextAttempt`.
 */
export async function requestReplacements(
  deps: Ports,
  of: ClusterOfManifest,
  nodes: readonly Pick<NodeDemand, 'node' | 'because'>[],
  asking: Asking,
): Promise<Demand> {
  return changeDemand(deps, of, (demand) => withReplacements(demand, nodes, asking));
}

export function demandOf(record: DemandRecord | undefined): Demand {
  if (record === undefined) return noDemand;
  const { sizes, replace, failures } = record;
  return { sizes, replace, failures };
}
