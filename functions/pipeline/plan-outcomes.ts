/** What follows from a plan: records and events of a cluster that goes on, is done, or cannot be planned. */
import type { ClusterRecord, RunEvent } from '#contracts/records.ts';
import type { ClusterRun, PlanClusterOutput, StageSlot } from '#contracts/state-inputs.ts';
import { type Refusal, stageNames, undoRungs, type Waypoint } from '#domain/plan.ts';
import { describeClusterPlan } from '#domain/planning/describe-plan.ts';
import { changed, clusterEvent } from './cluster-records.ts';

/** No waypoint: every slot is empty. */
export function nothingToDo(direction: 'none' | 'refused'): PlanClusterOutput {
  const slot = (mode: 'do' | 'undo', stage: StageSlot['stage']): StageSlot => {
    return { stage, mode, hasWork: false, project: '', waypointPrefix: '', step: 0 };
  };
  const forward = Object.fromEntries(stageNames.map((stage) => [stage, slot('do', stage)]));
  const back = Object.fromEntries(Object.entries(undoRungs).map(([rung, stage]) => [rung, slot('undo', stage)]));
  return {
    direction,
    waypointPrefix: '',
    do: forward as PlanClusterOutput['do'],
    undo: back as PlanClusterOutput['undo'],
  };
}

export function convergedRecord(run: ClusterRun, record: ClusterRecord, now: string): ClusterRecord {
  const { progress } = record;
  const ended = progress && { ...progress, step: progress.steps, updatedAt: now };
  return changed(record, run, { status: 'Converged', failure: null, backOffs: 0, progress: withoutStage(ended) });
}

/** What stands goes on standing; the reasons are a user's to read. */
export function refusedRecord(
  run: ClusterRun,
  record: ClusterRecord,
  refusals: readonly Refusal[],
  now: string,
): ClusterRecord {
  const reasons = refusals.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
  const fixes = [...new Set(refusals.map(({ fix }) => fix))].join('; ');
  return changed(record, run, {
    failure: {
      ...{ class: 'user', code: 'PlanRefused', message: reasons.slice(0, 2000), hint: fixes, retryable: false },
      ...{ runId: run.runId, at: now, outcome: 'nothing was changed' },
    },
  });
}

/** The path when a run begins it, and each waypoint as it starts. */
export function planEvents(
  run: ClusterRun,
  path: readonly Waypoint[],
  record: ClusterRecord,
  now: string,
): readonly RunEvent[] {
  const plan = { cluster: run.cluster, waypoints: [...path], refusals: [] };
  const { summary, waypoints } = describeClusterPlan(plan, record.current);
  const [first] = waypoints;
  const begins = record.progress?.waypoint === 1 && record.status === 'Running' && record.backOffs === 0;
  const made = begins ? [clusterEvent(run, now, { level: 'info', kind: 'PlanMade', message: summary })] : [];
  if (!first) return made;
  const message = [first.title, ...first.sentences].join('; ').slice(0, 2000);
  return [...made, clusterEvent(run, now, { level: 'info', kind: 'WaypointStarted', message })];
}

/** The event of a waypoint that was reached. */
export function waypointReached(direction: string, record: ClusterRecord): Omit<RunEvent, 'at' | 'runId' | 'cluster'> {
  const { waypoint = 1, waypoints = 1 } = record.progress ?? {};
  return { level: 'info', kind: 'WaypointReached', message: `${direction} done, waypoint ${waypoint} of ${waypoints}` };
}

function withoutStage(progress: ClusterRecord['progress']): ClusterRecord['progress'] {
  if (progress === null) return null;
  const { stage: _stage, ...rest } = progress;
  return rest;
}
