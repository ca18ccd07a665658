/** Stop Builds: builds that no one waits for any more have ended when it returns; a newer run's are left alone. */
import { waypointKeys } from '#contracts/stage.ts';
import { type EndedRunInput, type LateStageInput, StopBuildsInput } from '#contracts/state-inputs.ts';
import { PipelineError } from '#domain/errors.ts';
import { taskHandler } from '../middleware.ts';
import { prefixesAtWork, stopBuildsOf } from '../pipeline/runs/cancel-run.ts';
import { askToStop } from '../pipeline/runs/stop-requests.ts';
import type { Using } from '../ports.ts';

const uses = [
  ...(['artifacts.getText', 'artifacts.putText', 'builds.running', 'builds.stop'] as const),
  ...(['clusters.list', 'manifests.get'] as const),
] as const;

/** Throws `BuildStillRuns` until every one of them has ended: the state machines ask again. */
export const handler = taskHandler(StopBuildsInput, uses, async (given, deps) => {
  const prefixes = 'slot' in given ? await overdueOf(given, deps) : await prefixesOf(given, deps);
  const stopped = await stopBuildsOf(deps, prefixes);
  const places = 'slot' in given ? [given.slot.waypointPrefix] : prefixes;
  const left = (await Promise.all(places.map((prefix) => deps.builds.running(prefix)))).flat();
  if (left.length === 0) return { stopped };
  throw new PipelineError('BuildStillRuns', `not at its end yet: ${left.join(', ')}`);
});

/** The runner of a late stage is asked first: its tool can still store what it has done. */
async function overdueOf(
  { slot, try: { attempt } }: LateStageInput,
  deps: Using<'artifacts.getText' | 'artifacts.putText' | 'builds.running' | 'clock'>,
): Promise<readonly string[]> {
  if ((await deps.builds.running(slot.waypointPrefix)).length === 0) return [];
  const place = waypointKeys.attempt(slot.waypointPrefix, slot.stage, slot.mode, attempt);
  return (await askToStop(deps, place, 'late')) ? [slot.waypointPrefix] : [];
}

async function prefixesOf(
  { executionArn, input: key }: EndedRunInput,
  deps: Using<'clusters.list' | 'manifests.get'>,
): Promise<readonly string[]> {
  const manifest = await deps.manifests.get(key);
  if (manifest?.lease && manifest.lease.owner !== executionArn) return [];
  return prefixesAtWork(await deps.clusters.list(key), ['Running', 'RollingBack', 'Checking']);
}
