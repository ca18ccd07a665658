/** Stop Builds: builds that no one waits for any more have ended when it returns; a newer run's are left alone. */
import { waypointKeys } from '#contracts/stage.ts';
import {
  type EndedRunInput,
  type LateStageInput,
  type ReconcileClusterInput,
  StopBuildsInput,
} from '#contracts/state-inputs.ts';
import { PipelineError } from '#domain/errors.ts';
import { taskHandler } from '../middleware.ts';
import { refuseOlderRun } from '../pipeline/clusters/fence-cluster.ts';
import { clusterOf } from '../pipeline/records/cluster-records.ts';
import { endBuilds, type LeftBuilds, leftByRun, leftOf } from '../pipeline/runs/left-builds.ts';
import type { Using } from '../ports.ts';

const uses = [
  ...(['artifacts.getText', 'artifacts.putText', 'builds.running', 'builds.stop'] as const),
  ...(['clusters.get', 'clusters.list', 'manifests.head'] as const),
] as const;

/** Throws `BuildStillRuns` until every one of them has ended: the state machines ask again. */
export const handler = taskHandler(StopBuildsInput, uses, async (given, deps) => {
  const left = await leftBy(given, deps);
  const { stopped, running } = await endBuilds(deps, left);
  if (running.length === 0) return { stopped, waypoint: left[0]?.waypoint ?? null };
  throw new PipelineError('BuildStillRuns', `in CodeBuild these run: ${running.join(', ')}`);
});

async function leftBy(
  given: StopBuildsInput,
  deps: Using<'clusters.get' | 'clusters.list' | 'manifests.head'>,
): Promise<readonly LeftBuilds[]> {
  if ('slot' in given) return ofStage(given);
  return 'executionArn' in given ? ofRun(given, deps) : ofCluster(given, deps);
}

/** The builds of the last waypoint. Throws `LeaseLost` when that may be a newer run's. */
async function ofCluster({ run }: ReconcileClusterInput, deps: Using<'clusters.get'>): Promise<readonly LeftBuilds[]> {
  const record = await clusterOf(deps, run);
  refuseOlderRun(record, run);
  const { waypointPrefix } = record;
  return waypointPrefix === null ? [] : [leftOf(waypointPrefix, 'late')];
}

function ofStage({ slot, try: { attempt } }: LateStageInput): readonly LeftBuilds[] {
  const place = waypointKeys.attempt(slot.waypointPrefix, slot.stage, slot.mode, attempt);
  return [{ waypoint: slot.waypointPrefix, places: [place], reason: 'late' }];
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
