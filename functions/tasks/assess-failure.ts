/** Assess Failure: one table decides whether a waypoint is undone, retried after a pause, waits for nodes, or needs attention. */
import { AssessFailureInput, type AssessFailureOutput } from '#contracts/state-inputs.ts';
import { taskHandler } from '../middleware.ts';
import { assessWaypoint } from '../pipeline/clusters/failure-outcomes.ts';
import { changed, clusterOf, reportEvents } from '../pipeline/records/cluster-records.ts';
import { recordedFailure } from '../pipeline/runs/failure-record.ts';

const uses = ['clusters.get', 'clusters.put', 'events.append'] as const;

export const handler = taskHandler(
  AssessFailureInput,
  uses,
  async ({ run, plan, failure: fault }, deps): Promise<AssessFailureOutput> => {
    const time = deps.clock.now();
    const now = time.toISOString();
    const record = await clusterOf(deps, run);
    const failure = recordedFailure({ run, record, plan, fault, now });
    const { change, events, output } = assessWaypoint({ record, plan, failure, config: deps.config, now: time });
    await deps.clusters.put(changed(record, run, change));
    await reportEvents(deps, run, now, events);
    return output;
  },
);
