/** Record Standstill: neither forward nor back; what was attempted stays recorded, so that nothing that was created is lost. */
import { RecordStandstillInput, type StateError } from '#contracts/state-inputs.ts';
import { failureOutcomeText } from '#domain/planning/text/failure-outcome-text.ts';
import { taskHandler } from '../middleware.ts';
import { standstill } from '../pipeline/clusters/failure-outcomes.ts';
import { changed, clusterEvent, keyOf, newCluster } from '../pipeline/records/cluster-records.ts';
import { recordedFailure } from '../pipeline/runs/failure-record.ts';
import { failedEdit } from '../pipeline/state-edits/edit-end.ts';

const uses = ['clusters.get', 'clusters.put', 'events.append'] as const;

export const handler = taskHandler(
  RecordStandstillInput,
  uses,
  async ({ run, plan, failure: fault }, deps): Promise<StateError> => {
    const now = deps.clock.now().toISOString();
    const key = keyOf(run);
    const record = (await deps.clusters.get(key, run.cluster)) ?? newCluster(key, run.cluster);
    const assessed = fault?.next !== undefined;
    const failure = recordedFailure({ run, record, plan, fault: assessed ? undefined : fault, now });
    const edit = plan?.direction === 'edit' ? failedEdit(record, failure) : undefined;
    const { status, outcome } = edit ?? {
      status: 'NeedsAttention' as const,
      outcome: standstill(failure, record),
    };
    const recorded = { ...failure, outcome };
    await deps.clusters.put(changed(record, run, { status, failure: recorded }));
    const message = `${failure.message} ${failureOutcomeText(recorded)}`;
    const event = { kind: 'NeedsAttention' as const, message };
    if (status === 'NeedsAttention') await deps.events.append(key, [clusterEvent(run, now, event)]);
    return { Error: failure.code, Cause: message.slice(0, 1000) };
  },
);
