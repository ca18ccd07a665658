/** The clocks of new machines, with an Ansible that prints what was recorded. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StagePlan } from '#domain/plan.ts';
import { makeSshKeyPair } from '#runner/openssh-key.ts';
import { simulatedPublicKey } from '#runner/sim/simulated-facts.ts';
import { twoProviderFacts, twoProviderState } from '#test/rendering/states.ts';
import { aDocument, type StageWorld, stageWorld } from '../stage-world.ts';

const fakeAnsible = `#!/bin/bash
echo "$*" >> "$KUBELOOM_TEST_RECORDINGS.calls"
sed "s/^/$KUBELOOM_EVENT_MARK/" "$KUBELOOM_TEST_RECORDINGS"
`;
const configuration = ({ install }: { readonly install: string[] }): StagePlan => ({
  stage: 'configuration',
  reasons: [],
  work: { install, peers: [], uninstall: [], loadBalancers: [], proxy: [] },
});
/** All nodes are known to the mesh. */
const facts = {
  ...twoProviderFacts,
  nodes: Object.fromEntries(
    [...twoProviderState().pools, ...twoProviderState().loadBalancers.flatMap(({ pools }) => pools)].flatMap(
      ({ nodes }) =>
        nodes.map(({ name }) => [
          name,
          { wireguardPublicKey: simulatedPublicKey(name), ...twoProviderFacts.nodes[name] },
        ]),
    ),
  ),
};

let world: StageWorld;
let recordings: string;
const recorded = (what: string) => readFileSync(`${recordings}.${what}`, 'utf8');
const say = (...events: readonly object[]) =>
  writeFileSync(recordings, events.map((event) => JSON.stringify({ time: 1, ...event })).join('\n'));

beforeEach(async () => {
  world = stageWorld();
  recordings = join(world.directory, 'recording');
  world.set('KUBELOOM_TEST_RECORDINGS', recordings);
  world.set('KUBELOOM_ANSIBLE_PLAYBOOK', world.script('ansible-playbook', fakeAnsible));
  for (const pool of ['control-aaaaaaa', 'workers-bbbbbbb', 'edge-ccccccc']) {
    const { privateKey } = makeSshKeyPair(pool);
    await world.ports.secrets.put(`ssh/team/shop/shop-1234567/${pool}`, { privatekey: privateKey, publickey: '' });
  }
});
afterEach(() => world.close());

describe('clocks at first contact', () => {
  const seconds = () => Math.floor(Date.now() / 1000);
  /** New nodes whose clocks are off by so many seconds. */
  const clocks = (off: Readonly<Record<string, number>>) =>
    say(
      ...Object.entries(off).map(([host, by]) => {
        const clock = JSON.stringify({ from: seconds() + by, to: seconds() + by });
        return {
          event: 'facts',
          host,
          lines: [`wireguardPublicKey="${simulatedPublicKey(host)}"`, `clock=${clock}`],
        };
      }),
      { event: 'stats', hosts: {} },
    );
  let server: Server;
  const install = ['control-aaaaaaa-01', 'control-aaaaaaa-02'];
  beforeEach(async () => {
    server = createServer((socket) => socket.end('SSH-2.0-new\r\n'));
    await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)));
    const address = server.address();
    const sshPort = typeof address === 'object' && address !== null ? address.port : 0;
    world.set('KUBELOOM_SSH', world.script('ssh', '#!/bin/bash\necho kubeloom-is-in\n'));
    const known = install.map((name) => [name, { ...facts.nodes[name], publicAddress: '127.0.0.1', sshPort }]);
    await world.put(aDocument([configuration({ install })]), {
      ...facts,
      nodes: { ...facts.nodes, ...Object.fromEntries(known) },
    });
  });
  afterEach(() => new Promise((closed) => server.close(closed)));

  it.each([
    [-12_000, '3 h 20 min behind ours'],
    [400 * 86_400, '400 days ahead of ours'],
  ])('a machine whose clock is off by %d s is named, and nothing more is done on it', async (off, text) => {
    clocks({ 'control-aaaaaaa-01': 0, 'control-aaaaaaa-02': off });
    const { error } = await world.run('configuration');
    expect(error).toMatchObject({ class: 'user', code: 'ClockWrong', resource: 'control-aaaaaaa-02' });
    expect(error?.message).toContain(`The clock of control-aaaaaaa-02 is ${text}`);
    expect(error?.hint).not.toContain('clock of the runner');
    expect(recorded('calls')).toContain('prepare.yml');
    expect(recorded('calls')).not.toContain('configure.yml');
  });

  it('the clock of the runner may be the wrong one, if all machines differ', async () => {
    clocks({ 'control-aaaaaaa-01': 7200, 'control-aaaaaaa-02': 7201 });
    const { error } = await world.run('configuration');
    expect(error?.message).toContain('(and 1 more node)');
    expect(error?.hint).toContain('see whether the clock of the runner is right');
  });

  it('clocks that are right stop nothing', async () => {
    clocks({ 'control-aaaaaaa-01': 20, 'control-aaaaaaa-02': -20 });
    // This Ansible prints the same in each playbook, which is refused for another reason.
    expect((await world.run('configuration')).error?.code).not.toBe('ClockWrong');
    expect(recorded('calls')).toContain('configure.yml');
  });
});
