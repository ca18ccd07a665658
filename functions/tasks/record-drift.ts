/** Record Drift: the findings of a check are stored and reported; Plan Cluster decides on a repair. */
import { RecordDriftInput } from '#contracts/state-inputs.ts';
import { type DriftMeasures, measureDrift } from '#domain/assess-drift.ts';
import { taskHandler } from '../middleware.ts';
import { changed, clusterEvent, clusterOf, keyOf } from '../pipeline/clusters/cluster-records.ts';
import { sentenceOf } from '../pipeline/clusters/failure-record.ts';
import { driftEvents, readCheck } from '../pipeline/drift/drift-check.ts';

const uses = ['artifacts.getText', 'clusters.get', 'clusters.put', 'events.append', 'manifests.get'] as const;

export const handler = taskHandler(
  RecordDriftInput,
  uses,
  async ({ run, plan: { waypointPrefix }, checkFailure }, deps): Promise<{ readonly measures: DriftMeasures }> => {
    const now = deps.clock.now().toISOString();
    const [record, manifest] = await Promise.all([clusterOf(deps, run), deps.manifests.get(keyOf(run))]);
    const failure = checkFailure && sentenceOf(checkFailure.Cause);
    const news = await readCheck(deps, { run, record, manifest, waypointPrefix, failure, now });
    await deps.clusters.put(changed(record, run, { drift: news.drift }));
    const events = driftEvents(news).map((event) => clusterEvent(run, now, event));
    await deps.events.append(keyOf(run), events);
    return { measures: measureDrift(news.drift) };
  },
);
