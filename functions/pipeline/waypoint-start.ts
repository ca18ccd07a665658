/** The start of a waypoint: its document for the runners, the record that remembers it, the slots of its stages. */
import type { ClusterProgress, ClusterRecord } from '#contracts/records.ts';
import type { WaypointDocument } from '#contracts/stage.ts';
import type { ClusterRun, PlanClusterOutput, StageSlot } from '#contracts/state-inputs.ts';
import { allPools, type ClusterFacts } from '#domain/cluster-state.ts';
import { PipelineError } from '#domain/errors.ts';
import { type StageName, type StagePlan, stageNames, undoRungs, type Waypoint } from '#domain/plan.ts';
import { statesDuring } from '#domain/planning/attempt.ts';
import { changed } from './cluster-records.ts';

/** The tool that runs each stage. */
export const stageTools = {
  infrastructure: 'terraform',
  configuration: 'ansible',
  kubernetes: 'kubeone',
  nodes: 'kubectl',
  traffic: 'ansible',
} as const satisfies Record<StageName, string>;

/** Waypoints, retries of them included, that one run may begin for one cluster: a plan that never ends is a fault. */
const mostWaypoints = 200;

export interface WaypointStart {
  readonly run: ClusterRun;
  readonly record: ClusterRecord;
  readonly waypoint: Waypoint;
  /** The path from here on: this waypoint and those behind it. */
  readonly path: readonly Waypoint[];
  readonly facts: ClusterFacts;
  /** Tool to CodeBuild project. */
  readonly projects: Readonly<Record<string, string>>;
  readonly now: string;
}

/** Everything that has to be stored before its first stage runs, and what the states behind it are told. */
export function startWaypoint(start: WaypointStart): {
  readonly document: WaypointDocument;
  readonly record: ClusterRecord;
  readonly output: PlanClusterOutput;
} {
  const { run, record, waypoint, facts } = start;
  const index = nextIndex(run, record);
  const waypointPrefix = `${waypointsOf(run)}${String(index).padStart(2, '0')}`;
  const { namespace, name: manifest, generation, runId, cluster } = run;
  const { direction, target, stages, undo } = waypoint;
  const { current: before, attempted } = record;
  const progress = progressOf(start);
  const goesOn = record.status === 'BackingOff';
  const document: WaypointDocument = {
    ...{ schema: 1, namespace, manifest, generation, runId, cluster, index, direction },
    ...{ before, target, attempted, facts, stages, undo },
  };
  const next = changed(record, run, {
    ...statesDuring(waypoint, record),
    status: 'Running',
    facts,
    progress,
    waypointPrefix,
    ...(goesOn ? {} : { failure: null, backOffs: 0 }),
  });
  return { document, record: next, output: outputOf(start, waypointPrefix, progress) };
}

/** Numbers of waypoints go on within a run: what one left is never read as if it were another's. */
function nextIndex(run: ClusterRun, record: ClusterRecord): number {
  const prefix = waypointsOf(run);
  const last = record.waypointPrefix?.startsWith(prefix) ? Number(record.waypointPrefix.slice(prefix.length)) : -1;
  if (last + 1 < mostWaypoints) return last + 1;
  const message = `cluster ${run.cluster} began ${mostWaypoints} waypoints in the run ${run.runId} and is not done`;
  throw new PipelineError('InternalFault', message);
}

function waypointsOf(run: ClusterRun): string {
  return `runs/${run.namespace}/${run.name}/${run.runId}/${run.cluster}/w`;
}

/** Steps already done in this run stay counted; those ahead are the stages with work of the path from here on. */
function progressOf({ run, record, waypoint, path, now }: WaypointStart): ClusterProgress {
  const before = record.progress?.runId === run.runId ? record.progress : undefined;
  const passed = before ? before.waypoint - (record.status === 'BackingOff' ? 1 : 0) : 0;
  const step = before?.step ?? 0;
  const [first] = waypoint.stages;
  return {
    runId: run.runId,
    direction: waypoint.direction,
    waypoint: passed + 1,
    waypoints: passed + path.length,
    ...(first && { stage: first.stage }),
    step,
    steps: step + path.reduce((sum, { stages }) => sum + stages.length, 0),
    startedAt: before?.startedAt ?? now,
    updatedAt: now,
    nodes: nodesOf(record, waypoint),
  };
}

function nodesOf(record: ClusterRecord, waypoint: Waypoint): ClusterProgress['nodes'] {
  const during = statesDuring(waypoint, record);
  const standing = new Set(namesOf(record.current));
  const staying = new Set(namesOf(waypoint.target));
  const states = [waypoint.target, during.current, during.attempted].filter((state) => state !== null);
  const rows = states.flatMap(allPools).flatMap((pool) =>
    pool.nodes.map(({ name }) => {
      const part: 'stays' | 'joins' | 'leaves' = !staying.has(name) ? 'leaves' : standing.has(name) ? 'stays' : 'joins';
      const provider = pool.source.kind === 'dynamic' ? pool.source.provider.name : 'static';
      return { name, role: pool.role, pool: pool.name, provider, part };
    }),
  );
  return [...new Map(rows.map((row) => [row.name, row])).values()];
}

function namesOf(state: Waypoint['target']): readonly string[] {
  return state === null ? [] : allPools(state).flatMap((pool) => pool.nodes.map(({ name }) => name));
}

function outputOf(start: WaypointStart, waypointPrefix: string, progress: ClusterProgress): PlanClusterOutput {
  const { waypoint, projects } = start;
  const slot = (mode: 'do' | 'undo', stage: StageName, plans: readonly StagePlan[]): StageSlot => {
    const place = plans.findIndex((plan) => plan.stage === stage);
    const hasWork = place >= 0;
    const after = plans[place + 1]?.stage;
    const position = { step: progress.step + place + 1, ...(hasWork && after && { next: after }) };
    return { stage, mode, hasWork, project: hasWork ? projectOf(stage, projects) : '', waypointPrefix, ...position };
  };
  const forward = stageNames.map((stage) => [stage, slot('do', stage, waypoint.stages)] as const);
  const back = Object.entries(undoRungs).map(([rung, stage]) => [rung, slot('undo', stage, waypoint.undo)] as const);
  return {
    direction: waypoint.direction,
    waypointPrefix,
    do: Object.fromEntries(forward) as PlanClusterOutput['do'],
    undo: Object.fromEntries(back) as PlanClusterOutput['undo'],
  };
}

function projectOf(stage: StageName, projects: Readonly<Record<string, string>>): string {
  const project = projects[stageTools[stage]];
  if (project) return project;
  const message = `no CodeBuild project is known for ${stageTools[stage]}; add it to KUBELOOM_RUNNER_PROJECTS`;
  throw new PipelineError('InternalFault', message);
}
