/** Stop Builds: builds that no one waits for any more are stopped, and have ended when it returns; a newer run's are left alone. */
import { type EndedRunInput, StopBuildsInput } from '#contracts/state-inputs.ts';
import { PipelineError } from '#domain/errors.ts';
import { taskHandler } from '../middleware.ts';
import { prefixesAtWork, stopBuildsOf } from '../pipeline/runs/cancel-run.ts';
import type { Using } from '../ports.ts';

/** Throws `BuildStillRuns` until every one of them has ended: the state machines ask again. */
const uses = ['builds.running', 'builds.stop', 'clusters.list', 'manifests.get'] as const;

export const handler = taskHandler(StopBuildsInput, uses, async (given, deps) => {
  const prefixes = 'slot' in given ? [given.slot.waypointPrefix] : await prefixesOf(given, deps);
  const stopped = await stopBuildsOf(deps, prefixes);
  const left = (await Promise.all(prefixes.map((prefix) => deps.builds.running(prefix)))).flat();
  if (left.length === 0) return { stopped };
  throw new PipelineError('BuildStillRuns', `stopped, and not at its end yet: ${left.join(', ')}`);
});

async function prefixesOf(
  { executionArn, input: key }: EndedRunInput,
  deps: Using<'clusters.list' | 'manifests.get'>,
): Promise<readonly string[]> {
  const manifest = await deps.manifests.get(key);
  if (manifest?.lease && manifest.lease.owner !== executionArn) return [];
  return prefixesAtWork(await deps.clusters.list(key), ['Running', 'RollingBack', 'Checking']);
}
