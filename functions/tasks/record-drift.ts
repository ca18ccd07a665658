/** Record Drift: the findings of a check are stored and reported; Plan Cluster decides on a repair, and replaces what is requested. */
import { RecordDriftInput } from '#contracts/state-inputs.ts';
import { type DriftMeasures, measureDrift } from '#domain/assess-drift.ts';
import { taskHandler } from '../middleware.ts';
import { agentEvents, driftEvents, readCheck } from '../pipeline/drift/drift-check.ts';
import { askReplacements, startReplacements } from '../pipeline/drift/start-replacements.ts';
import { changed, clusterOf, keyOf, reportEvents } from '../pipeline/records/cluster-records.ts';
import { sentenceOf } from '../pipeline/runs/failure-record.ts';

const uses = [
  'agentReports.get',
  'artifacts.getText',
  'clusters.get',
  'clusters.put',
  'demands.get',
  'demands.put',
  'events.append',
  'manifests.get',
  'manifests.replace',
  'repairBudget.spent',
  'repairBudget.take',
  'runs.put',
  'workflows.startReconcile',
] as const;

export const handler = taskHandler(
  RecordDriftInput,
  uses,
  async ({ run, plan: { waypointPrefix }, checkFailure }, deps): Promise<{ readonly measures: DriftMeasures }> => {
    const now = deps.clock.now();
    const [record, manifest] = await Promise.all([clusterOf(deps, run), deps.manifests.get(keyOf(run))]);
    const failure = checkFailure && sentenceOf(checkFailure.Cause);
    const { news, healing } = await readCheck(deps, { run, record, manifest, waypointPrefix, failure, now });
    const nodes = healing?.replace ?? [];
    if (nodes.length > 0) await askReplacements(deps, { run, nodes, now });
    await deps.clusters.put(changed(record, run, { drift: news.drift }));
    const events = [...driftEvents(news), ...agentEvents(record.drift, news.drift), ...(healing?.events ?? [])];
    await reportEvents(deps, run, now.toISOString(), events);
    // A change in progress does it next. After a failed attempt this run does: the next attempt would lead to what failed.
    if (manifest?.check && manifest.failed === undefined && nodes.length > 0)
      await startReplacements(deps, { manifest, nodes });
    return { measures: measureDrift(news.drift) };
  },
);
