/** One stage from its documents to its result: whatever happens in between, facts and result are written. */
import type { StageJob } from '#contracts/job.ts';
import type { StageResult } from '#contracts/stage.ts';
import { StageResult as StageResultShape, WaypointDocument, waypointKeys } from '#contracts/stage.ts';
import { ClusterFacts, type ClusterState, noFacts } from '#domain/cluster-state.ts';
import type { DriftReport } from '#domain/drift.ts';
import type { RunnerStage } from '#domain/plan.ts';
import { withoutPools } from '#domain/planning/states/without-pools.ts';
import type { AllRunnerPorts, RunnerPorts } from '#functions/rights/runner-rights.ts';
import { revokeVaultTokens } from './credentials.ts';
import { openEventFeed } from './event-feed.ts';
import { FactSheet } from './fact-sheet.ts';
import { runCommand } from './process.ts';
import { SecretMask } from './secret-mask.ts';
import { type FailedPool, nodesOfPools, planWithout } from './skip-pools.ts';
import type { RunnerPlan, StageContext, Tool } from './stage-context.ts';
import { StageFailure, stageErrorOf, stageTooLong } from './stage-failure.ts';
import { StageLog } from './stage-log.ts';
import { Stopwatch } from './stopwatch.ts';
import { makeWorkDirectory, removeWorkDirectory } from './work-directory.ts';

export interface RunStageOptions {
  readonly signal: AbortSignal;
  /** After this time the tool is interrupted and the stage fails with `StageTooLong`. @default never */
  readonly longestMinutes?: number;
  readonly templatesDirectory: string;
  readonly tools: Readonly<Record<RunnerStage, Tool>>;
  /** From SIGINT to SIGKILL of a tool's process group. @default 45 s */
  readonly graceMs?: number;
  /** Aborted with the error when something failed outside of the tool's own promise. @default never */
  readonly crash?: AbortSignal;
  /** False for tools that need no files: they get an empty path. @default true */
  readonly needsFiles?: boolean;
  /** A second output for masked log lines. @default none */
  readonly echo?: (line: string) => void;
}

/** Runs it. Returns the result that it has written; throws only when not even the result could be written. */
export async function runStage(job: StageJob, ports: AllRunnerPorts, options: RunStageOptions): Promise<StageResult> {
  const { waypoint: prefix, stage, mode, attempt } = job;
  const attemptPrefix = waypointKeys.attempt(prefix, stage, mode, attempt);
  const startedAt = ports.clock.now().toISOString();
  const mask = new SecretMask();
  const log = new StageLog({
    artifacts: ports.artifacts,
    key: waypointKeys.log(attemptPrefix),
    mask,
    clock: ports.clock,
    ...(options.echo === undefined ? {} : { echo: options.echo }),
  });
  const stopwatch = new Stopwatch(() => performance.now());
  const { signal, clear } = bounded(options);
  let facts: FactSheet | undefined;
  let storedFacts: string | undefined;
  const lost: FailedPool[] = [];
  let report: DriftReport | undefined;
  let reported: Promise<void> | undefined;
  let outcome: Pick<StageResult, 'ok' | 'summary' | 'error' | 'failedPools'>;
  try {
    const { document, plan: whole, known, factsText } = await loadDocuments(job, ports);
    facts = new FactSheet(known);
    storedFacts = factsText;
    const { target: goal, others, plan } = ends(document, whole, mode, known);
    const events = openEventFeed(ports, { document, stage, mode }, mask);
    const workDirectory = options.needsFiles === false ? '' : await makeWorkDirectory();
    try {
      for (const reason of plan.reasons) log.write('runner', `why: ${reason}`);
      const work = options.tools[stage]({
        document,
        mode,
        attempt,
        plan,
        target: goal,
        others,
        facts,
        ports,
        mask,
        log,
        signal,
        workDirectory,
        templatesDirectory: options.templatesDirectory,
        run: (command) => runCommand(command, { signal, log, stopwatch, graceMs: options.graceMs ?? 45_000 }),
        skipPool: (pool, error) => lost.push({ pool, error: { ...error, message: mask.hide(error.message) } }),
        reportDrift: (found) => {
          report = { schema: 1, ...found };
        },
        emit: (event) => events.emit(event),
      });
      outcome = { ok: true, summary: await (options.crash === undefined ? work : orCrash(work, options.crash)) };
      if (lost.length > 0) {
        facts.lostPools(lost.map(({ pool }) => pool));
        outcome = { ...outcome, failedPools: lost };
      }
    } finally {
      reported = events.close();
      if (workDirectory !== '') await removeWorkDirectory(workDirectory);
      for (const complaint of await revokeVaultTokens(mask)) log.write('runner', complaint);
    }
  } catch (thrown) {
    const error = stageErrorOf(thrown);
    if (error.class === 'bug' && thrown instanceof Error) log.write('runner', thrown.stack ?? thrown.message);
    outcome = { ok: false, summary: {}, error: { ...error, message: mask.hide(error.message) } };
    log.write('runner', `failed: ${error.class} ${error.code}: ${error.message}`);
  }
  clear();
  const factsText = facts === undefined ? undefined : JSON.stringify(facts.current);
  const endedAt = ports.clock.now().toISOString();
  const result = StageResultShape.parse({
    schema: 1,
    stage,
    mode,
    attempt,
    startedAt,
    endedAt,
    toolMs: stopwatch.totalMs,
    ...outcome,
  });
  const { artifacts }: RunnerPorts = ports;
  // Readers of a result rely on the facts: those are written first. Events and the log only have to be complete at the end.
  const store = async () => {
    if (factsText !== undefined && factsText !== storedFacts) {
      await artifacts.putText(waypointKeys.facts(prefix), factsText, 'application/json');
    }
    if (report !== undefined) await artifacts.putText(waypointKeys.drift(prefix), mask.hide(JSON.stringify(report)));
    await artifacts.putText(waypointKeys.result(attemptPrefix), JSON.stringify(result), 'application/json');
  };
  await Promise.all([store(), log.close(), reported]);
  return result;
}

/** The signal to stop, which also comes when the time of the stage is up. */
function bounded({ signal, longestMinutes }: RunStageOptions): { readonly signal: AbortSignal; clear(): void } {
  if (longestMinutes === undefined) return { signal, clear: () => undefined };
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(stageTooLong(longestMinutes)), longestMinutes * 60_000);
  return { signal: AbortSignal.any([signal, late.signal]), clear: () => clearTimeout(timer) };
}

/**
 * The target of the stage and the other states that may exist. In mode do, held pools of the waypoint are in neither; in
 * mode undo they may still exist.
 */
function ends(
  document: WaypointDocument,
  plan: RunnerPlan,
  mode: StageJob['mode'],
  { lostPools = [] }: ClusterFacts,
): Pick<StageContext, 'target' | 'others' | 'plan'> {
  const { before, target, attempted } = document;
  const isState = (state: ClusterState | null): state is ClusterState => state !== null;
  if (mode === 'undo') return { target: before, others: [target, attempted].filter(isState), plan };
  if (plan.stage === 'drift') return { target: target, others: [], plan };
  // The stage that creates machines finds out again which pools it can create.
  if (plan.stage === 'infrastructure') return { target: target, others: [before, attempted].filter(isState), plan };
  return {
    target: target && withoutPools(target, lostPools),
    others: [before, attempted].filter(isState),
    plan: planWithout(plan, nodesOfPools([target], lostPools)),
  };
}

/** The work's outcome, or the crash, whichever comes first. */
function orCrash<Result>(work: Promise<Result>, crash: AbortSignal): Promise<Result> {
  const crashed = new Promise<never>((_, reject) => {
    crash.addEventListener('abort', () => reject(crash.reason), { once: true });
  });
  return Promise.race([work, crashed]);
}

async function loadDocuments(
  { waypoint: prefix, stage, mode }: StageJob,
  ports: RunnerPorts,
): Promise<{ document: WaypointDocument; plan: RunnerPlan; known: ClusterFacts; factsText: string | undefined }> {
  const [text, factsText] = await Promise.all([
    ports.artifacts.getText(waypointKeys.document(prefix)),
    ports.artifacts.getText(waypointKeys.facts(prefix)),
  ]);
  if (text === undefined) {
    throw new StageFailure({
      class: 'bug',
      code: 'WaypointMissing',
      message: `There is no waypoint document under ${prefix}.`,
      hint: 'This is a fault of Kubeloom, or the artifact was removed during the run.',
    });
  }
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
