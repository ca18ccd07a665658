/**
 * Record Rollback: the cluster is where it was before the waypoint; the event says what was tried and what is next. Where that is
 * all that the manifest asks for, it has converged, and keeps the failure for people.
 */
import { RecordRollbackInput, type StateError } from '#contracts/state-inputs.ts';
import { noDemand } from '#domain/demand.ts';
import { statesAfterUndo } from '#domain/planning/states/attempt.ts';
import { failureOutcomeText } from '#domain/planning/text/failure-outcome-text.ts';
import { taskHandler } from '../middleware.ts';
import { undoneStep } from '../pipeline/clusters/failure-outcomes.ts';
import { refuseOlderRun } from '../pipeline/clusters/fence-cluster.ts';
import { removeClusterFiles } from '../pipeline/records/cluster-files.ts';
import {
  type ClusterEvent,
  changed,
  clusterOf,
  factsOf,
  keyOf,
  reportEvents,
} from '../pipeline/records/cluster-records.ts';
import { dropFailedDemand } from '../pipeline/records/demand-records.ts';
import { knownFacts } from '../pipeline/records/known-facts.ts';
import { removePoolKeys } from '../pipeline/records/pool-keys.ts';
import { recordedFailure } from '../pipeline/runs/failure-record.ts';

const uses = [
  'artifacts.getText',
  'artifacts.remove',
  'clusters.get',
  'clusters.put',
  'demands.get',
  'demands.put',
  'events.append',
  'manifests.get',
  'secrets.remove',
] as const;

export const handler = taskHandler(RecordRollbackInput, uses, async ({ run, plan }, deps): Promise<StateError> => {
  const now = deps.clock.now().toISOString();
  const record = await clusterOf(deps, run);
  refuseOlderRun(record, run);
  const failure = recordedFailure({ run, record, plan, fault: undefined, now });
  const { class: errorClass, code, message } = failure;
  const dropped = await dropFailedDemand(
    deps,
    { key: keyOf(run), cluster: run.cluster },
    {
      served: record.demand ?? noDemand,
      from: record.current,
      to: record.attempted,
      failure: { at: now, class: errorClass, code, message: message.slice(0, 500) },
    },
  );
  const ended = { ...failure, outcome: undoneStep(plan.direction, record, dropped.length > 0) };
  const facts = factsOf(record.current, await knownFacts(deps, record));
  if (record.current === null) await removeClusterFiles(deps, run);
  await removePoolKeys(deps, run, record.current, [record.attempted]);
  const before = { ...statesAfterUndo(record), facts, backOffs: 0 };
  const { doneStages: _done, heldPools, demand: _demand, ...rest } = record;
  // What was undone is not the change that left pools out.
  const kept = record.unreached && heldPools ? { ...rest, heldPools } : rest;
  const undone = changed(kept, run, { ...before, status: 'Converged', failure: ended });
  // The planner is a third of the function, and few clusters have a demand.
  const reached =
    record.demand !== undefined &&
    (await (await import('../pipeline/plans/demand-left.ts')).nothingIsLeft(deps, undone));
  await deps.clusters.put(reached ? undone : { ...undone, status: 'RolledBack' });
  const events: readonly ClusterEvent[] = [
    { kind: 'RolledBack', message: failureOutcomeText(ended) },
    ...dropped.map((text) => ({
      kind: 'DemandDropped' as const,
      message: `${text}: dropped because the attempt failed`,
    })),
  ];
  await reportEvents(deps, run, now, events);
  return { Error: failure.code, Cause: failureOutcomeText(ended) };
});
