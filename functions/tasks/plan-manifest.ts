/** Plan Manifest: the newest generation is under way now; which clusters have to be touched? */
import { PlanManifestInput, type PlanManifestOutput } from '#contracts/state-inputs.ts';
import { taskHandler } from '../middleware.ts';
import { clustersOf, needsWork } from '../pipeline/cluster-plans.ts';
import { beginRun } from '../pipeline/run-begin.ts';

export const handler = taskHandler(
  PlanManifestInput,
  async ({ namespace, name, fence }, deps): Promise<PlanManifestOutput> => {
    const key = { namespace, name };
    const now = deps.clock.now().toISOString();
    const [manifest, stored] = await Promise.all([deps.manifests.begin(key, fence, now), deps.clusters.list(key)]);
    const clusters = clustersOf(deps.ids, manifest, stored)
      .filter((record) => needsWork(deps.ids, manifest, record))
      .map(({ cluster }) => ({ cluster }));
    await beginRun(deps, { manifest, clusters: clusters.length, now });
    const { runId, generation, attempt } = manifest;
    return { runId, generation, attempt, hasWork: clusters.length > 0, clusters };
  },
);
