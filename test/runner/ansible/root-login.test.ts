/** Waiting for the first boot of a machine: SSH answers before root can log in. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClusterFacts } from '#domain/cluster-state.ts';
import type { StagePlan } from '#domain/plan.ts';
import { waitForRoot } from '#runner/ansible/root-login.ts';
import { makeSshKeyPair } from '#runner/openssh-key.ts';
import { runCommand } from '#runner/process.ts';
import { runnerConfig } from '#runner/runner-config.ts';
import { SecretMask } from '#runner/secret-mask.ts';
import { simulatedBootId, simulatedPublicKey } from '#runner/sim/simulated-facts.ts';
import type { StageEvent } from '#runner/stage-context.ts';
import { StageLog } from '#runner/stage-log.ts';
import { Stopwatch } from '#runner/stopwatch.ts';
import { twoProviderFacts } from '#test/rendering/states.ts';
import { aDocument, type StageWorld, stageWorld } from '../stage-world.ts';

/** Refuses as often as `refusals` says, in its words, then accepts. */
const fakeSsh = `#!/bin/bash
echo "$*" >> "$KUBELOOM_TEST_SSH.calls"
left=$(cat "$KUBELOOM_TEST_SSH.refusals" 2>/dev/null || echo 0)
if [ "$left" -gt 0 ]; then
  echo $((left - 1)) > "$KUBELOOM_TEST_SSH.refusals"
  cat "$KUBELOOM_TEST_SSH.words" >&2
  exit "$(cat "$KUBELOOM_TEST_SSH.code" 2>/dev/null || echo 255)"
fi
echo kubeloom-is-in
`;

const machine = { name: 'worker-01', host: '198.51.100.7', port: 22, keyFile: '/keys/workers.key' };
let world: StageWorld;
let reported: StageEvent[];
let control: AbortController;
const set = (what: string, text: string) => writeFileSync(join(world.directory, `ssh.${what}`), text);
const calls = () => readFileSync(join(world.directory, 'ssh.calls'), 'utf8').trim().split('\n');

beforeEach(() => {
  world = stageWorld();
  reported = [];
  control = new AbortController();
  world.set('KUBELOOM_TEST_SSH', join(world.directory, 'ssh'));
  world.set('KUBELOOM_SSH', world.script('ssh-program', fakeSsh));
  set('words', 'root@198.51.100.7: Permission denied (publickey).\n');
});
afterEach(() => world.close());

const wait = (totalMs: number) => {
  const { artifacts, clock } = world.ports;
  const log = new StageLog({ artifacts, key: 'log', mask: new SecretMask(), clock });
  const stopwatch = new Stopwatch(() => performance.now());
  const around = { signal: control.signal, log, stopwatch, graceMs: 100 };
  const context = {
    run: (command: Parameters<typeof runCommand>[0]) => runCommand(command, around),
    emit: (event: StageEvent) => void reported.push(event),
    signal: control.signal,
    runner: runnerConfig(process.env),
    workDirectory: world.directory,
  };
  return waitForRoot(context, [machine], { totalMs, pauseMs: 1 });
};

describe('machines in their first boot', () => {
  it('the runner tries until root can log in, and one event says that it waits', async () => {
    set('refusals', '3');
    await wait(60_000);
    expect(calls()).toHaveLength(4);
    expect(calls()[0]).toMatch(/-i \/keys\/workers\.key -p 22 .*BatchMode=yes .*-l root -- 198\.51\.100\.7 echo/);
    expect(reported).toEqual([
      {
        kind: 'FirstBootAwaited',
        message: expect.stringMatching(
          /^worker-01 does not accept the login of root yet \(.*Permission denied .*up to 1 min$/,
        ),
        node: 'worker-01',
      },
    ]);
  });

  it('a machine that only prints which user to log in as is not ready', async () => {
    set('refusals', '1');
    set('words', 'Please login as the user "ubuntu" rather than the user "root".\n');
    set('code', '0');
    await wait(60_000);
    expect(calls()).toHaveLength(2);
  });

  it('the wait for root ends when the stage is stopped', async () => {
    set('refusals', '1000000');
    const waiting = wait(60_000);
    control.abort();
    await expect(waiting).rejects.toMatchObject({ error: { code: 'StageCancelled' } });
  });
});

describe('machines that refuse root', () => {
  it('a machine that never lets root in is a permanent failure of class credentials', async () => {
    set('refusals', '1000000');
    await expect(wait(0)).rejects.toMatchObject({
      error: { class: 'credentials', code: 'RootLoginRefused', resource: 'worker-01', retryable: false },
    });
  });

  it('the login to a machine that is not reached over the network is retried later', async () => {
    set('refusals', '1000000');
    set('words', 'ssh: connect to host 198.51.100.7 port 22: Connection timed out\n');
    await expect(wait(0)).rejects.toMatchObject({ error: { class: 'transient', code: 'HostUnreachable' } });
  });
});

describe('configuration stage', () => {
  let server: Server;
  let port: number;
  beforeEach(async () => {
    server = createServer((socket) => socket.end('SSH-2.0-test\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
    world.set('KUBELOOM_ANSIBLE_PLAYBOOK', world.script('ansible-playbook', '#!/bin/bash\n'));
    const { privateKey } = makeSshKeyPair('x');
    await world.ports.secrets.put('ssh/team/shop/shop-1234567/workers-bbbbbbb', {
      privatekey: privateKey,
      publickey: '',
    });
  });
  afterEach(() => server.close());

  const key = (name: string) => ({ wireguardPublicKey: simulatedPublicKey(name) });
  const install = async (known: object): Promise<void> => {
    const facts: ClusterFacts = {
      ...twoProviderFacts,
      nodes: {
        ...twoProviderFacts.nodes,
        'basement-01': key('basement-01'),
        'workers-bbbbbbb-01': {
          publicAddress: '127.0.0.1',
          sshPort: port,
          ...key('workers-bbbbbbb-01'),
          ...known,
        },
      },
    };
    const work = { install: ['workers-bbbbbbb-01'], peers: [], uninstall: [], loadBalancers: [], proxy: [] };
    const plan: StagePlan = { stage: 'configuration', reasons: [], work };
    await world.put(aDocument([plan]), facts);
    expect(await world.run('configuration')).toMatchObject({ ok: true });
  };

  it('the configuration stage waits for root on machines that no playbook has reached yet', async () => {
    await install({});
    expect(calls()).toEqual([expect.stringContaining(`-p ${port} `)]);
  });

  it('the configuration stage does not wait for machines that are known', async () => {
    await install({ bootId: simulatedBootId('boot-1') });
    expect(calls).toThrow(/ENOENT/);
  });
});
