/** Waits while a runner asks a private template repository: the API answers "send the same request again" until it knows. */
import { setTimeout as pause } from 'node:timers/promises';
import { ApiProblem } from './api-problem.ts';
import { note } from './output.ts';

export interface PendingOptions {
  /** @default 2,000 */
  readonly everyMs?: number;
  /** After this time the API's problem is thrown. @default 10 min */
  readonly limitMs?: number;
}

/** Asks again as long as the API says `TemplatesPending`, and says so once. */
export async function onceTemplatesKnown<Answer>(
  ask: () => Promise<Answer>,
  { everyMs = 2_000, limitMs = 600_000 }: PendingOptions = {},
): Promise<Answer> {
  const end = performance.now() + limitMs;
  for (let said = false; ; said = true) {
    try {
      return await ask();
    } catch (error) {
      const pending = error instanceof ApiProblem && error.problem.code === 'TemplatesPending';
      if (!pending || performance.now() >= end) throw error;
      if (!said) note(`${error.message}; waiting for it`);
    }
    await pause(everyMs);
  }
}
