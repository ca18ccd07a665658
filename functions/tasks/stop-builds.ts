/** Stop Builds: builds that no one waits for any more have ended when it returns; a newer run's are left alone. */
import { waypointKeys } from '#contracts/stage.ts';
import { type EndedRunInput, type LateStageInput, StopBuildsInput } from '#contracts/state-inputs.ts';
import { PipelineError } from '#domain/errors.ts';
import { taskHandler } from '../middleware.ts';
import { endBuilds, type LeftBuilds, leftByRun } from '../pipeline/runs/left-builds.ts';
import type { Using } from '../ports.ts';

const uses = [
  ...(['artifacts.getText', 'artifacts.putText', 'builds.running', 'builds.stop'] as const),
  ...(['clusters.list', 'manifests.head'] as const),
] as const;

/** Throws `BuildStillRuns` until every one of them has ended: the state machines ask again. */
export const handler = taskHandler(StopBuildsInput, uses, async (given, deps) => {
  const left = 'slot' in given ? ofStage(given) : await ofRun(given, deps);
  const { stopped, running } = await endBuilds(deps, left);
  if (running.length === 0) return { stopped };
  throw new PipelineError('BuildStillRuns', `not at its end yet: ${running.join(', ')}`);
});

function ofStage({ slot, try: { attempt } }: LateStageInput): readonly LeftBuilds[] {
  const place = waypointKeys.attempt(slot.waypointPrefix, slot.stage, slot.mode, attempt);
  return [{ waypoint: slot.waypointPrefix, place, reason: 'late' }];
}

/** None when a newer run has the lease. */
async function ofRun(
  { executionArn, status, input: key }: EndedRunInput,
  deps: Using<'clusters.list' | 'manifests.head'>,
): Promise<readonly LeftBuilds[]> {
  const manifest = await deps.manifests.head(key);
  if (manifest?.lease && manifest.lease.owner !== executionArn) return [];
  return leftByRun(deps, key, status);
}
