/** SSH access of a person, with an Ansible that prints what the test asks for. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { errorIn, foundIn, questionKeys, readQuestionResult } from '#contracts/job.ts';
import { answerQuestion } from '#runner/answer-question.ts';
import { answers } from '#runner/answers.ts';
import { makeSshKeyPair } from '#runner/openssh-key.ts';
import { type FakeDeps, fakeDeps } from '#test/fakes/fake-deps.ts';
import { boundedForQuestion } from '#test/fakes/session-of.ts';
import { twoProviderFacts, twoProviderState } from '#test/rendering/states.ts';

const prefix = 'access/team/shop/shop-1234567/ssh-0123456789abcdef/1';
const nodes = ['control-aaaaaaa-01', 'control-aaaaaaa-02'];
const blob = Buffer.alloc(51).toString('base64');
let deps: FakeDeps;
let folder: string;

/** Prints these events, and keeps the inventory. */
function ansible(...events: readonly object[]): void {
  const output = events.map((event) => JSON.stringify({ time: 1, task: 'Let a key in', ...event })).join('\n');
  writeFileSync(join(folder, 'output'), output);
  const program = `#!/bin/bash\ncp inventory.json ${folder}/inventory\necho "$*" >${folder}/calls\nsed "s/^/$KUBELOOM_EVENT_MARK/" ${folder}/output\n`;
  writeFileSync(join(folder, 'ansible-playbook'), program);
  chmodSync(join(folder, 'ansible-playbook'), 0o755);
}
const ask = async () =>
  answerQuestion(prefix, await boundedForQuestion(deps, prefix), {
    signal: new AbortController().signal,
    templatesDirectory: '/nowhere',
    answers,
  });
const result = async () => readQuestionResult((await deps.artifacts.getText(questionKeys.result(prefix))) ?? '');
const eventsOf = async () => (await deps.events.list({ namespace: 'team', name: 'shop' }, 10)).items;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kubeloom-ssh-'));
  vi.stubEnv('KUBELOOM_ANSIBLE_PLAYBOOK', join(folder, 'ansible-playbook'));
  deps = fakeDeps();
  for (const pool of ['control-aaaaaaa'])
    await deps.secrets.put(`ssh/team/shop/shop-1234567/${pool}`, {
      privatekey: makeSshKeyPair(pool).privateKey,
      publickey: '',
    });
  const place = { namespace: 'team', manifest: 'shop', cluster: 'shop-1234567', nodes, caller: 'ann from 203.0.113.7' };
  const state = { current: twoProviderState(), facts: twoProviderFacts };
  const wanted = { kind: 'ssh', publicKey: `ssh-ed25519 ${blob} ann@laptop`, seconds: 3600, ...place, ...state };
  await deps.artifacts.putText(questionKeys.request(prefix), JSON.stringify(wanted));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

describe('SSH access of a person', () => {
  it('the nodes are visited with the key and its end, without its comment', async () => {
    ansible(...nodes.map((host) => ({ event: 'ok', host, changed: true })));
    expect(await ask()).toBe(true);
    const { vars, children } = JSON.parse(readFileSync(join(folder, 'inventory'), 'utf8')).all;
    const until = foundIn('ssh', await result())?.until ?? '';
    expect(vars.kubeloom_access).toEqual({
      key: `ssh-ed25519 ${blob}`,
      until: String(Math.floor(Date.parse(until) / 1000)),
    });
    expect(Object.keys(children.peers.hosts)).toEqual(nodes);
    expect(readFileSync(join(folder, 'calls'), 'utf8')).toContain('access.yml');
  });

  it('a node that does not answer is named, the others are opened, and the event says which', async () => {
    const [one, two] = nodes;
    ansible(
      { event: 'ok', host: one, changed: true },
      { event: 'unreachable', host: two, message: 'connection refused' },
    );
    expect(await ask()).toBe(true);
    expect(foundIn('ssh', await result())?.nodes).toMatchObject([
      { name: one, user: 'root', problem: null },
      { name: two, problem: 'connection refused' },
    ]);
    expect(await eventsOf()).toMatchObject([
      {
        kind: 'AccessGiven',
        cluster: 'shop',
        message: expect.stringMatching(
          new RegExp(`^SSH access to ${one} until .*Z, with the key SHA256:\\S+, given to ann from 203.0.113.7$`),
        ),
      },
    ]);
  });

  it('access is not granted when no node answers, and no event claims it', async () => {
    ansible(...nodes.map((host) => ({ event: 'unreachable', host, message: 'connection refused' })));
    expect(await ask()).toBe(false);
    expect(errorIn(await result())).toMatchObject({ code: 'NodesNotReached', class: 'transient' });
    expect(await eventsOf()).toEqual([]);
  });
});
