/** Stop Builds: builds that no one waits for any more have ended when it returns; a newer run's are left alone. */
import { type StopRequest, waypointKeys } from '#contracts/stage.ts';
import { type EndedRunInput, type LateStageInput, StopBuildsInput } from '#contracts/state-inputs.ts';
import { PipelineError } from '#domain/errors.ts';
import { taskHandler } from '../middleware.ts';
import { prefixesAtWork, runningAt, stopBuildsOf } from '../pipeline/runs/cancel-run.ts';
import { askToStop } from '../pipeline/runs/stop-requests.ts';
import type { Using } from '../ports.ts';

const uses = [
  ...(['artifacts.getText', 'artifacts.putText', 'builds.running', 'builds.stop'] as const),
  ...(['clusters.list', 'manifests.head'] as const),
] as const;

/** Throws `BuildStillRuns` until every one of them has ended: the state machines ask again. */
export const handler = taskHandler(StopBuildsInput, uses, async (given, deps) => {
  const { prefixes, requests } = 'slot' in given ? ofStage(given) : await ofRun(given, deps);
  const left = await runningAt(deps, prefixes);
  if (left.length === 0) return { stopped: 0 };
  // Runners are asked first: in AWS a build that is stopped is killed, and stores nothing of what its tool has done.
  const overdue = await Promise.all(requests.map(({ place, reason }) => askToStop(deps, place, reason)));
  const stopped = await stopBuildsOf(
    deps,
    prefixes.filter((_, index) => overdue[index]),
  );
  const still = stopped === 0 ? left : await runningAt(deps, prefixes);
  if (still.length === 0) return { stopped };
  throw new PipelineError('BuildStillRuns', `not at its end yet: ${still.join(', ')}`);
});

interface AtWork {
  /** Of waypoints. */
  readonly prefixes: readonly string[];
  /** One for each of them. */
  readonly requests: readonly { readonly place: string; readonly reason: StopRequest['reason'] }[];
}

function ofStage({ slot, try: { attempt } }: LateStageInput): AtWork {
  const place = waypointKeys.attempt(slot.waypointPrefix, slot.stage, slot.mode, attempt);
  return { prefixes: [slot.waypointPrefix], requests: [{ place, reason: 'late' }] };
}

/** None when a newer run has the lease. */
async function ofRun(
  { executionArn, status, input: key }: EndedRunInput,
  deps: Using<'clusters.list' | 'manifests.head'>,
): Promise<AtWork> {
  const manifest = await deps.manifests.head(key);
  if (manifest?.lease && manifest.lease.owner !== executionArn) return { prefixes: [], requests: [] };
  const prefixes = prefixesAtWork(await deps.clusters.list(key), ['Running', 'RollingBack', 'Checking']);
  const reason = status === 'ABORTED' ? 'cancelled' : 'late';
  return { prefixes, requests: prefixes.map((place) => ({ place, reason })) };
}
