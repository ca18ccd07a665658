/** A question from its request to its result: in time, masked, with a log; no value of a Secret is in any of it. */
import { type Question, type QuestionResult, questionKeys, questionLimitMs, readQuestion } from '#contracts/job.ts';
import type { RunnerPorts } from '#functions/rights/runner-rights.ts';
import { revokeVaultTokens } from './credentials.ts';
import { SecretMask } from './secret-mask.ts';
import { StageFailure, stageErrorOf } from './stage-failure.ts';
import { StageLog } from './stage-log.ts';

export interface AnswerContext {
  readonly ports: RunnerPorts<'secrets.get'>;
  readonly mask: SecretMask;
  /** `templates/` */
  readonly templatesDirectory: string;
}

/** What is found out for each kind of question. Throws `StageFailure` when nothing is. */
export type Answers = {
  readonly [Kind in Question['kind']]: (
    question: Extract<Question, { kind: Kind }>,
    context: AnswerContext,
  ) => Promise<Pick<QuestionResult, 'findings' | 'answer'>>;
};

export interface AnswerOptions {
  readonly signal: AbortSignal;
  readonly templatesDirectory: string;
  readonly answers: Answers;
  /** Aborted with the error when something failed outside of the answer's own promise. @default never */
  readonly crash?: AbortSignal;
  /** @default `questionLimitMs` of its kind */
  readonly limitMs?: number;
  /** Where masked log lines go as well. @default nowhere */
  readonly echo?: (line: string) => void;
}

/** Returns whether there is an answer. Throws without a request, and when the result could not be written. */
export async function answerQuestion(
  prefix: string,
  ports: RunnerPorts<'secrets.get'>,
  { signal, crash, limitMs, answers, templatesDirectory, echo }: AnswerOptions,
): Promise<boolean> {
  const { artifacts, clock } = ports;
  const startedAt = clock.now().toISOString();
  const mask = new SecretMask();
  const log = new StageLog({ artifacts, key: questionKeys.log(prefix), mask, clock, ...(echo && { echo }) });
  const text = await artifacts.getText(questionKeys.request(prefix));
  if (text === undefined)
    throw new Error(`there is no request under ${prefix}: was it removed while the build waited?`);
  const found = await answerTo(text)
    .catch((thrown: unknown) => {
      const error = stageErrorOf(thrown);
      if (error.class === 'bug' && thrown instanceof Error) log.write('runner', thrown.stack ?? thrown.message);
      log.write('runner', `failed: ${error.class} ${error.code}: ${error.message}`);
      return { error };
    })
    .finally(async () => {
      for (const complaint of await revokeVaultTokens(mask)) log.write('runner', complaint);
    });
  const result: QuestionResult = { schema: 1, startedAt, endedAt: clock.now().toISOString(), ...found };
  await artifacts.putText(questionKeys.result(prefix), mask.hide(JSON.stringify(result)), 'application/json');
  await log.close();
  return !('error' in found);

  async function answerTo(request: string): Promise<Pick<QuestionResult, 'findings' | 'answer'>> {
    const question = readQuestion(request);
    const longest = limitMs ?? questionLimitMs[question.kind];
    const context = { ports, mask, templatesDirectory };
    const answer =
      question.kind === 'credentials' ? answers.credentials(question, context) : answers.templates(question, context);
    const timer = AbortSignal.timeout(longest);
    const ends = [
      ...[aborted(signal, stopped), aborted(timer, () => tooLong(longest))],
      ...(crash ? [aborted(crash, () => crash.reason)] : []),
    ];
    return Promise.race([answer, ...ends]);
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
