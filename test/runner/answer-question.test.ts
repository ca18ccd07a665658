/** A runner that answers a question leaves a result in time, whatever happens. */
import { beforeEach, describe, expect, it } from 'vitest';
import { errorIn, foundIn, questionKeys, readQuestionResult } from '#contracts/job.ts';
import { answerQuestion } from '#runner/answer-question.ts';
import { answers } from '#runner/answers.ts';
import { runSimStage } from '#runner/sim/run-sim-stage.ts';
import { type FakeDeps, fakeDeps } from '#test/fakes/fake-deps.ts';

const prefix = 'checks/team/shop/cloud/1';
const never = new AbortController().signal;
let deps: FakeDeps;

/** A store that does not answer. */
const silence = (): Promise<never> => new Promise(() => undefined);
const silent = { get: silence, exists: silence, put: silence, remove: silence, list: silence };

async function request(more: object = {}): Promise<void> {
  const wanted = {
    kind: 'credentials',
    provider: 'cloud',
    type: 'hetzner',
    secret: 'team/cloud',
    regions: [],
    ...more,
  };
  await deps.artifacts.putText(questionKeys.request(prefix), JSON.stringify(wanted));
}
const result = async () => {
  const text = await deps.artifacts.getText(questionKeys.result(prefix));
  return text === undefined ? undefined : readQuestionResult(text);
};

beforeEach(async () => {
  deps = fakeDeps();
  await request();
});

const around = { signal: never, templatesDirectory: '/nowhere', answers };

describe('credential checks', () => {
  it('a credential check leaves a result with its findings, times and a log', async () => {
    expect(await answerQuestion(prefix, deps, around)).toBe(true);
    const found = await result();
    expect(found).toMatchObject({
      kind: 'credentials',
      found: [{ about: 'identity', name: 'SecretMissing', ok: false }],
    });
    expect(found?.startedAt && found.endedAt > found.startedAt).toBe(true);
  });

  it('a check that takes too long leaves an error that says so', async () => {
    expect(await answerQuestion(prefix, { ...deps, secrets: silent }, { ...around, limitMs: 1 })).toBe(false);
    expect(errorIn(await result())).toMatchObject({ class: 'transient', code: 'JobTooLong' });
  });

  it('a check that is stopped leaves an error that says so', async () => {
    const stop = new AbortController();
    const ended = answerQuestion(prefix, { ...deps, secrets: silent }, { ...around, signal: stop.signal });
    stop.abort();
    expect(await ended).toBe(false);
    expect(errorIn(await result())).toMatchObject({ code: 'JobStopped' });
  });

  it('a check that crashes leaves an error, and the place in the log', async () => {
    const crash = AbortSignal.abort(new Error('a socket broke'));
    expect(await answerQuestion(prefix, { ...deps, secrets: silent }, { ...around, crash })).toBe(false);
    expect(errorIn(await result())).toMatchObject({ class: 'bug', message: expect.stringContaining('a socket broke') });
    expect(await deps.artifacts.getText(questionKeys.log(prefix))).toContain('a socket broke');
  });

  it('a check of an unknown kind leaves an error', async () => {
    await request({ kind: 'weather' });
    expect(await answerQuestion(prefix, deps, around)).toBe(false);
    expect(errorIn(await result())).toMatchObject({ class: 'bug' });
  });

  it('a check without a request fails', async () => {
    const none = answerQuestion('checks/team/shop/cloud/2', deps, around);
    await expect(none).rejects.toThrow('there is no request under checks/team/shop/cloud/2');
  });

  it('a question that has an answer is not answered again by a second build of it', async () => {
    await answerQuestion(prefix, deps, around);
    const first = await result();
    const once = { ...around, answers: { ...answers, credentials: () => Promise.reject(new Error('asked again')) } };
    expect([await answerQuestion(prefix, deps, once), await result()]).toEqual([true, first]);
  });

  it('a check asks no cloud when everything is simulated', async () => {
    const ran = await runSimStage({ KUBELOOM_JOB: prefix }, { signal: never, ports: deps });
    expect([ran, foundIn('credentials', await result())]).toEqual([
      true,
      [{ about: 'identity', name: 'hetzner', ok: null, message: 'simulated: nothing was asked' }],
    ]);
  });
});
