/** A question from its request to its result: in time, masked, with a log; no value of a Secret is in any of it. */
import {
  errorIn,
  type FoundFor,
  type Question,
  type QuestionResult,
  questionKeys,
  questionLimitMs,
  readQuestion,
  readQuestionResult,
} from '#contracts/job.ts';
import type { RunnerPorts } from '#functions/rights/runner-rights.ts';
import { type JobContext, type JobOptions, runInFrame } from './job-frame.ts';
import { StageFailure } from './stage-failure.ts';

export type AnswerContext = Omit<JobContext<'secrets.get'>, 'log' | 'signal'>;

type Answer = {
  readonly [Kind in Question['kind']]: { readonly kind: Kind; readonly found: FoundFor<Kind> };
}[Question['kind']];

/** What is found out for each kind of question. Throws `StageFailure` when nothing is. */
export type Answers = {
  readonly [Kind in Question['kind']]: (
    question: Extract<Question, { kind: Kind }>,
    context: AnswerContext,
  ) => Promise<FoundFor<Kind>>;
};

export interface AnswerOptions extends JobOptions {
  readonly answers: Answers;
  /** @default `questionLimitMs` of its kind */
  readonly limitMs?: number;
}

/**
 * Returns whether there is an answer. Throws without a request, and when the result could not be written. Each question is answered
 * once: a second build of it does not give a person an old access again.
 */
export async function answerQuestion(
  prefix: string,
  ports: RunnerPorts<'secrets.get'>,
  options: AnswerOptions,
): Promise<boolean> {
  const earlier = await ports.artifacts.getText(questionKeys.result(prefix));
  if (earlier !== undefined) return errorIn(readQuestionResult(earlier)) === undefined;
  const text = await ports.artifacts.getText(questionKeys.request(prefix));
  if (text === undefined)
    throw new Error(`there is no request under ${prefix}: was it removed while the build waited?`);
  return runInFrame({
    ...{ ports, logKey: questionKeys.log(prefix), options },
    work: async (job) => answerTo(text, { ports, ...job }, options),
    async store({ outcome, startedAt, endedAt }, hide) {
      const end = { schema: 2, startedAt, endedAt } as const;
      const result: QuestionResult = outcome.ok
        ? { ...end, ...outcome.found }
        : { ...end, kind: 'failed', error: outcome.error };
      const plain = JSON.stringify(result);
      // A mask would change the files of a repository, which hold no Secrets.
      const text = result.kind === 'source' ? plain : hide(plain);
      await ports.artifacts.putText(questionKeys.result(prefix), text, 'application/json');
      return outcome.ok;
    },
  });
}

/** In time, whether or not what is asked reacts to a signal. */
function answerTo(
  request: string,
  context: AnswerContext,
  { answers, limitMs, signal }: AnswerOptions,
): Promise<Answer> {
  const question = readQuestion(request);
  const longest = limitMs ?? questionLimitMs[question.kind];
  const answer = answerOf(question, context, answers);
  const late = aborted(AbortSignal.timeout(longest), () => tooLong(longest));
  return Promise.race([answer, aborted(signal, stopped), late]);
}

async function answerOf(question: Question, context: AnswerContext, answers: Answers): Promise<Answer> {
  const { kind } = question;
  switch (kind) {
    case 'credentials':
      return { kind, found: await answers.credentials(question, context) };
    case 'templates':
      return { kind, found: await answers.templates(question, context) };
    case 'plugin':
      return { kind, found: await answers.plugin(question, context) };
    case 'source':
      return { kind, found: await answers.source(question, context) };
    case 'certificate':
      return { kind, found: await answers.certificate(question, context) };
    case 'ssh':
      return { kind, found: await answers.ssh(question, context) };
    default:
      return kind satisfies never;
  }
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
