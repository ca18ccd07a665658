/** A machine that lies when it is asked whether it lets root in, and whether it belongs to the cluster. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClusterState } from '#domain/cluster-state.ts';
import type { StagePlan } from '#domain/plan.ts';
import { waitForRoot } from '#runner/ansible/root-login.ts';
import { runCommand } from '#runner/process.ts';
import { runnerConfig } from '#runner/runner-config.ts';
import type { StageEvent } from '#runner/stage-context.ts';
import { adminAuthority, kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { calls, closeKubeOne, hosts, key, openKubeOne, recordings, world } from '#test/runner/recorded-kubeone.ts';
import { aDocument, type StageWorld, stageWorld } from '#test/runner/stage-world.ts';
import { sampled } from '#test/sampled.ts';
import { hostileTexts, obeyedRaw } from './lies.ts';
import { expectOfOthers, outcomeOf } from './outcome-of.ts';
import { silentCanary } from './silent-canary.ts';

const canary = silentCanary();

/** Writes a text as it is, in a script. */
const printing = (text: string, to = '') => `base64 -d ${to}<<'END'\n${Buffer.from(text).toString('base64')}\nEND\n`;
/** What a machine says in place of an answer: on both streams, with each kind of end. */
const lies = [
  ...Object.entries(hostileTexts(canary.file)).flatMap(([name, text]) =>
    [0, 1, 255].map(
      (code) => [`${name}, and exit ${code}`, `${printing(text)}${printing(text, '>&2 ')}exit ${code}\n`] as const,
    ),
  ),
  ['nothing', 'exit 0\n'],
  ['bytes that are no text', `printf '\\xff\\xfe\\x00\\x80'\nexit 0\n`],
  ['a megabyte in one line', 'head -c 1000000 /dev/zero | tr "\\0" x\nexit 0\n'],
] as const;

describe('a machine that is asked whether it lets root in', () => {
  const machine = { name: 'worker-01', host: '198.51.100.7', port: 22, keyFile: '/keys/workers.key' };
  let own: StageWorld;
  let reported: StageEvent[];
  beforeEach(() => {
    own = stageWorld();
    reported = [];
  });
  afterEach(() => own.close());
  const ask = (script: string, totalMs: number) => {
    own.set('KUBELOOM_SSH', own.script('ssh', `#!/bin/bash\ncat >/dev/null\n${script}`));
    const { signal } = new AbortController();
    const around = {
      signal,
      log: { write: () => undefined, lastLines: () => '' } as never,
      stopwatch: { start: () => () => undefined } as never,
      graceMs: 100,
    };
    const context = {
      run: (command: Parameters<typeof runCommand>[0]) => runCommand(command, around),
      emit: (event: StageEvent) => void reported.push(event),
      signal,
      runner: runnerConfig(process.env),
      workDirectory: own.directory,
    };
    return waitForRoot(context, [machine], { totalMs, pauseMs: 1 }).then(() => 'root is in');
  };

  it('an honest machine lets root in', async () => {
    expect(await ask('echo kubeloom-is-in\n', 60_000)).toBe('root is in');
  });

  it('whatever it says instead, root is not in, and its words are words', async () => {
    const asked = join(own.directory, 'asked');
    for (const [title, script] of sampled(lies, { oneOf: 4, from: 1 })) {
      expect(await outcomeOf(() => ask(script, -1), title), title).toBeUndefined();
      reported.length = 0;
      const once = `[ -e "${asked}" ] && { echo kubeloom-is-in; exit 0; }\ntouch "${asked}"\n`;
      expect(await ask(`${once}${script}`, 60_000)).toBe('root is in');
      rmSync(asked);
      expect(reported, title).toHaveLength(1);
      for (const { message } of reported) {
        expect(message, title).not.toMatch(obeyedRaw);
        expect(message.length, title).toBeLessThan(1001);
      }
    }
  });
});

describe('a machine that is asked whether it belongs to the cluster', () => {
  const [lost, liar] = ['control-aaaaaaa-02', 'workers-bbbbbbb-01'];
  const fakeKubectl = `#!/bin/bash
shift
echo "kubectl $*" >> "$KUBELOOM_TEST_RECORDINGS.calls"
case "$*" in
  get*) cat "$KUBELOOM_TEST_RECORDINGS.nodes";;
  version*) echo '{"serverVersion":{"gitVersion":"v1.33.7"}}';;
  *member\\ list*) echo '{"members":[{"ID":"b1","name":"control-aaaaaaa-01"},{"ID":"b2","name":"control-aaaaaaa-02"}]}';;
esac
`;
  /** The liar runs the script of the test, whatever it is asked; all others have joined. */
  const fakeSsh = `#!/bin/bash
echo "ssh \${@: -1}" >> "$KUBELOOM_TEST_RECORDINGS.calls"
case "$*" in *known_hosts-${liar}*) cat >/dev/null; . "$KUBELOOM_TEST_RECORDINGS.lie";; esac
echo kubeloom-joined-0
`;
  const apply: StagePlan = { stage: 'kubernetes', reasons: [], work: { action: 'apply' } };
  const state = (): ClusterState => {
    const third = { name: 'control-aaaaaaa-03', privateAddress: '192.168.2.6' };
    const { pools } = hosts.state();
    return hosts.state({
      pools: pools.map((pool) => (pool.role === 'control' ? { ...pool, nodes: [...pool.nodes, third] } : pool)),
    });
  };
  beforeEach(async () => {
    await openKubeOne();
    world.set('KUBELOOM_KUBECTL', world.script('kubectl', fakeKubectl));
    world.set('KUBELOOM_SSH', world.script('ssh', fakeSsh));
    writeFileSync(`${recordings}.nodes`, JSON.stringify({ items: [{ metadata: { name: lost } }] }));
    await world.ports.artifacts.putText(key, kubeconfigTo());
    const nodes = Object.entries(hosts.facts.nodes).map(([name, known]) => [name, { ...known, joined: name !== liar }]);
    const facts = { ...hosts.facts, kubeconfigKey: key, nodes: Object.fromEntries(nodes) };
    await world.put(aDocument([apply], { direction: 'repair', before: state(), target: state() }), facts);
  });
  afterEach(closeKubeOne);

  /** What was done to machines and nodes. */
  async function actsAfter(script: string, title: string): Promise<readonly string[]> {
    writeFileSync(`${recordings}.lie`, script);
    writeFileSync(`${recordings}.calls`, '');
    const { error } = await world.run('kubernetes');
    if (error) expectOfOthers(error, title);
    return calls().filter((call) => /reset|delete|remove/.test(call));
  }

  it('one that has the authority of the cluster and no node is reset; one that says that it is bare is removed', async () => {
    const authority =
      'case "$*" in *ca.crt) cat "$KUBELOOM_TEST_RECORDINGS.authority"; exit 0;; *reset*) exit 0;; esac\n';
    writeFileSync(`${recordings}.authority`, adminAuthority);
    expect(await actsAfter(authority, 'half joined')).toEqual(['ssh kubeadm reset -f']);
    writeFileSync(`${recordings}.nodes`, JSON.stringify({ items: [{ metadata: { name: liar } }] }));
    const bare = 'case "$*" in *joined*) echo kubeloom-joined-1; exit 0;; esac\nexit 1\n';
    expect(await actsAfter(bare, 'bare')).toEqual([expect.stringContaining(`kubectl delete node ${liar} `)]);
  });

  it('whatever else it says, nothing is reset and no node is removed', async () => {
    const almost = ['kubeloom-joined-1 or not', ' kubeloom-joined-1', 'kubeloom-joined-10', 'kubeloom-joined-1\u200b'];
    for (const [title, script] of [
      ...sampled(
        lies.filter(([title]) => !title.endsWith('exit 1')),
        { oneOf: 4, from: 2 },
      ),
      ...almost.map((text) => [text, `${printing(`${text}\n`)}exit 0\n`] as const),
      ['bare, and exit 1', 'echo kubeloom-joined-1\nexit 1\n'] as const,
    ])
      expect(await actsAfter(script, title), title).toEqual([]);
  });

  it('what it says when its reset fails is words in the failure', async () => {
    writeFileSync(`${recordings}.authority`, adminAuthority);
    const failing = lies.filter(([title]) => title.endsWith('exit 1'));
    for (const [title, script] of sampled(failing, { oneOf: 3, from: 1 })) {
      const half = `case "$*" in *ca.crt) cat "$KUBELOOM_TEST_RECORDINGS.authority"; exit 0;; esac\n${script}`;
      expect(await actsAfter(half, title), title).toEqual(['ssh kubeadm reset -f']);
    }
  });
});
