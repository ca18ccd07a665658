/** The result of a lie: a value, or a failure of the one who lied, in words that nothing obeys. */
import { expect } from 'vitest';
import type { StageError } from '#contracts/stage.ts';
import { StageFailure } from '#runner/stage-failure.ts';
import { obeyedRaw } from './lies.ts';

/** What the work returns; undefined for a failure, which is judged. */
export async function outcomeOf(work: () => Promise<unknown>, title: string): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StageFailure)) throw new Error(title, { cause: error });
    expectOfOthers(error.error, title);
    return undefined;
  }
}

/** The failure is not one of Kubeloom, and can be shown to a person. */
export function expectOfOthers({ code, message, hint }: StageError, title: string): void {
  expect(`${message} ${hint}`, title).not.toMatch(obeyedRaw);
  expect(message.length, title).toBeLessThan(2001);
  expect(code, `${title}: ${message}`).not.toBe('RunnerFault');
}
