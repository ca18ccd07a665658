/** Commit Waypoint: the target is the current state now; what was found out about nodes that left is forgotten. */
import { WaypointDocument, waypointKeys } from '#contracts/stage.ts';
import { WaypointInput } from '#contracts/state-inputs.ts';
import { driftOf, repairMade } from '#domain/drift.ts';
import { PipelineError } from '#domain/errors.ts';
import { statesAfter } from '#domain/planning/states/attempt.ts';
import { withoutPools } from '#domain/planning/states/without-pools.ts';
import { withoutRecreated } from '#domain/repair/after-repair.ts';
import { taskHandler } from '../middleware.ts';
import { refuseOlderRun } from '../pipeline/clusters/fence-cluster.ts';
import { waypointReached } from '../pipeline/clusters/plan-events.ts';
import { removeClusterFiles } from '../pipeline/records/cluster-files.ts';
import { changed, clusterEvent, clusterOf, factsOf, keyOf } from '../pipeline/records/cluster-records.ts';
import { knownFacts, readDocument } from '../pipeline/records/known-facts.ts';
import { removePoolKeys } from '../pipeline/records/pool-keys.ts';
import { editedRecord } from '../pipeline/state-edits/edit-end.ts';

const uses = [
  'artifacts.getText',
  'artifacts.remove',
  'clusters.get',
  'clusters.put',
  'events.append',
  'secrets.remove',
] as const;

export const handler = taskHandler(WaypointInput, uses, async ({ run, plan }, deps): Promise<Record<string, never>> => {
  const at = deps.clock.now().toISOString();
  const [record, waypoint] = await Promise.all([
    clusterOf(deps, run),
    readDocument(deps, waypointKeys.document(plan.waypointPrefix), WaypointDocument),
  ]);
  refuseOlderRun(record, run);
  if (plan.direction === 'edit') {
    await deps.clusters.put(editedRecord(run, record, await knownFacts(deps, record)));
    await deps.events.append(keyOf(run), [clusterEvent(run, at, waypointReached(plan.direction, record))]);
    return {};
  }
  if (!waypoint) throw new PipelineError('NotFound', `the waypoint document below ${plan.waypointPrefix} is gone`);
  const facts = await knownFacts(deps, record);
  const { target: desired } = waypoint;
  const target = desired && withoutPools(desired, facts.failedPools ?? []);
  if (target === null) await removeClusterFiles(deps, run);
  const { before, attempted } = waypoint;
  const reached = { ...statesAfter({ target }, record), facts: factsOf(target, facts), status: 'Planning' as const };
  const { doneStages: _done, nodeWait: _wait, drift: known, ...kept } = record;
  const repaired = plan.direction === 'repair' ? repairMade(known, run, at) : driftOf(known, target);
  const drift = repaired && target && plan.direction === 'repair' ? withoutRecreated(repaired, target) : repaired;
  await deps.clusters.put(changed(kept, run, { ...reached, failure: null, backOffs: 0, ...(drift && { drift }) }));
  await removePoolKeys(deps, run, target, [desired, before, attempted, record.current, record.attempted]);
  await deps.events.append(keyOf(run), [clusterEvent(run, at, waypointReached(plan.direction, record))]);
  return {};
});
