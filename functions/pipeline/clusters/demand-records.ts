/** Changes of what is asked of a cluster: of two writers at the same moment, neither loses anything. */
import type { DemandRecord, ManifestKey } from '#contracts/records.ts';
import { type Asking, type Demand, type NodeDemand, noDemand, withReplacements } from '#domain/demand.ts';
import { isPipelineError } from '#domain/errors.ts';
import { sameValue } from '#domain/same-value.ts';
import type { Using } from '../../ports.ts';

/** A cluster of a manifest, by its id. */
export interface ClusterOfManifest {
  readonly key: ManifestKey;
  readonly cluster: string;
}

type Ports = Using<'demands.get' | 'demands.put'>;

/** Reads, changes and writes it, again when another was faster. Returns what is stored then; writes nothing that is the same. */
export async function changeDemand(
  deps: Ports,
  { key, cluster }: ClusterOfManifest,
  change: (demand: Demand) => Demand,
): Promise<Demand> {
  for (let tries = 1; ; tries++) {
    const stored = await deps.demands.get(key, cluster);
    const before = demandOf(stored);
    const after = change(before);
    if (sameValue(before, after)) return before;
    const version = (stored?.version ?? 0) + 1;
    try {
      await deps.demands.put({ namespace: key.namespace, manifest: key.name, cluster, version, ...after });
      return after;
    } catch (error) {
      if (!isPipelineError(error, 'VersionConflict') || tries === 5) throw error;
    }
  }
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
