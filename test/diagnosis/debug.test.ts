/** A run with --debug finds the same cause: every message of the corpus once more, as its tool prints it with more words. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPlaybookLine } from '#runner/ansible/playbook-events.ts';
import { ownWordsOfAnsible, ownWordsOfKubectl, ownWordsOfKubeOne } from '#runner/debug/own-words.ts';
import { kubeoneError } from '#runner/kubeone/kubeone-failure.ts';
import { kubectlError } from '#runner/kubernetes/kubectl-failure.ts';
import { finished } from '#runner/stage-failure.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { corpusOf, readingOf } from './corpus.ts';
import { asKubeOnePrints } from './kubeone-shape.ts';

const recorded = (name: string) => readFileSync(join(import.meta.dirname, 'debug', name), 'utf8');

/** Words that would be another cause if they were read. */
const misleading = [
  'E: Could not get lock /var/lib/dpkg/lock-frontend',
  'No space left on device',
  'Error: connection refused',
];

/** kubectl 1.32 with -v=6: what it requested, and the answer once more as JSON. */
function loudKubectl(text: string): string {
  const at = 'I1127 13:52:43.938005   28113';
  const answer = JSON.stringify({ kind: 'Status', message: misleading.join('; '), reason: 'Forbidden' }, null, 2);
  return [
    `${at} loader.go:402] Config loaded from file:  /tmp/kubeconfig`,
    `${at} round_trippers.go:560] GET https://203.0.113.5:6443/api?timeout=32s 503 Service Unavailable in 1 milliseconds`,
    `${at} helpers.go:246] server response object: %s[${answer}]`,
    text,
  ].join('\n');
}

/** KubeOne with --verbose: what the scripts print on each machine, the last line without an end. */
function loudKubeOne(text: string): string {
  const lines = ['203.0.113.5', '2001:db8::5', 'node-1.example.org'].flatMap((address) =>
    ['+ sudo apt-get install -y kubelet', ...misleading].map((line) => `[${address}] ${line}`),
  );
  const debug = 'time="06:31:28 UTC" level=debug msg="no space left on device" node=203.0.113.5';
  const [first = '', ...rest] = text.split(/^(?=Error: )/m);
  return `${lines.join('\n')}\n${debug}\n${first}[203.0.113.5] a line without an end${rest.join('')}`;
}

describe('what a tool says with --debug', () => {
  it('every message of kubectl has the same reading', () => {
    for (const message of corpusOf('kubectl')) {
      const loud = ownWordsOfKubectl(loudKubectl(message.text));
      expect(finished(kubectlError(message.where, loud, undefined))).toEqual(readingOf(message));
    }
  });

  it('every message of KubeOne has the same reading', () => {
    for (const message of corpusOf('kubeone')) {
      const loud = loudKubeOne(asKubeOnePrints(message.where, message.text));
      expect(finished(kubeoneError(ownWordsOfKubeOne(loud), twoProviderState()))).toEqual(readingOf(message));
    }
  });

  it('every message of KubeOne has the same reading where only the machine printed its cause', () => {
    for (const message of corpusOf('kubeone')) {
      const quiet = asKubeOnePrints(message.where, message.text);
      const [, error = '', stderr] =
        /^(Error: [\s\S]*?Process exited with status \d+)\n[\s\S]*?\nstderr: ([\s\S]*)$/m.exec(quiet) ?? [];
      if (stderr === undefined) continue;
      const address = /running task on "([^"]+)"/.exec(error)?.[1] ?? '';
      const log = `time="06:31:28 UTC" level=error msg="ssh: popen" node=${address}`;
      const script = stderr
        .trimEnd()
        .split('\n')
        .map((line) => `[${address}] ${line}`);
      const before = misleading.map((line) => `[${address}] ${line}`);
      const begins = 'time="06:31:20 UTC" level=info msg="Installing prerequisites..."';
      const loud = [...before, begins, ...script, log, error].join('\n');
      const reading = finished(kubeoneError(ownWordsOfKubeOne(loud), twoProviderState()));
      expect(reading).toEqual(readingOf(message));
    }
  });

  it('a real KubeOne of which apt has no lock says so with --verbose, too', () => {
    const words = ownWordsOfKubeOne(recorded('kubeone-lock.txt'));
    expect(kubeoneError(words, twoProviderState())).toMatchObject({
      message: expect.stringContaining('Could not get lock'),
      class: readingOf({
        tool: 'kubeone',
        where: 'install-debian',
        source: '',
        text: 'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4711 (apt-get)',
        expected: { class: 'transient', retryable: true },
      }).class,
    });
  });

  it('nothing of what a tool says without it is left out', () => {
    for (const { text } of corpusOf('kubectl')) expect(ownWordsOfKubectl(text)).toBe(text);
    for (const { text } of corpusOf('ansible')) expect(ownWordsOfAnsible(text)).toBe(text);
    for (const { where, text } of corpusOf('kubeone')) {
      const whole = asKubeOnePrints(where, text);
      expect(ownWordsOfKubeOne(whole)).toBe(whole);
    }
  });

  it('the refused connection is left of a real kubectl that no server answers', () => {
    const words = ownWordsOfKubectl(recorded('kubectl-refused.txt'));
    expect(words).not.toMatch(/^I\d{4}/m);
    expect(words.trim().split('\n').at(-1)).toMatch(/^The connection to the server 127\.0\.0\.1:9 was refused/);
    expect(kubectlError('get', words, undefined)).toMatchObject({ class: 'transient', code: 'KubernetesUnreachable' });
  });

  it('one line is left of a real kubectl that is forbidden', () => {
    const words = ownWordsOfKubectl(recorded('kubectl-forbidden.txt'));
    expect(words.trim()).toBe(
      'Error from server (Forbidden): nodes is forbidden: User "x" cannot list resource "nodes"',
    );
  });

  it('the trace of Python is left out of a real Ansible that fails itself', () => {
    const whole = recorded('ansible-fault.txt');
    expect(whole).toMatch(/Too many open files.*\n$/);
    expect(ownWordsOfAnsible(whole)).not.toMatch(/File "|Too many open files/);
  });

  it('events of a real Ansible are read, and nothing that a machine printed is one', () => {
    const lines = recorded('ansible-tasks.txt').trimEnd().split('\n');
    const read = lines.map((line) => readPlaybookLine(line, 'M'));
    expect(read.flatMap(({ problem }) => problem ?? [])).toEqual([]);
    const events = read.flatMap(({ event }) => (event === undefined ? [] : [event.event]));
    expect(events.toSorted()).toEqual(['facts', 'failed', 'ok', 'play', 'stats', 'task']);
    expect(lines.filter((line) => line.startsWith('<127.0.0.1> (3, b')).length).toBe(1);
    expect(ownWordsOfAnsible(lines.join('\n'))).not.toContain('<127.0.0.1>');
  });

  it('a long line of Ansible is cut by the log, after its secrets are masked', () => {
    const line = `<203.0.113.5> (0, b'${'x'.repeat(5000)}', b'')`;
    expect(readPlaybookLine(line, 'M').words).toBe(line);
  });
});
