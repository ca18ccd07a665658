/** A question from its request to its result: in time, masked, with a log; no value of a Secret is in any of it. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  errorIn,
  type FoundFor,
  isGivenOut,
  type Question,
  type QuestionResult,
  questionKeys,
  questionLimitMs,
  readQuestion,
  readQuestionResult,
} from '#contracts/job.ts';
import type { RunnerPorts } from '#functions/rights/runner-rights.ts';
import { type JobContext, type JobOptions, runInFrame, runnerOf } from './job-frame.ts';
import type { RunnerConfig } from './runner-config.ts';
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

type AnswerPorts = RunnerPorts<'secrets.get' | 'artifacts.createText'>;

/**
 * Returns whether there is an answer. Throws without a request, and when the result could not be written. Access is given out once: a
 * second build of a request neither gives an old one again nor answers next to the first, whose answer it waits for.
 */
export async function answerQuestion(prefix: string, ports: AnswerPorts, options: AnswerOptions): Promise<boolean> {
  const earlier = await resultOf(prefix, ports);
  if (earlier) return errorIn(earlier) === undefined;
  const text = await ports.artifacts.getText(questionKeys.request(prefix));
  if (text === undefined)
    throw new Error(`the request under ${prefix} is missing: was it removed while the build waited?`);
  if (isGivenOut(prefix) && !(await claim(prefix, ports, runnerOf(options))))
    return answeredElsewhere(prefix, ports, options);
  return runInFrame({
    ports,
    logKey: questionKeys.log(prefix),
    options,
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

async function resultOf(prefix: string, { artifacts }: AnswerPorts): Promise<QuestionResult | undefined> {
  const text = await artifacts.getText(questionKeys.result(prefix));
  return text === undefined ? undefined : readQuestionResult(text);
}

/** Whether this build is the one that answers; also when the store did not say that it had taken the claim. */
async function claim(
  prefix: string,
  { artifacts, clock }: AnswerPorts,
  { build }: Pick<RunnerConfig, 'build'>,
): Promise<boolean> {
  const key = questionKeys.claim(prefix);
  const text = JSON.stringify({ schema: 1, build, at: clock.now().toISOString(), claim: randomUUID() });
  return (await artifacts.createText(key, text, 'application/json')) || (await artifacts.getText(key)) === text;
}

/** By the build that was first; without its answer this one ends, as the other may have given out what no one has received. */
async function answeredElsewhere(
  prefix: string,
  ports: AnswerPorts,
  { signal, echo, stopPollMs = 5_000, limitMs = Math.max(...Object.values(questionLimitMs)) }: AnswerOptions,
): Promise<boolean> {
  echo?.('another build answers this request: its answer is waited for');
  for (let waited = 0; waited < limitMs && !signal.aborted; waited += stopPollMs) {
    const result = await resultOf(prefix, ports);
    if (result) return errorIn(result) === undefined;
    await pause(stopPollMs);
  }
  return false;
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
    case 'catalogue':
      return { kind, found: await answers.catalogue(question, context) };
    case 'certificate':
      return { kind, found: await answers.certificate(question, context) };
    case 'ssh':
      return { kind, found: await answers.ssh(question, context) };
    case 'state':
      return { kind, found: await answers.state(question, context) };
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
    class: 'transient',
    code: 'JobStopped',
    message: 'The runner was stopped before it had an answer.',
    hint: 'Ask again.',
  });

const tooLong = (limitMs: number): StageFailure =>
  new StageFailure({
    class: 'transient',
    code: 'JobTooLong',
    message: `There was no answer within ${limitMs / 60_000} minutes.`,
    hint: 'Ask again.',
  });
