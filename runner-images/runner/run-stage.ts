/** One stage from its documents to its result: whatever happens in between, facts and result are written. */
import type { StageJob } from '#contracts/job.ts';
import { StageResult, WaypointDocument, waypointKeys, waypointOf } from '#contracts/stage.ts';
import { ClusterFacts, type ClusterState, noFacts } from '#domain/cluster-state.ts';
import type { StagePlan } from '#domain/plan.ts';
import { withoutPools } from '#domain/planning/states/without-pools.ts';
import type { AllRunnerPorts, RunnerPorts } from '#functions/rights/runner-rights.ts';
import { verboseRun } from './debug/verbose-run.ts';
import { type JobEventFeed, openEventFeed } from './event-feed.ts';
import { FactSheet } from './fact-sheet.ts';
import { type FailedPool, nodesOfPools, planWithout } from './failed-pools.ts';
import { type JobOptions, runInFrame } from './job-frame.ts';
import type { StageContext, StageTools, Tool } from './stage-context.ts';
import { maskedError, StageFailure } from './stage-failure.ts';

export interface StageOptions extends JobOptions {
  readonly tools: { readonly [Stage in keyof StageTools]: Tool };
}

/** Runs it. Returns the result that it has written; throws only when not even the result could be written. */
export async function runStage(job: StageJob, ports: AllRunnerPorts, options: StageOptions): Promise<StageResult> {
  const { waypoint: prefix, stage, mode, attempt } = job;
  const attemptPrefix = waypointKeys.attempt(prefix, stage, mode, attempt);
  const failedPools: FailedPool[] = [];
  let facts: FactSheet | undefined;
  let storedFacts: string | undefined;
  let events: JobEventFeed | undefined;
  return runInFrame({
    ports,
    options,
    logKey: waypointKeys.log(attemptPrefix),
    // A cancelled run still undoes what it has started.
    stopPlaces: [mode === 'do' ? prefix : waypointKeys.undo(prefix), attemptPrefix],
    async work(frame) {
      const { document, plan: whole, known, factsText } = await loadDocuments(job, ports);
      const sheet = new FactSheet(known);
      const feed = openEventFeed(
        ports,
        { document, stage, tried: { waypoint: waypointOf(prefix), attempt } },
        frame.mask,
      );
      feed.emit(started(job));
      [facts, storedFacts, events] = [sheet, factsText, feed];
      const { mask } = frame;
      const { plan, target, others } = ends(document, whole, mode, known);
      for (const reason of plan.reasons) frame.log.write('runner', `why: ${reason}`);
      const summary = await options.tools[stage]({
        ...frame,
        ...(document.debug === true && { run: verboseRun(frame) }),
        ports,
        document,
        mode,
        attempt,
        plan,
        target,
        others,
        facts: sheet,
        noteFailedPool: (pool, error) => failedPools.push({ pool, error: maskedError(error, mask) }),
        emit: (event) => feed.emit(event),
      });
      if (failedPools.length > 0) sheet.failedPools(failedPools.map(({ pool }) => pool));
      return summary;
    },
    async store({ outcome, ...times }) {
      const { ok } = outcome;
      const ended = ok ? { summary: outcome.found } : { summary: {}, error: outcome.error };
      const failed = ok && failedPools.length > 0 && { failedPools };
      const result = StageResult.parse({ schema: 1, stage, mode, attempt, ok, ...times, ...ended, ...failed });
      const factsText = facts && JSON.stringify(facts.current);
      const reported = events?.close();
      // Readers of a result rely on the facts: those are written first. Events only have to be complete at the end.
      if (factsText !== undefined && factsText !== storedFacts)
        await ports.artifacts.putText(waypointKeys.facts(prefix), factsText, 'application/json');
      await ports.artifacts.putText(waypointKeys.result(attemptPrefix), JSON.stringify(result), 'application/json');
      await reported;
      return result;
    },
  });
}

/** Those who watch see what runs since when. */
function started({ stage, mode, attempt }: StageJob) {
  const again = attempt > 1 ? `, try ${attempt}` : '';
  if (mode === 'undo') return { kind: 'UndoStarted', message: `undoing ${stage} starts${again}` } as const;
  return { kind: 'StageStarted', message: `${stage} starts${again}` } as const;
}

/**
 * The target of the stage and the other states that may exist. In mode do, held pools of the waypoint are in neither; in
 * mode undo they may still exist.
 */
function ends(
  document: WaypointDocument,
  plan: StagePlan,
  mode: StageJob['mode'],
  { failedPools = [] }: ClusterFacts,
): Pick<StageContext, 'target' | 'others' | 'plan'> {
  const { before, target, attempted } = document;
  const isState = (state: ClusterState | null): state is ClusterState => state !== null;
  if (mode === 'undo') return { target: before, others: [target, attempted].filter(isState), plan };
  // The stage that creates machines finds out again which pools it can create.
  if (plan.stage === 'infrastructure') return { target: target, others: [before, attempted].filter(isState), plan };
  return {
    target: target && withoutPools(target, failedPools),
    others: [before, attempted].filter(isState),
    plan: planWithout(plan, nodesOfPools([target], failedPools)),
  };
}

async function loadDocuments(
  { waypoint: prefix, stage, mode }: StageJob,
  ports: RunnerPorts,
): Promise<{ document: WaypointDocument; plan: StagePlan; known: ClusterFacts; factsText: string | undefined }> {
  const [text, factsText] = await Promise.all([
    requestBelow(prefix, ports),
    ports.artifacts.getText(waypointKeys.facts(prefix)),
  ]);
  const document = WaypointDocument.parse(JSON.parse(text));
  const plan = (mode === 'do' ? document.stages : document.undo).find((candidate) => candidate.stage === stage);
  if (plan === undefined) {
    throw new StageFailure({
      class: 'bug',
      code: 'NoWork',
      message: `The waypoint ${prefix} has no work for the stage ${stage} in mode ${mode}.`,
      hint: 'This is a fault of Kubeloom: a stage without work must not be started.',
    });
  }
  const known = factsText === undefined ? (document.facts ?? noFacts) : ClusterFacts.parse(JSON.parse(factsText));
  return { document, plan, known, factsText };
}

/** The text of the document that the pipeline left. Throws `WaypointMissing`. */
export async function requestBelow(prefix: string, { artifacts }: RunnerPorts): Promise<string> {
  const text = await artifacts.getText(waypointKeys.document(prefix));
  if (text !== undefined) return text;
  throw new StageFailure({
    class: 'bug',
    code: 'WaypointMissing',
    message: `There is no waypoint document under ${prefix}.`,
    hint: 'This is a fault of Kubeloom, or the artifact was removed during the run.',
  });
}
