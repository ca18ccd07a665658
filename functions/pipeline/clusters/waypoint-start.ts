/** The start of a waypoint: its document for the runners, the record that remembers it, the slots of its stages. */
import type { ClusterProgress, ClusterRecord, ManifestRecord } from '#contracts/records.ts';
import type { WaypointDocument } from '#contracts/stage.ts';
import type { ClusterRun } from '#contracts/state-inputs.ts';
import { allNodes, type ClusterFacts } from '#domain/cluster-state.ts';
import { type Demand, isOpen, noDemand } from '#domain/demand.ts';
import type { StagePlan, Waypoint } from '#domain/plan.ts';
import { type KnownStates, statesDuring } from '#domain/planning/states/attempt.ts';
import { countSteps, nodesToReport } from '#domain/progress.ts';
import { heldBy } from '../plans/cluster-plans.ts';
import { changed } from '../records/cluster-records.ts';
import { doneStagesOf } from '../stages/done-stages.ts';
import { type Runners, stageRequests } from '../stages/stage-requests.ts';
import { nextPrefix, type Start } from '../stages/stored-start.ts';
import { nodesNotRecreated } from './not-recreated.ts';

export interface WaypointStart {
  readonly run: ClusterRun;
  readonly manifest: ManifestRecord;
  readonly record: ClusterRecord;
  readonly waypoint: Waypoint;
  /** The path from here on: this waypoint and the later ones. */
  readonly path: readonly Waypoint[];
  readonly facts: ClusterFacts;
  /** What the path was planned with, apart from the manifest. */
  readonly demand: Demand | undefined;
  readonly runners: Runners;
  /** How often a waypoint is backed off. */
  readonly mostBackOffs: number;
  readonly now: string;
}

export function startWaypoint(start: WaypointStart): Start {
  const { run, manifest, record, waypoint, runners } = start;
  const { index, waypointPrefix } = nextPrefix(run, record);
  const { namespace, name, generation, runId, cluster } = run;
  const { direction, target, undo } = waypoint;
  const { current: before, attempted } = record;
  const { failedPools: _failed, ...facts } = start.facts;
  const during = statesDuring(waypoint, record);
  const doneStages = doneStagesOf(waypoint, during.current, record.doneStages);
  const remaining = waypoint.stages.filter(({ stage }) => !doneStages.stages.includes(stage));
  const progress = progressOf(start, during, remaining);
  const stages = waypoint.stages.map((plan) => orphanNamed(plan, manifest, during));
  const continues = record.status === 'BackingOff';
  const { demand: _before, nodeWait: _wait, ...known } = record;
  const nodeWait = continues && record.failure?.runId === runId ? record.nodeWait : undefined;
  const reachedWithHeld =
    continues && record.failure?.code === 'ComponentsHeld' && record.backOffs >= start.mostBackOffs;
  const { sizes, replace } = start.demand ?? noDemand;
  const notRecreated = nodesNotRecreated(manifest, before, { demand: { replace }, path: start.path });
  const document: WaypointDocument = {
    schema: 1,
    namespace,
    manifest: name,
    generation,
    runId,
    cluster,
    index,
    direction,
    before,
    target,
    attempted,
    facts,
    ...(manifest.debug && { debug: true as const }),
    stages,
    undo,
    ...(nodeWait && { waitsSince: Object.fromEntries(nodeWait.nodes.map(({ node, since }) => [node, since])) }),
    ...(reachedWithHeld && { reachedWithHeld }),
    ...(notRecreated.length > 0 && { notRecreated: [...notRecreated] }),
  };
  // A repair between two attempts of a bound plan does not make the plan old.
  const boundTo = manifest.check ? record.unreached && record.lastChange?.plan : manifest.plan?.id;
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
    ...(nodeWait && { nodeWait }),
    ...(continues ? {} : { failure: null, backOffs: 0 }),
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
function orphanNamed(plan: StagePlan, { deleting, orphans }: ManifestRecord, during: KnownStates): StagePlan {
  if (plan.stage !== 'infrastructure' || !deleting || !Array.isArray(orphans)) return plan;
  const states = [during.current, during.attempted].filter((state) => state !== null);
  const there = new Set(states.flatMap((state) => allNodes(state).map(({ node }) => node.name)));
  const orphan = orphans.filter((name) => there.has(name));
  return orphan.length === 0 ? plan : { ...plan, work: { ...plan.work, orphan } };
}
