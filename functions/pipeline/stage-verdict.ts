/** What came of one container run: the runner's own result, or what can be said of a run that left none. */
import type { Config } from '#contracts/config.ts';
import type { ClusterFailure } from '#contracts/records.ts';
import type { StageError, StageResult } from '#contracts/stage.ts';
import type { CollectResultInput, CollectResultOutput } from '#contracts/state-inputs.ts';
import { assessStageFailure } from '#domain/failure-policy.ts';

export interface StageQuestion {
  readonly input: CollectResultInput;
  readonly result: StageResult | undefined;
  readonly config: Config;
}

/** Decides: done, once more, or failed; `error` is what to record of a run that was not ok. */
export function judgeStage({ input, result, config }: StageQuestion): {
  readonly output: CollectResultOutput;
  readonly error?: StageError;
} {
  const { attempt } = input.try;
  if (result?.ok) return { output: { outcome: 'succeeded', attempt, pauseSeconds: 0, Error: '', Cause: '' } };
  const error = result?.error ?? lostRunner(input);
  const { class: errorClass, retryable } = error;
  const { outcome, pauseSeconds } = assessStageFailure({ class: errorClass, retryable, attempt, config });
  const cause = `${error.code}: ${error.message}`.slice(0, 500);
  return { error, output: { outcome, attempt: attempt + 1, pauseSeconds, Error: 'StageFailed', Cause: cause } };
}

/** A failure as it is kept in the cluster record. */
export function failureOf(
  input: CollectResultInput,
  error: StageError,
  about: { readonly attemptPrefix: string; readonly at: string; readonly before: ClusterFailure | null },
): ClusterFailure {
  const { slot, run } = input;
  const first = about.before;
  const outcome =
    slot.mode === 'do' || first === null
      ? 'what follows is being decided'
      : `the way back stopped at ${slot.stage}; what was to be undone had failed with ${first.code}: ${first.message}`;
  const { attemptPrefix, at } = about;
  return { ...error, stage: slot.stage, runId: run.runId, at, outcome: outcome.slice(0, 2000), attemptPrefix };
}

/** The container ended without a result: it was stopped, crashed or never began. Once that may be chance. */
function lostRunner({ build, slot, run, try: { attempt } }: CollectResultInput): StageError {
  const words = 'Status' in build ? `the build ended ${build.Status}` : buildWords(build.Error, build.Cause);
  const undo = slot.mode === 'undo' ? '-undo' : '';
  const full = 'Error' in build && build.Error === 'CodeBuild.AccountLimitExceededException';
  if (full) {
    const hint = 'Raise the quota of concurrent builds of CodeBuild in this account, then retry.';
    const message = `no container could be started for ${slot.stage}: ${words}`;
    return { class: 'quota', code: 'NoBuildCapacity', message, hint, retryable: false };
  }
  return {
    class: attempt === 1 ? 'transient' : 'bug',
    code: 'RunnerLost',
    message: `the container of ${slot.stage} left no result: ${words}`,
    hint: `See how far it came: kubeloom logs ${run.runId} --stage ${slot.stage}${undo}`,
    retryable: attempt === 1,
  };
}

/** `Cause` is the build as JSON when it ran at all. */
function buildWords(error: string, cause: string): string {
  if (error === 'States.Timeout') return 'it took longer than the state allows';
  const status = /"BuildStatus"\s*:\s*"([A-Z_]+)"/.exec(cause)?.[1];
  return status === undefined ? `${error} ${cause.slice(0, 300)}`.trim() : `the build ended ${status}`;
}
