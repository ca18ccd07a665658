/** Plan Manifest: the newest generation is under way now; which clusters have to be touched? */
import type { ClusterRecord, ManifestRecord } from '#contracts/records.ts';
import { PlanManifestInput, type PlanManifestOutput } from '#contracts/state-inputs.ts';
import { taskHandler } from '../middleware.ts';
import { clustersOf, needsWork } from '../pipeline/clusters/cluster-plans.ts';
import { takeOver } from '../pipeline/clusters/fence-cluster.ts';
import { orphanAll } from '../pipeline/manifests/orphan-manifest.ts';
import { planningOf } from '../pipeline/manifests/template-versions.ts';
import { isCancelled } from '../pipeline/runs/cancellation.ts';
import { beginRun } from '../pipeline/runs/run-begin.ts';
import type { Using } from '../ports.ts';

const uses = [
  'artifacts.list',
  'clusters.get',
  'clusters.list',
  'clusters.put',
  'clusters.remove',
  'events.append',
  'manifests.begin',
  'runs.get',
  'runs.list',
  'runs.put',
] as const;

export const handler = taskHandler(
  PlanManifestInput,
  uses,
  async ({ namespace, name, fence }, deps): Promise<PlanManifestOutput> => {
    const key = { namespace, name };
    const now = deps.clock.now().toISOString();
    const manifest = await deps.manifests.begin(key, fence, now);
    const { runId, generation, attempt } = manifest;
    const output = { runId, generation, attempt };
    // A paused run stays queued.
    if (manifest.paused) return { ...output, hasWork: false, clusters: [] };
    if (manifest.deleting && manifest.orphans === 'all') await orphanAll(deps, { manifest, fence, now });
    const stored = await deps.clusters.list(key);
    const behind = manifest.check ? stored : behindOf(deps, manifest, stored);
    const touched = isCancelled(manifest, manifest) ? [] : behind;
    await Promise.all(touched.map((record) => takeOver(deps, { manifest, record, fence })));
    const clusters = touched.map(({ cluster }) => ({ cluster }));
    await beginRun(deps, { manifest, clusters: clusters.length, now });
    return { ...output, hasWork: clusters.length > 0, clusters };
  },
);

function behindOf(deps: Using<'ids'>, manifest: ManifestRecord, stored: readonly ClusterRecord[]) {
  const planning = planningOf(deps, manifest);
  return clustersOf(deps.ids, manifest, stored).filter((record) => needsWork(planning, manifest, record));
}
