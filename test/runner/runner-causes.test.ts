/** What our own program throws: which of it is a fault of Kubeloom. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PipelineError } from '#domain/errors.ts';
import { StageFailure, stageErrorOf } from '#runner/stage-failure.ts';

const coded = (code: string, cause?: unknown) => Object.assign(new Error(`${code}: it failed`, { cause }), { code });
const ofService = (httpStatusCode: number) => Object.assign(new Error('no'), { $metadata: { httpStatusCode } });

describe('an error of the runner', () => {
  it.each([
    ['a full disk', coded('ENOSPC'), 'platform', 'RunnerExhausted'],
    ['too many open files', coded('EMFILE'), 'platform', 'RunnerExhausted'],
    ['a failed fetch', new TypeError('fetch failed', { cause: coded('ECONNRESET') }), 'platform', 'ServiceUnreachable'],
    ['a store that fails', ofService(503), 'platform', 'ServiceUnreachable'],
    ['a store that throttles', ofService(429), 'platform', 'ServiceUnreachable'],
    ['a service that is away', new PipelineError('ServiceUnavailable', 'x'), 'platform', 'ServiceUnreachable'],
    ['a store that denies access', ofService(403), 'bug', 'RunnerFault'],
    ['a mistake of ours', new TypeError('undefined is not a function'), 'bug', 'RunnerFault'],
    ['a value of ours of another form', z.string().safeParse(1).error, 'bug', 'RunnerFault'],
    ['something that is no error', 'x', 'bug', 'RunnerFault'],
  ])('%s has its class', (_, thrown, kind, code) => {
    expect(stageErrorOf(thrown)).toMatchObject({ class: kind, code, retryable: false });
  });

  it('causes that go in a circle end', () => {
    const error = new Error('a');
    error.cause = error;
    expect(stageErrorOf(error).code).toBe('RunnerFault');
  });

  it('a failure of a tool stays what its driver says', () => {
    const failure = new StageFailure({ class: 'quota', code: 'Full', message: 'no room', hint: 'ask' });
    expect(stageErrorOf(failure)).toBe(failure.error);
  });
});
