/** Plan Manifest: starts the newest generation; which clusters have to be touched? */
import { PlanManifestInput, type PlanManifestOutput } from '#contracts/state-inputs.ts';
import { taskHandler } from '../middleware.ts';
import { refuseMoved } from '../pipeline/clusters/plan-outcomes.ts';
import { touchedOf } from '../pipeline/clusters/touched-clusters.ts';
import { orphanAll } from '../pipeline/manifests/orphan-manifest.ts';
import { movedOfAny } from '../pipeline/plans/bound-plan.ts';
import { isCancelled } from '../pipeline/records/cancellation.ts';
import { beginRun } from '../pipeline/runs/run-begin.ts';

const uses = [
  'artifacts.list',
  'clusters.each',
  'clusters.get',
  'clusters.list',
  'clusters.put',
  'clusters.remove',
  'demands.discard',
  'demands.list',
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
    // A paused run stays queued; an edit that was accepted before the pause does not wait.
    if (manifest.paused && manifest.stateEdit === undefined) return { ...output, hasWork: false, clusters: [] };
    const moved = await movedOfAny(deps, manifest, manifest.plan ? await deps.demands.list(key) : []);
    if (manifest.deleting && manifest.orphans === 'all' && manifest.stateEdit === undefined && moved.length === 0)
      await orphanAll(deps, { manifest, fence, now });
    // That an edit was not made is for Plan Cluster to say.
    const stops = isCancelled(manifest, manifest) && manifest.stateEdit === undefined;
    const clusters = stops ? [] : await touchedOf(deps, manifest, fence);
    await beginRun(deps, { manifest, clusters: clusters.length, now });
    if (moved.length === 0) return { ...output, hasWork: clusters.length > 0, clusters };
    // Either all of the plan or nothing: no cluster is touched when one has moved.
    await deps.events.append(key, await refuseMoved(deps, manifest, { clusters, moved, fence, now }));
    return { ...output, hasWork: false, clusters: [] };
  },
);
