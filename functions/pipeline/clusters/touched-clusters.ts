/** Which clusters a run of a manifest touches. */
import type { ClusterRecord, ManifestRecord } from '#contracts/records.ts';
import { aheadOf } from '../../ahead.ts';
import type { Using } from '../../ports.ts';
import { isMaintained } from '../drift/maintained-cluster.ts';
import { eachCluster, needsWork } from '../plans/cluster-plans.ts';
import { type Planning, planningOf } from '../plans/planning.ts';
import { takeOver } from './fence-cluster.ts';

function isTouched(manifest: ManifestRecord, record: ClusterRecord, planning: Planning): boolean {
  if (manifest.stateEdit !== undefined) return record.cluster === manifest.stateEdit;
  return manifest.check ? isMaintained(record) : needsWork(planning, manifest, record);
}

/** The clusters that a run works on. Each is taken over before the next ones are read: the states of a hundred clusters are too large to be held at once. */
export async function touchedOf(
  deps: Using<'clusters.each' | 'clusters.get' | 'clusters.put' | 'demands.list' | 'ids' | 'config'>,
  manifest: ManifestRecord,
  fence: number,
) {
  const planning = planningOf(deps, manifest, await deps.demands.list(manifest));
  const records = manifest.check ? deps.clusters.each(manifest) : eachCluster(deps, manifest);
  const touched = aheadOf(records, async (record) => {
    if (!isTouched(manifest, record, planning)) return [];
    await takeOver(deps, { manifest, record, fence });
    return [{ cluster: record.cluster }];
  });
  return (await Array.fromAsync(touched)).flat();
}
