/** The one error a tool driver throws: it carries the `StageError` that goes into the result as it is. */
import type { StageError } from '#contracts/stage.ts';
import { failurePolicy } from '#domain/failure-policy.ts';
import { printableText } from '#domain/observed/printable-text.ts';
import { runnerMeaning } from './causes/runner-causes.ts';

/** Longest cause that a result carries; the log has the rest. */
const longestMessage = 2000;

/** An error as a driver words it. */
export type ErrorDraft = Omit<StageError, 'retryable'> & { readonly retryable?: boolean };

/** One of several causes, and the address of the resource it is about, where the tool gave one. */
export interface FailurePart {
  readonly address?: string;
  readonly error: StageError;
}

export class StageFailure extends Error {
  readonly error: StageError;
  /** Each cause on its own, where the tool reported several. */
  readonly parts: readonly FailurePart[];

  /** A table has its meaning. */
  readonly isKnown: boolean;

  constructor(error: ErrorDraft, options: { cause?: unknown; parts?: readonly FailurePart[]; isKnown?: boolean } = {}) {
    super(error.message, { cause: options.cause });
    this.name = 'StageFailure';
    this.error = finished(error);
    this.parts = options.parts ?? [];
    this.isKnown = options.isKnown ?? true;
  }
}

/** The draft with what follows from it. What it quotes of machines and tools is printed as text, here for all drivers. */
export function finished(error: ErrorDraft): StageError {
  return {
    ...error,
    message: shorten(error.message),
    hint: printableText(error.hint, longestMessage),
    retryable: error.retryable ?? failurePolicy[error.class].inPlace,
  };
}

/** Without secrets: a hint and the name of a resource may quote a tool as well as the message does. */
export function maskedError(error: StageError, mask: { hide(text: string): string }): StageError {
  const { message, hint, resource } = error;
  const about = resource === undefined ? {} : { resource: mask.hide(resource) };
  return { ...error, message: mask.hide(message), hint: mask.hide(hint), ...about };
}

/** The stage was cancelled; work that it had started is finished or undone by the next plan. `signal` may carry another failure. */
export function stageCancelled(signal?: AbortSignal): StageFailure {
  if (signal?.reason instanceof StageFailure) return signal.reason;
  return new StageFailure({
    class: 'transient',
    code: 'StageCancelled',
    message: 'The stage was stopped before it was done.',
    hint: 'Nothing to do: the next run plans from what really exists.',
    retryable: false,
  });
}

/** The build would be killed soon: the stage ends in time to store its state. The next attempt continues from there. */
export function stageTooLong(minutes: number): StageFailure {
  return new StageFailure({
    class: 'transient',
    code: 'StageTooLong',
    message: `The stage was stopped after ${minutes} minutes, shortly before its build would have been killed.`,
    hint: 'If it never finishes in time, raise the option runnerMinutes.',
  });
}

/** The same of a check for drift: the next attempt would need as long, and the next check comes at its time. */
export function checkTooLong(minutes: number): StageFailure {
  return new StageFailure({
    class: 'transient',
    code: 'StageTooLong',
    message: `The check was stopped after ${minutes} minutes, shortly before its build would have been killed.`,
    hint: 'The next check starts at its regular time. If checks never finish in time, run them in containers, which give them more time than Lambda compute: the option lambdaRunners without drift.',
    retryable: false,
  });
}

/** The time of the job is up, and no one asked to stop it: what it has found until then counts. */
export function isTimeUp(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof StageFailure && signal.reason.error.code === 'StageTooLong';
}

/** The pipeline waits no longer for the stage. The next attempt continues from where it stopped. */
export function stageOverdue(): StageFailure {
  return new StageFailure({
    class: 'transient',
    code: 'StageTooLong',
    message:
      'The stage was stopped: together with the time in the queue of its build, it took longer than the pipeline waits.',
    hint: 'A higher quota of concurrent CodeBuild builds shortens the queue.',
  });
}

/** Turns a thrown value into a `StageError`; one that is neither a `StageFailure` nor of the machine or a service is a fault of Kubeloom. */
export function stageErrorOf(thrown: unknown): StageError {
  if (thrown instanceof StageFailure) return thrown.error;
  const message = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  const fault = {
    class: 'bug',
    code: 'RunnerFault',
    hint: 'This is a fault of Kubeloom. Report it with the run id and the log of this stage.',
  } as const;
  return finished({ ...(runnerMeaning(thrown) ?? fault), message });
}

function shorten(words: string): string {
  const text = printableText(words, longestMessage);
  return text.length <= longestMessage ? text : `${text.slice(0, longestMessage - 1)}…`;
}
