/** Stop Builds: containers that nobody waits for any more are stopped; a newer run's are left alone. */
import { EndedRunInput } from '#contracts/state-inputs.ts';
import { taskHandler } from '../middleware.ts';
import { stopBuilds } from '../pipeline/cancel-run.ts';

export const handler = taskHandler(EndedRunInput, async ({ executionArn, input: key }, deps) => {
  const manifest = await deps.manifests.get(key);
  if (manifest?.lease && manifest.lease.owner !== executionArn) return { stopped: 0 };
  return { stopped: await stopBuilds(deps, await deps.clusters.list(key), ['Running', 'RollingBack', 'Checking']) };
});
