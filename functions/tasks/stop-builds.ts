/** Stop Builds: containers that nobody waits for any more are stopped; a newer run's are left alone. */
import { EndedRunInput } from '#contracts/state-inputs.ts';
import { taskHandler } from '../middleware.ts';

export const handler = taskHandler(EndedRunInput, async ({ executionArn, input: key }, deps) => {
  const manifest = await deps.manifests.get(key);
  if (manifest?.lease && manifest.lease.owner !== executionArn) return { stopped: 0 };
  const records = await deps.clusters.list(key);
  const prefixes = records.flatMap(({ status, waypointPrefix }) =>
    waypointPrefix !== null && (status === 'Running' || status === 'RollingBack') ? [waypointPrefix] : [],
  );
  const builds = (await Promise.all(prefixes.map((prefix) => deps.builds.running(prefix)))).flat();
  await Promise.all(builds.map((build) => deps.builds.stop(build)));
  return { stopped: builds.length };
});
