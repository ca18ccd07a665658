/** A question from its request to its result: in time, masked, with a log; no value of a Secret is in any of it. */
import { type Question, type QuestionResult, questionKeys, questionLimitMs, readQuestion } from '#contracts/job.ts';
import type { RunnerPorts } from '#functions/rights/runner-rights.ts';
import { type JobContext, type JobOptions, runInFrame } from './job-frame.ts';
import { StageFailure } from './stage-failure.ts';

export type AnswerContext = Pick<JobContext<'secrets.get'>, 'ports' | 'mask' | 'templatesDirectory'>;

/** What is found out for each kind of question. Throws `StageFailure` when nothing is. */
export type Answers = {
  readonly [Kind in Question['kind']]: (
    question: Extract<Question, { kind: Kind }>,
    context: AnswerContext,
  ) => Promise<Pick<QuestionResult, 'findings' | 'answer'>>;
};

export interface AnswerOptions extends JobOptions {
  readonly answers: Answers;
  /** @default `questionLimitMs` of its kind */
  readonly limitMs?: number;
}

/** Returns whether there is an answer. Throws without a request, and when the result could not be written. */
export async function answerQuestion(
  prefix: string,
  ports: RunnerPorts<'secrets.get'>,
  options: AnswerOptions,
): Promise<boolean> {
  const text = await ports.artifacts.getText(questionKeys.request(prefix));
  if (text === undefined)
    throw new Error(`there is no request under ${prefix}: was it removed while the build waited?`);
  return runInFrame({
    ...{ ports, logKey: questionKeys.log(prefix), options: { ...options, needsFiles: false } },
    work: async ({ mask, templatesDirectory }) => answerTo(text, { ports, mask, templatesDirectory }, options),
    async store({ outcome, startedAt, endedAt }, hide) {
      const found = outcome.ok ? outcome.found : { error: outcome.error };
      const result: QuestionResult = { schema: 1, startedAt, endedAt, ...found };
      await ports.artifacts.putText(questionKeys.result(prefix), hide(JSON.stringify(result)), 'application/json');
      return outcome.ok;
    },
  });
}

/** In time, whether or not what is asked reacts to a signal. */
function answerTo(
  request: string,
  context: AnswerContext,
  { answers, limitMs, signal }: AnswerOptions,
): Promise<Pick<QuestionResult, 'findings' | 'answer'>> {
  const question = readQuestion(request);
  const longest = limitMs ?? questionLimitMs[question.kind];
  const answer =
    question.kind === 'credentials' ? answers.credentials(question, context) : answers.templates(question, context);
  const late = aborted(AbortSignal.timeout(longest), () => tooLong(longest));
  return Promise.race([answer, aborted(signal, stopped), late]);
}

function aborted(signal: AbortSignal, reason: () => unknown): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(reason());
    signal.addEventListener('abort', () => reject(reason()), { once: true });
  });
}

const stopped = (): StageFailure =>
  new StageFailure({
    ...{ class: 'transient', code: 'JobStopped', message: 'The runner was stopped before it had an answer.' },
    hint: 'Ask again.',
  });

const tooLong = (limitMs: number): StageFailure =>
  new StageFailure({
    ...{ class: 'transient', code: 'JobTooLong', message: `There was no answer within ${limitMs / 60_000} minutes.` },
    hint: 'Ask again.',
  });
