/** The outcome of a cluster of a roll-out, read from its manifest and the records of its run. */
import type { ClusterRecord, ManifestHead } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import type { RollOutCluster } from '#domain/roll-out/roll-out.ts';
import { listed } from '#domain/words.ts';
import type { Using } from '../../ports.ts';
import { clusterName, driftSinceChange } from '../records/cluster-records.ts';
import { failedManifestOf, linesOfCluster } from '../records/failed-cluster.ts';

export type ClusterOutcome =
  /** `since`: when its run was stored or started, ISO 8601. */
  | { readonly kind: 'waits'; readonly since: string }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly because: string };

/** `refused`: why it was not submitted, if that is known. */
export async function clusterOutcome(
  deps: Using<'manifests.head' | 'clusters.list'>,
  namespace: string,
  { name, before, goal }: RollOutCluster,
  refused?: string,
): Promise<ClusterOutcome> {
  const key = { namespace, name };
  const failed = (because: string): ClusterOutcome => ({ kind: 'failed', because: because.slice(0, 300) });
  const manifest = await deps.manifests.head(key);
  if (manifest === undefined || manifest.deleting) return failed(refused ?? 'its manifest was deleted');
  if (manifest.checksum !== goal) {
    const untouched = manifest.generation === (before ?? 0);
    if (refused !== undefined) return failed(refused);
    return failed(untouched ? 'it was not submitted' : changedText(manifest));
  }
  if (manifest.status === 'Pending' || manifest.status === 'Running') {
    return manifest.paused ? failed('it is paused; resume it first') : { kind: 'waits', since: manifest.updatedAt };
  }
  const unwell = (await deps.clusters.list(key)).flatMap((record) => whatIsWrong(record, manifest) ?? []);
  if (unwell.length > 0) return failed(listed(unwell, 2));
  return manifest.status === 'Done' ? { kind: 'done' } : failed('its run failed');
}

/** For people: who changed it. */
export function changedText({
  generation,
  origin,
}: {
  generation: number;
  origin?: { by: string } | undefined;
}): string {
  return `it was changed meanwhile: generation ${generation} by ${origin?.by ?? 'someone'} is stored`;
}

/** The health gate: in the desired state, with all of its pools, and without nodes that are down. */
function whatIsWrong(record: ClusterRecord, manifest: ManifestHead): string | undefined {
  const { status, heldPools = [] } = record;
  const name = clusterName(record);
  const lines = linesOfCluster({ ...record, name }, failedManifestOf(manifest));
  if (lines) return `${lines.what}: ${lines.cause}`;
  if (status === 'Degraded') return `${name}: pools ${listed(heldPools.map(({ pool }) => pool))} could not be created`;
  if (status !== 'Converged' && status !== 'Checking') return `${name} is ${status}`;
  const known = driftSinceChange(record)?.health ?? [];
  const down = known.filter(({ health }) => health === 'gone' || health === 'notReady');
  return down.length > 0 ? `${name}: ${listed(down.map(({ node }) => node))} not healthy` : undefined;
}

/** What a task throws when another execution works on the roll-out. */
export function refuseOldExecution(record: { readonly execution: number }, execution: number): void {
  if (record.execution === execution) return;
  throw new PipelineError('LeaseLost', 'a newer execution works on this roll-out');
}
