/** A runner that answers a question leaves a result in time, whatever happens. */
import { beforeEach, describe, expect, it } from 'vitest';
import { errorIn, foundIn, questionKeys, readQuestionResult } from '#contracts/job.ts';
import { noFacts } from '#domain/cluster-state.ts';
import { answerQuestion } from '#runner/answer-question.ts';
import { answers } from '#runner/answers.ts';
import { runSimStage } from '#runner/sim/run-sim-stage.ts';
import { type FakeDeps, fakeDeps } from '#test/fakes/fake-deps.ts';
import { twoProviderState } from '#test/rendering/states.ts';

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

const sshQuestion = {
  kind: 'ssh',
  publicKey: 'ssh-ed25519 AAAA ada',
  seconds: 3600,
  namespace: 'team',
  manifest: 'shop',
  cluster: 'shop-1234567',
  nodes: [],
  current: twoProviderState(),
  facts: noFacts,
  caller: 'ada',
};

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

  it('a check that takes too long leaves an error with that reason', async () => {
    expect(await answerQuestion(prefix, { ...deps, secrets: silent }, { ...around, limitMs: 1 })).toBe(false);
    expect(errorIn(await result())).toMatchObject({ class: 'transient', code: 'JobTooLong' });
  });

  it('a check that is stopped leaves an error with that reason', async () => {
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
    await expect(none).rejects.toThrow('the request under checks/team/shop/cloud/2 is missing');
  });

  it('a question that has an answer is not answered again by a second build of it', async () => {
    await answerQuestion(prefix, deps, around);
    const first = await result();
    const once = { ...around, answers: { ...answers, credentials: () => Promise.reject(new Error('repeated')) } };
    expect([await answerQuestion(prefix, deps, once), await result()]).toEqual([true, first]);
  });

  describe('requests for access', () => {
    const access = 'access/team/shop/shop-1234567/ssh-abc/1';
    const opened = { until: '2026-11-20T13:00:00.000Z', nodes: [] };

    /** Two builds of one request, the second once the first is at work; how often access was given out. */
    async function twoBuilds(end: (found: typeof opened) => Promise<typeof opened>) {
      await deps.artifacts.putText(questionKeys.request(access), JSON.stringify(sshQuestion));
      let given = 0;
      const started = Promise.withResolvers<void>();
      const proceed = Promise.withResolvers<void>();
      const ssh = async () => {
        given += 1;
        started.resolve();
        await proceed.promise;
        return end(opened);
      };
      const options = { ...around, stopPollMs: 1, answers: { ...answers, ssh } };
      const first = answerQuestion(access, deps, options);
      await started.promise;
      const second = answerQuestion(access, deps, options);
      proceed.resolve();
      return { ended: await Promise.all([first, second]), given };
    }

    it('two builds of one request for access give it out once, and both end with its answer', async () => {
      expect(await twoBuilds(async (found) => found)).toEqual({ ended: [true, true], given: 1 });
    });

    it('a second build ends like the first one when that gives out nothing', async () => {
      const failed = await twoBuilds(() => Promise.reject(new Error('no node answered')));
      expect(failed).toEqual({ ended: [false, false], given: 1 });
    });

    it('a build of a request for access whose first build was killed gives out nothing', async () => {
      await deps.artifacts.putText(questionKeys.request(access), JSON.stringify(sshQuestion));
      await deps.artifacts.putText(questionKeys.claim(access), '{"schema":1,"build":"ansible:1"}');
      const ssh = () => Promise.reject(new Error('given out twice'));
      const options = { ...around, stopPollMs: 1, limitMs: 3, answers: { ...answers, ssh } };
      expect(await answerQuestion(access, deps, options)).toBe(false);
      expect(await deps.artifacts.getText(questionKeys.result(access))).toBeUndefined();
    });

    it('a claim that the store has taken without saying so is that of the build', async () => {
      await deps.artifacts.putText(questionKeys.request(access), JSON.stringify(sshQuestion));
      const { createText } = deps.artifacts;
      deps.artifacts.createText = async (...given) => !(await createText.apply(deps.artifacts, given));
      const options = { ...around, answers: { ...answers, ssh: async () => opened } };
      expect(await answerQuestion(access, deps, options)).toBe(true);
    });
  });

  it('a check asks no cloud when everything is simulated', async () => {
    const ran = await runSimStage({ KUBELOOM_JOB: prefix }, { signal: never, ports: deps });
    expect([ran, foundIn('credentials', await result())]).toEqual([
      true,
      [{ about: 'identity', name: 'hetzner', ok: null, message: 'simulated: nothing was asked' }],
    ]);
  });
});
