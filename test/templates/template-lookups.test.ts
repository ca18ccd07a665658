/** Branches and tags of private repositories: resolved by a runner, reported by the API, with a real git host between them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lookUpTemplates } from '#functions/pipeline/jobs/template-lookups.ts';
import { answerQuestion } from '#runner/answer-question.ts';
import { answers } from '#runner/answers.ts';
import { fakeDeps } from '#test/fakes/fake-deps.ts';
import { boundedForQuestion } from '#test/fakes/session-of.ts';
import { type GitServer, startGitServer, trust } from './git-server.ts';

const token = 'kl-planted-token-of-a-repository';
const reference = { namespace: 'team', name: 'ours' };
let server: GitServer;
let commit: string;

beforeAll(async () => {
  server = await startGitServer({ token });
  trust(server);
  commit = server.commit({ 'README.md': 'one' });
}, 30_000);

afterAll(async () => {
  trust();
  await server.close();
});

let deps: ReturnType<typeof fakeDeps>;
beforeEach(async () => {
  deps = fakeDeps({ KUBELOOM_TEMPLATE_PRIVATE_HOSTS: server.host });
  await deps.secrets.put('user/team/git', { token });
});

const ask = (changes: { readonly revision?: string; readonly secret?: string; readonly url?: string } = {}) =>
  lookUpTemplates(deps, reference, { url: server.url, revision: 'main', secret: 'team/git', ...changes });
/** What the newest build does. */
async function build(): Promise<void> {
  const newest = deps.builds.started.at(-1);
  const signal = new AbortController().signal;
  const job = newest?.variables.KUBELOOM_JOB ?? '';
  const bounded = await boundedForQuestion(deps, job);
  await answerQuestion(job, bounded, { signal, answers, templatesDirectory: '' });
  deps.builds.statuses.set(newest?.id ?? '', 'ended');
}
const pending = { name: 'TemplatesPending', message: expect.stringContaining('send the same request again') };

describe('branches of private repositories', () => {
  it('a branch of a private repository is looked up by one runner, and then known', async () => {
    await expect(ask()).rejects.toMatchObject(pending);
    await expect(ask()).rejects.toMatchObject(pending);
    expect(deps.builds.started).toHaveLength(1);
    await build();
    expect(await ask()).toEqual({ commit });
    expect(deps.builds.started).toHaveLength(1);
  });

  it('a branch is looked up again once the answer is old', async () => {
    await expect(ask()).rejects.toMatchObject(pending);
    await build();
    const next = server.commit({ 'README.md': 'two' }, 'moving');
    await expect(ask({ revision: 'moving' })).rejects.toMatchObject(pending);
    await build();
    expect(await ask({ revision: 'moving' })).toEqual({ commit: next });
    const newer = server.commit({ 'README.md': 'three' }, 'moving');
    expect(await ask({ revision: 'moving' })).toEqual({ commit: next });
    deps.clock.advance(61);
    await expect(ask({ revision: 'moving' })).rejects.toMatchObject(pending);
    await build();
    expect(await ask({ revision: 'moving' })).toEqual({ commit: newer });
  });

  it('a branch is looked up again with another Secret', async () => {
    await expect(ask()).rejects.toMatchObject(pending);
    await build();
    await expect(ask({ secret: 'team/other' })).rejects.toMatchObject(pending);
    expect(deps.builds.started).toHaveLength(2);
  });
});

describe('failed look-ups', () => {
  it.each([
    ['a branch that is not there', { revision: 'nowhere' }, /has no branch or tag "nowhere"/, /name a branch/],
    [
      'a Secret that is not there',
      { secret: 'team/none' },
      /The Secret team\/none, .* does not exist/,
      /Apply the Secret/,
    ],
    [
      'a token that may not read it',
      { secret: 'team/wrong' },
      /denies access to the token .* \(status 401\)/,
      /a token that may read/,
    ],
    ['a Secret without a token', { secret: 'team/empty' }, /has no field token/, /Add token/],
    ['a host in a private network', { url: '10.1.2.3/team/templates' }, /is in a private network/, /use a public host/],
  ])('a failed look-up is reported as a fault: %s', async (_what, changes, reason, fix) => {
    await deps.secrets.put('user/team/wrong', { token: 'not-this-one' });
    await deps.secrets.put('user/team/empty', { username: 'me' });
    await expect(ask(changes)).rejects.toMatchObject(pending);
    await build();
    expect(await ask(changes)).toEqual({ reason: expect.stringMatching(reason), fix: expect.stringMatching(fix) });
    const kept = await Promise.all((await deps.artifacts.list('')).map(({ key }) => deps.artifacts.getText(key)));
    expect(kept.join()).not.toMatch(/kl-planted|not-this-one/);
  });

  it('a failed look-up is repeated a little later', async () => {
    await deps.secrets.put('user/team/later', { token: 'wrong' });
    await expect(ask({ secret: 'team/later' })).rejects.toMatchObject(pending);
    await build();
    expect(await ask({ secret: 'team/later' })).toHaveProperty('reason');
    await deps.secrets.put('user/team/later', { token });
    deps.clock.advance(31);
    await expect(ask({ secret: 'team/later' })).rejects.toMatchObject(pending);
    await build();
    expect(await ask({ secret: 'team/later' })).toEqual({ commit });
  });

  it('a look-up whose runner died is reported, and then retried', async () => {
    await expect(ask()).rejects.toMatchObject(pending);
    deps.builds.statuses.set(deps.builds.started[0]?.id ?? '', 'ended');
    expect(await ask()).toMatchObject({ reason: expect.stringMatching(/ended without an answer \(build sim:1\)/) });
    deps.clock.advance(31);
    await expect(ask()).rejects.toMatchObject(pending);
    expect(deps.builds.started).toHaveLength(2);
  });

  it('a look-up that takes longer than a runner may is stopped and started again', async () => {
    await expect(ask()).rejects.toMatchObject(pending);
    deps.clock.advance(5 * 60);
    await expect(ask()).rejects.toMatchObject(pending);
    expect([deps.builds.stopped, deps.builds.started.length]).toEqual([['sim:1'], 2]);
  });
});
