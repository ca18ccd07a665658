/** The one waypoint of a run that edits a Terraform state, as Plan Cluster starts it, and its end. Loaded on demand: few runs are edits. */
import type { ClusterRecord, ManifestRecord } from '#contracts/records.ts';
import type { WaypointDocument } from '#contracts/stage.ts';
import { StoredStateEdit, stateEditKeys } from '#contracts/state-edits.ts';
import type { ClusterRun, PlanClusterOutput } from '#contracts/state-inputs.ts';
import { PipelineError } from '#domain/errors.ts';
import type { Waypoint } from '#domain/plan.ts';
import { describeClusterPlan } from '#domain/planning/text/describe-plan.ts';
import { stateEditWaypoint } from '#domain/planning/work/state-edit.ts';
import { nodesToReport } from '#domain/progress.ts';
import type { Using } from '../../ports.ts';
import { unreachedOf } from '../drift/maintained-cluster.ts';
import { isCancelled } from '../records/cancellation.ts';
import { changed, clusterName, keyOf } from '../records/cluster-records.ts';
import { knownFacts, readDocument } from '../records/known-facts.ts';
import { nothingToDo, type Runners, stageRequests } from '../stages/stage-requests.ts';
import { nextPrefix, type Start, storeStart } from '../stages/stored-start.ts';
import { planEvents, plannedPath } from './plan-events.ts';
import { cancelledRecord, reachedRecord } from './plan-outcomes.ts';

interface EditRun {
  readonly run: ClusterRun;
  readonly manifest: ManifestRecord;
  readonly record: ClusterRecord;
  readonly runners: Runners;
  /** ISO 8601. */
  readonly now: string;
}

/** Starts it, or ends the run once it is made. Throws `NotFound` without its document. */
export async function nextEdit(
  deps: Using<'artifacts.getText' | 'artifacts.putText' | 'clusters.put' | 'events.append'>,
  question: EditRun,
): Promise<PlanClusterOutput> {
  const { run, manifest, record, now } = question;
  const made = record.lastChange?.runId === run.runId && record.status === 'Planning';
  if (made || isCancelled(manifest, run)) {
    await deps.clusters.put(made ? endedRecord(question) : notStarted(question));
    return nothingToDo('none');
  }
  const stored = await readDocument(deps, stateEditKeys.ofRun(manifest), StoredStateEdit);
  if (stored === undefined) throw new PipelineError('NotFound', `the edit of the run ${run.runId} is gone`);
  const { index, waypointPrefix } = nextPrefix(run, record);
  const key = stateEditKeys.ofWaypoint(waypointPrefix);
  const waypoint = stateEditWaypoint(record.current ?? record.attempted, stored.edit, key);
  const facts = await knownFacts(deps, record);
  const start = startOf(question, { waypoint, index, waypointPrefix, facts });
  await deps.artifacts.putText(key, JSON.stringify(stored), 'application/json');
  const plan = { cluster: clusterName(record), waypoints: [waypoint], refusals: [] };
  const described = describeClusterPlan(plan, waypoint.target);
  await storeStart(deps, start, plannedPath(described, [waypoint], start.record));
  await deps.events.append(keyOf(run), planEvents(run, described, { before: record, after: start.record, now }));
  return start.output;
}

/** States, and what was attempted, stay as they are: nothing of the cloud is touched. */
function startOf(
  { run, manifest, record, runners, now }: EditRun,
  {
    waypoint,
    index,
    waypointPrefix,
    facts,
  }: Pick<Start['record'], 'facts'> & ReturnType<typeof nextPrefix> & { readonly waypoint: Waypoint },
): Start {
  const { namespace, name, generation, runId, cluster } = run;
  const { direction, target, stages, undo } = waypoint;
  const { current: before, attempted } = record;
  const about = { schema: 1, namespace, manifest: name, generation, runId, cluster, index } as const;
  const document: WaypointDocument = { ...about, direction, before, target, attempted, facts, stages, undo };
  // An edit between two attempts of a bound plan does not make the plan old.
  const boundTo = manifest.failed && record.lastChange?.plan;
  const times = { startedAt: now, updatedAt: now };
  const steps = { waypoint: 1, waypoints: 1, stage: 'infrastructure' as const, step: 0, steps: 1 };
  const next = changed(record, run, {
    status: 'Running',
    lastChange: { at: now, runId, direction, ...(boundTo !== undefined && { plan: boundTo }) },
    facts,
    progress: { runId, direction, ...steps, ...times, nodes: nodesToReport(target, target) },
    waypointPrefix,
    failure: null,
    backOffs: 0,
    ...(manifest.failed && unreachedOf(record)),
  });
  const requested = stageRequests({ waypoint, remaining: stages, waypointPrefix, stepsBefore: 0, runners });
  return { document, record: next, output: requested };
}

/** As the failed change before it left the cluster; without one, it is as desired. */
function endedRecord({ run, manifest, record, now }: EditRun): ClusterRecord {
  const { unreached, ...rest } = record;
  return unreached ? changed(rest, run, unreached) : reachedRecord(run, manifest, record, now);
}

function notStarted({ run, manifest, record, now }: EditRun): ClusterRecord {
  const { failure } = cancelledRecord(run, record, now);
  return changed(record, run, { failure, ...(manifest.failed && unreachedOf(record)) });
}
