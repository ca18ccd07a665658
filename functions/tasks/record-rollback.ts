/** Record Rollback: the cluster is where it was before the waypoint; the event says what was tried and what is next. */
import { RecordRollbackInput, type StateError } from '#contracts/state-inputs.ts';
import { statesAfterUndo } from '#domain/planning/states/attempt.ts';
import { taskHandler } from '../middleware.ts';
import { removeClusterFiles } from '../pipeline/clusters/cluster-files.ts';
import { changed, clusterEvent, clusterOf, factsOf, keyOf } from '../pipeline/clusters/cluster-records.ts';
import { rollbackSentence } from '../pipeline/clusters/failure-outcomes.ts';
import { failureBehind } from '../pipeline/clusters/failure-record.ts';
import { knownFacts } from '../pipeline/stages/known-facts.ts';

const uses = ['artifacts.getText', 'artifacts.remove', 'clusters.get', 'clusters.put', 'events.append'] as const;

export const handler = taskHandler(RecordRollbackInput, uses, async ({ run, plan }, deps): Promise<StateError> => {
  const now = deps.clock.now().toISOString();
  const record = await clusterOf(deps, run);
  const failure = failureBehind({ run, record, plan, fault: undefined, now });
  const outcome = rollbackSentence(plan.direction, record);
  const facts = factsOf(record.current, await knownFacts(deps, record));
  if (record.current === null) await removeClusterFiles(deps, run);
  const before = { ...statesAfterUndo(record.current), facts, backOffs: 0 };
  const { doneStages: _done, heldPools: _held, ...kept } = record;
  await deps.clusters.put(changed(kept, run, { ...before, status: 'RolledBack', failure: { ...failure, outcome } }));
  const event = { kind: 'RolledBack' as const, message: outcome };
  await deps.events.append(keyOf(run), [clusterEvent(run, now, event)]);
  return { Error: failure.code, Cause: outcome };
});
