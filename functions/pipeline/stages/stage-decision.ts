/** The outcome of one container run: the runner's own result, or what is known of a run without result. */
import { exitWithoutCredentials } from '#contracts/build-credentials.ts';
import type { Config } from '#contracts/config.ts';
import type { ClusterFailure } from '#contracts/records.ts';
import type { StageError, StageResult } from '#contracts/stage.ts';
import type { CollectResultInput, CollectResultOutput } from '#contracts/state-inputs.ts';
import type { ClusterState } from '#domain/cluster-state.ts';
import { assessStageFailure } from '#domain/failure-policy.ts';
import type { StageName } from '#domain/plan.ts';
import { stateFaults } from '#domain/planning/states/state-faults.ts';
import { withoutPools } from '#domain/planning/states/without-pools.ts';
import { cancelled } from '../records/cancellation.ts';
import { buildIn } from './build-phases.ts';

export interface CollectedStage {
  readonly input: CollectResultInput;
  readonly result: StageResult | undefined;
  /** Why the try before this one failed. */
  readonly earlier?: StageError | undefined;
  /** Target of the waypoint in progress. */
  readonly target: ClusterState | null;
  /** The run has to stop. A rollback is still completed. */
  readonly cancelled: boolean;
  /** ISO 8601: now. */
  readonly at: string;
  readonly config: Config;
}

export interface StageDecision {
  readonly output: CollectResultOutput;
  /** The tool did its work, even if the run stops now. */
  readonly succeeded: boolean;
  /** What to record of a run that goes no further. */
  readonly error?: StageError;
}

/** Decides: done, once more, or failed. */
export function decideStage(question: CollectedStage): StageDecision {
  const { input, result, config } = question;
  const { attempt } = input.try;
  const stop = question.cancelled && input.slot.mode === 'do';
  if (result?.ok) {
    const against = faultWithoutPools(question, result) ?? (stop ? cancelledAfter(input) : undefined);
    if (against) return { succeeded: true, ...failed(against, attempt) };
    const output = { outcome: 'succeeded', attempt, pauseSeconds: 0, Error: '', Cause: '' } as const;
    return { output, succeeded: true };
  }
  const error = result?.error ?? lostRunner(input, config);
  if (stop) return { succeeded: false, ...failed(cancelledDuring(input, error, question.earlier), attempt) };
  const wait = error.code === noCapacity && input.mayWait ? waitForCapacity(question, error) : undefined;
  if (wait) return wait;
  const { class: errorClass, retryable } = error;
  const { outcome, pauseSeconds } = assessStageFailure({ class: errorClass, retryable, attempt, config });
  if (outcome === 'failed') return { succeeded: false, ...failed(error, attempt) };
  const { waitsSince } = input.try;
  const retry = { outcome, pauseSeconds, ...(waitsSince !== undefined && { waitsSince }) };
  return { succeeded: false, error, output: { ...failed(error, attempt).output, ...retry } };
}

function failed(error: StageError, attempt: number): Pick<StageDecision, 'output' | 'error'> {
  const Cause = `${error.code}: ${error.message}`.slice(0, 500);
  return { error, output: { outcome: 'failed', attempt: attempt + 1, pauseSeconds: 0, Error: 'StageFailed', Cause } };
}

const noCapacity = 'NoBuildCapacity';
/**
 * The account may be busy for as long as its other builds take; then a person has to raise a quota. It is counted from the first
 * wait of a stage over all of its tries, so that these, 5 hours each at most, and the wait end before the 24 hours of `run-stage`.
 */
export const longestWaitHours = 6;
const capacityPauseSeconds = 60;

/** Undefined when it has waited for long enough. No try of the stage is used up: no container was started. */
function waitForCapacity({ input, at }: CollectedStage, error: StageError): StageDecision | undefined {
  const { attempt, waitsSince = at } = input.try;
  const waitsForCapacitySeconds = Math.round((Date.parse(at) - Date.parse(waitsSince)) / 1000);
  if (waitsForCapacitySeconds >= longestWaitHours * 3600) return undefined;
  const { output } = failed(error, attempt);
  const measures = { waitsForCapacitySeconds };
  const pause = { outcome: 'wait', attempt, pauseSeconds: capacityPauseSeconds, waitsSince, measures } as const;
  return { succeeded: false, error, output: { ...output, ...pause } };
}

/** Failed pools do not fail the stage, unless the rest would not work. */
function faultWithoutPools({ target }: CollectedStage, { failedPools = [] }: StageResult): StageError | undefined {
  const [first] = failedPools;
  if (!first || target === null) return undefined;
  const [fault] = stateFaults(
    withoutPools(
      target,
      failedPools.map(({ pool }) => pool),
    ),
  );
  return fault && { ...first.error, message: `${first.error.message} Without it, ${fault.reason}.`, retryable: false };
}

/** The last stage of a waypoint is as good as its end: the waypoint is reached, and Plan Cluster stops. */
function cancelledAfter({ slot }: CollectResultInput): StageError | undefined {
  return slot.next && cancelled(`after ${slot.stage} was done`);
}

/** A user who cancels because of a failure wants to find it in the description. */
function cancelledDuring({ slot, build }: CollectResultInput, error: StageError, earlier?: StageError): StageError {
  const stopped = error.code === 'StageCancelled' || ('Cause' in build && build.Cause.includes('"STOPPED"'));
  return cancelled(`while ${slot.stage} was running`, stopped ? earlier : error);
}

/** A failure as it is kept in the cluster record. */
export function failureOf(
  {
    input,
    stage,
    error,
  }: { readonly input: CollectResultInput; readonly stage: StageName; readonly error: StageError },
  about: { readonly attemptPrefix: string; readonly at: string; readonly before: ClusterFailure | null },
): ClusterFailure {
  const { slot, run } = input;
  const first = about.before;
  const { attemptPrefix, at } = about;
  const failure = { ...error, stage, runId: run.runId, at, attemptPrefix };
  if (slot.mode === 'do' || first === null) return failure;
  return { ...failure, outcome: { kind: 'undoStopped', stage, undone: { code: first.code, message: first.message } } };
}

/** The container ended without a result: it was stopped, crashed or never started. Once that may be chance. */
function lostRunner({ build, slot, run, try: { attempt } }: CollectResultInput, config: Config): StageError {
  const words = 'Status' in build ? `the build ended ${build.Status}` : buildWords(build.Error, build.Cause);
  const undo = slot.mode === 'undo' ? '-undo' : '';
  const neverStarted = 'Error' in build ? whyNeverStarted(build.Error, build.Cause, words) : undefined;
  if (neverStarted !== undefined) {
    const hint = 'Raise the quota of concurrent builds of CodeBuild in this account, then retry.';
    const message = `no container could be started for ${slot.stage}: ${neverStarted}`;
    return { class: 'quota', code: noCapacity, message, hint, retryable: false };
  }
  if ('Error' in build && isSilence(build.Error)) {
    const message = `CodeBuild did not start a container for ${slot.stage}: ${words}`;
    const hint =
      'Check whether CodeBuild works in this region, and the permissions of the role of the state machine run-stage.';
    // A waypoint can pause and continue later; the way back cannot.
    const errorClass = slot.mode === 'do' ? 'platform' : 'transient';
    return { class: errorClass, code: 'BuildNotStarted', message, hint, retryable: true };
  }
  if (slot.image !== undefined && words.includes(pullFailed)) {
    const message = `the container of ${slot.stage} was not started: ${words}`;
    const hint = `A new run uses the images of the release that is deployed: kubeloom retry ${run.name}. If it fails as well, deploy that release again.`;
    return { class: 'platform', code: 'ImageGone', message, hint, retryable: false };
  }
  // A waypoint can pause and continue later, with the images of today; the way back cannot.
  const waits = slot.mode === 'do' ? 'platform' : 'transient';
  if ('Cause' in build && gotNone.test(build.Cause)) {
    const message = `the container of ${slot.stage} got no credentials for its job: ${words}`;
    const hint = `Its log in CodeBuild has the reason. In AWS: kubeloom doctor --aws shows whether all stacks are of one release.`;
    return { class: waits, code: 'BuildWithoutCredentials', message, hint, retryable: true };
  }
  if (isOfOtherRelease(slot, config)) {
    const message = `the container of ${slot.stage}, with the image of another release, left no result: ${words}`;
    const hint = 'Runners of older releases cannot ask for credentials; the run continues with those of today.';
    return { class: waits, code: 'RunnerOutdated', message, hint, retryable: true };
  }
  return {
    class: attempt === 1 ? 'transient' : 'bug',
    code: 'RunnerLost',
    message: `the container of ${slot.stage} left no result: ${words}`,
    hint: `See where it stopped: kubeloom logs ${run.runId} --stage ${slot.stage}${undo}`,
    retryable: attempt === 1,
  };
}

/** As CodeBuild, and the local platform, say how a command ended. */
const gotNone = new RegExp(`exit (status|code) ${exitWithoutCredentials}\\b`);

/** Its run began before an upgrade, and has the images that it began with. */
function isOfOtherRelease(
  { image }: CollectResultInput['slot'],
  { KUBELOOM_RUNNER_RELEASE: release }: Config,
): boolean {
  return image !== undefined && release !== undefined && !Object.values(release.images).includes(image);
}

/** As CodeBuild says it of the phase PROVISIONING. */
const pullFailed = 'BUILD_CONTAINER_UNABLE_TO_PULL_IMAGE';

/** Undefined when a runner may have been at work. */
function whyNeverStarted(error: string, cause: string, words: string): string | undefined {
  if (`${error} ${cause}`.includes('AccountLimitExceededException')) return words;
  const queued = buildIn(cause)?.Phases?.find(({ PhaseType }) => PhaseType === 'QUEUED');
  return queued?.PhaseStatus === 'TIMED_OUT' ? 'its build waited in the queue until its time-out' : undefined;
}

/** All errors of CodeBuild that have no name of their own: throttling, 5xx, rights. */
function isSilence(error: string): boolean {
  return error === 'CodeBuild.CodeBuildException' || error === 'CodeBuild.AWSCodeBuildException';
}

function buildWords(error: string, cause: string): string {
  if (error === 'States.Timeout') return 'it took longer than the state allows';
  const build = buildIn(cause);
  if (build === undefined) {
    const status = /"BuildStatus"\s*:\s*"([A-Z_]+)"/.exec(cause)?.[1];
    return status === undefined ? `${error} ${cause.slice(0, 300)}`.trim() : `the build ended ${status}`;
  }
  const why = (build.Phases ?? []).flatMap(({ PhaseType, PhaseStatus, Contexts }) => {
    const words = (Contexts ?? []).flatMap(({ Message }) => (Message ? [Message] : [])).join(' ');
    const broke = PhaseStatus && PhaseStatus !== 'SUCCEEDED' && PhaseType !== 'BUILD' && words !== '';
    return broke ? [` in phase ${PhaseType}: ${words.slice(0, 500)}`] : [];
  });
  return `the build ended ${build.BuildStatus}${why[0] ?? ''}`;
}
