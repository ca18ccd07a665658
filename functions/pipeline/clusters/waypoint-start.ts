/** The start of a waypoint: its document for the runners, the record that remembers it, the slots of its stages. */
import type { DriftCheck } from '#contracts/job.ts';
import type { ClusterProgress, ClusterRecord, ManifestRecord } from '#contracts/records.ts';
import type { PlannedPath } from '#contracts/run-plan.ts';
import { type WaypointDocument, waypointKeys } from '#contracts/stage.ts';
import type { ClusterRun, PlanClusterOutput } from '#contracts/state-inputs.ts';
import { allNodes, type ClusterFacts } from '#domain/cluster-state.ts';
import { type Demand, isOpen, noDemand } from '#domain/demand.ts';
import { PipelineError } from '#domain/errors.ts';
import type { StagePlan, Waypoint } from '#domain/plan.ts';
import { type KnownStates, statesDuring } from '#domain/planning/states/attempt.ts';
import { countSteps, nodesToReport } from '#domain/progress.ts';
import type { Using } from '../../ports.ts';
import { heldBy } from '../plans/cluster-plans.ts';
import { changed } from '../records/cluster-records.ts';
import { doneStagesOf } from '../stages/done-stages.ts';
import { type Runners, stageRequests } from '../stages/stage-requests.ts';
import { notRecreated } from './not-recreated.ts';

/** Waypoints, retries included, that one run may start for one cluster: a plan that never ends is a fault. */
const mostWaypoints = 200;

export interface WaypointStart {
  readonly run: ClusterRun;
  readonly manifest: ManifestRecord;
  readonly record: ClusterRecord;
  readonly waypoint: Waypoint;
  /** The path from here on: this waypoint and those behind it. */
  readonly path: readonly Waypoint[];
  readonly facts: ClusterFacts;
  /** What the path was planned with, apart from the manifest. */
  readonly demand: Demand | undefined;
  readonly runners: Runners;
  /** How often a waypoint is backed off. */
  readonly mostBackOffs: number;
  readonly now: string;
}

/** Everything that has to be stored before a stage runs, and the input of the next states. */
export interface Start {
  readonly document: WaypointDocument | DriftCheck;
  readonly record: ClusterRecord;
  readonly output: PlanClusterOutput;
}

/** The documents are written first: readers of the record rely on them. A check has no way of its own. */
export async function storeStart(
  deps: Using<'artifacts.putText' | 'clusters.put'>,
  { document, record, output }: Start,
  path?: PlannedPath,
): Promise<void> {
  const { waypointPrefix: prefix } = output;
  const documents = [[waypointKeys.document(prefix), document] as const, [waypointKeys.path(prefix), path] as const];
  await Promise.all(
    documents.flatMap(([key, content]) =>
      content === undefined ? [] : [deps.artifacts.putText(key, JSON.stringify(content), 'application/json')],
    ),
  );
  await deps.clusters.put(record);
}

export function startWaypoint(start: WaypointStart): Start {
  const { run, manifest, record, waypoint, runners } = start;
  const { index, waypointPrefix } = nextPrefix(run, record);
  const { namespace, name, generation, runId, cluster } = run;
  const { direction, target, undo } = waypoint;
  const { current: before, attempted } = record;
  const { lostPools: _lost, ...facts } = start.facts;
  const during = statesDuring(waypoint, record);
  const doneStages = doneStagesOf(waypoint, during.current, record.doneStages);
  const remaining = waypoint.stages.filter(({ stage }) => !doneStages.stages.includes(stage));
  const progress = progressOf(start, during, remaining);
  const stages = waypoint.stages.map((plan) => orphanAll(plan, manifest, during));
  const goesOn = record.status === 'BackingOff';
  const { demand: _before, nodeWait, ...known } = record;
  const waited = goesOn && record.failure?.runId === runId ? nodeWait : undefined;
  const heldToTheEnd = goesOn && record.failure?.code === 'ComponentsHeld' && record.backOffs >= start.mostBackOffs;
  const { sizes, replace } = start.demand ?? noDemand;
  const leftGone = notRecreated(manifest, before, { demand: { replace }, path: start.path });
  const document: WaypointDocument = {
    ...{ schema: 1, namespace, manifest: name, generation, runId, cluster, index, direction },
    ...{ before, target, attempted, facts, stages, undo },
    ...(waited && { waitsSince: Object.fromEntries(waited.nodes.map(({ node, since }) => [node, since])) }),
    ...(heldToTheEnd && { reachedWithHeld: true as const }),
    ...(leftGone.length > 0 && { notRecreated: [...leftGone] }),
  };
  const boundTo = manifest.check ? undefined : manifest.plan?.id;
  const next = changed(known, run, {
    ...during,
    ...(isOpen({ sizes, replace }) && { demand: { sizes, replace } }),
    status: 'Running',
    lastChange: { at: start.now, runId, direction, ...(boundTo !== undefined && { plan: boundTo }) },
    facts,
    progress,
    waypointPrefix,
    doneStages,
    heldPools: [...heldBy(manifest, record)],
    ...(waited && { nodeWait: waited }),
    ...(goesOn ? {} : { failure: null, backOffs: 0 }),
  });
  const output = stageRequests({ waypoint, remaining, waypointPrefix, stepsBefore: progress.step, runners });
  return { document, record: next, output };
}

/** This run pauses for nodes that are held, and is not to compare them again yet; a newer run does at once. */
export function isWaiting({ runId }: ClusterRun, { status, failure, nodeWait }: ClusterRecord, now: string): boolean {
  return (
    status === 'BackingOff' && failure?.runId === runId && nodeWait !== undefined && nodeWait.comparedAgainAt > now
  );
}

/** Number and artifact prefix of the next waypoint, or check, of this run. */
export function nextPrefix(run: ClusterRun, record: ClusterRecord): { index: number; waypointPrefix: string } {
  const index = nextIndex(run, record);
  return { index, waypointPrefix: `${waypointsOf(run)}${String(index).padStart(2, '0')}` };
}

/** Numbers of waypoints continue within a run: files of one are never read as those of another. */
function nextIndex(run: ClusterRun, record: ClusterRecord): number {
  const prefix = waypointsOf(run);
  const last = record.waypointPrefix?.startsWith(prefix) ? Number(record.waypointPrefix.slice(prefix.length)) : -1;
  if (last + 1 < mostWaypoints) return last + 1;
  const message = `cluster ${run.cluster} started ${mostWaypoints} waypoints in the run ${run.runId} and is not done`;
  throw new PipelineError('InternalFault', message);
}

function waypointsOf(run: ClusterRun): string {
  return `runs/${run.namespace}/${run.name}/${run.runId}/${run.cluster}/w`;
}

/** Steps already done in this run stay counted; those ahead are the stages with work of the path from here on. */
function progressOf(
  { run, record, waypoint, path, now }: WaypointStart,
  during: KnownStates,
  remaining: readonly StagePlan[],
): ClusterProgress {
  const before = record.progress?.runId === run.runId ? record.progress : undefined;
  const passed = before ? before.waypoint - (record.status === 'BackingOff' ? 1 : 0) : 0;
  const step = before?.step ?? 0;
  const [first] = remaining;
  return {
    runId: run.runId,
    direction: waypoint.direction,
    waypoint: passed + 1,
    waypoints: passed + path.length,
    ...(first && { stage: first.stage }),
    step,
    steps: step + remaining.length + countSteps(path.slice(1)),
    startedAt: before?.startedAt ?? now,
    updatedAt: now,
    nodes: nodesToReport(record.current, waypoint.target, [during.current, during.attempted]),
  };
}

/** A deletion orphans the nodes that the user named. */
function orphanAll(plan: StagePlan, { deleting, orphans }: ManifestRecord, during: KnownStates): StagePlan {
  if (plan.stage !== 'infrastructure' || !deleting || !Array.isArray(orphans)) return plan;
  const states = [during.current, during.attempted].filter((state) => state !== null);
  const there = new Set(states.flatMap((state) => allNodes(state).map(({ node }) => node.name)));
  const orphan = orphans.filter((name) => there.has(name));
  return orphan.length === 0 ? plan : { ...plan, work: { ...plan.work, orphan } };
}
