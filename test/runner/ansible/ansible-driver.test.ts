/** The configuration and traffic stages with an Ansible that prints what was recorded. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClusterFacts } from '#domain/cluster-state.ts';
import { longestCheck } from '#domain/health-check.ts';
import type { StagePlan } from '#domain/plan.ts';
import { playbookQuietMs } from '#runner/ansible/play.ts';
import { waitForSsh } from '#runner/ansible/ssh-banner.ts';
import { makeSshKeyPair } from '#runner/openssh-key.ts';
import { simulatedBootId, simulatedPublicKey } from '#runner/sim/simulated-facts.ts';
import { twoProviderFacts, twoProviderState } from '#test/rendering/states.ts';
import { aDocument, type StageWorld, stageWorld } from '../stage-world.ts';

const fakeAnsible = `#!/bin/bash
echo "$*" > "$KUBELOOM_TEST_RECORDINGS.calls"
env > "$KUBELOOM_TEST_RECORDINGS.environment"
cp inventory.json "$KUBELOOM_TEST_RECORDINGS.inventory"
grep -o '"[^"]*\\.key"' inventory.json | sort -u | tr -d '"' | xargs stat -c '%a %n' > "$KUBELOOM_TEST_RECORDINGS.keys"
sed "s/^/$KUBELOOM_EVENT_MARK/" "$KUBELOOM_TEST_RECORDINGS" 2>/dev/null
exit "$(cat "$KUBELOOM_TEST_RECORDINGS.code" 2>/dev/null || echo 0)"
`;

const work = { install: [], peers: [], uninstall: [], loadBalancers: [], proxy: [] };
const configuration = (change: Partial<typeof work> | Record<string, string[]>): StagePlan => ({
  stage: 'configuration',
  reasons: [],
  work: { ...work, ...change },
});

const check = {
  ask: { kind: 'tcp' as const, port: 80 },
  timeout: 1,
  pause: 1,
  unhealthyAfter: 1,
  healthyAfter: 1,
};

let world: StageWorld;
let recordings: string;
const recorded = (what: string) => readFileSync(`${recordings}.${what}`, 'utf8');
const say = (...events: readonly object[]) =>
  writeFileSync(recordings, events.map((event) => JSON.stringify({ time: 1, ...event })).join('\n'));
/** Events of nodes that are all configured. */
const facts = {
  ...twoProviderFacts,
  nodes: Object.fromEntries(
    Object.entries({ ...twoProviderFacts.nodes, 'basement-01': {} }).map(([name, node]) => [
      name,
      { wireguardPublicKey: simulatedPublicKey(name), ...node },
    ]),
  ),
};

beforeEach(async () => {
  world = stageWorld();
  recordings = join(world.directory, 'recording');
  world.set('KUBELOOM_TEST_RECORDINGS', recordings);
  world.set('KUBELOOM_ANSIBLE_PLAYBOOK', world.script('ansible-playbook', fakeAnsible));
  for (const pool of ['control-aaaaaaa', 'workers-bbbbbbb', 'edge-ccccccc']) {
    const pair = makeSshKeyPair(pool);
    await world.ports.secrets.put(`ssh/team/shop/shop-1234567/${pool}`, { privatekey: pair.privateKey, publickey: '' });
  }
  await world.ports.secrets.put('user/team/basement-key', { privatekey: makeSshKeyPair('static').privateKey.trim() });
});
afterEach(() => world.close());

describe('configuration of nodes', () => {
  it('the driver runs only playbooks that have work, on an inventory of the nodes that have work', async () => {
    await world.put(aDocument([configuration({ peers: ['control-aaaaaaa-01'], loadBalancers: ['lb'] })]), facts);
    expect((await world.run('configuration')).ok).toBe(true);
    expect(recorded('calls')).toMatch(
      /^\S*ansible\/configure\.yml \S*ansible\/load-balancers\.yml -i inventory\.json -f \d+\n$/,
    );
    const inventory = JSON.parse(recorded('inventory'));
    expect(Object.keys(inventory.all.children.peers.hosts)).toEqual(['control-aaaaaaa-01']);
    expect(Object.keys(inventory.all.children.balance.hosts)).toEqual(['edge-ccccccc-01']);
  });

  it("each SSH key is in a file that only we can read, and a user's key gets its missing newline", async () => {
    await world.put(aDocument([configuration({ peers: ['control-aaaaaaa-01', 'basement-01'] })]), facts);
    await world.run('configuration');
    const files = recorded('keys').trim().split('\n');
    expect(files.map((line) => line.slice(0, 3))).toEqual(['600', '600']);
    expect(files.join()).toMatch(/keys\/basement-01\.key.*keys\/control-aaaaaaa\.key/);
  });

  it('the facts that nodes reported are kept, with a port that the provider mapped', async () => {
    await world.put(aDocument([configuration({ peers: ['workers-bbbbbbb-01', 'basement-01'] })]), facts);
    say(
      {
        event: 'facts',
        host: 'workers-bbbbbbb-01',
        lines: [
          `wireguardPublicKey="${simulatedPublicKey('new')}"`,
          'wireguardPort=51820',
          `bootId="${simulatedBootId('1')}"`,
        ],
      },
      { event: 'facts', host: 'basement-01', lines: ['wireguardPort=51999'] },
      { event: 'stats', hosts: { 'workers-bbbbbbb-01': { ok: 2, changed: 1, failures: 0, unreachable: 0 } } },
    );
    const result = await world.run('configuration');
    const { nodes } = await world.facts();
    expect(nodes['workers-bbbbbbb-01']).toMatchObject({
      wireguardPublicKey: simulatedPublicKey('new'),
      bootId: simulatedBootId('1'),
      wireguardPort: 40001,
    });
    expect(nodes['basement-01']?.wireguardPort).toBe(51999);
    expect(result.summary).toEqual({ nodesVisited: 1, nodesChanged: 1 });
  });

  it('a machine is as old as its first boot id, whatever it reports later', async () => {
    const node = 'workers-bbbbbbb-01';
    const times: (string | undefined)[] = [];
    let known: ClusterFacts = facts;
    for (const boot of ['1', '2']) {
      await world.put(aDocument([configuration({ peers: [node] })]), known);
      say({ event: 'facts', host: node, lines: [`bootId="${simulatedBootId(boot)}"`] });
      await world.run('configuration');
      known = await world.facts();
      expect(known.nodes[node]?.bootId).toBe(simulatedBootId(boot));
      times.push(known.nodes[node]?.setUpAt);
    }
    expect(times[0]).toMatch(/^\d{4}-.*Z$/);
    expect(times[1]).toBe(times[0]);
  });

  it('a node that only misses its list of peers is reported, and fails nothing', async () => {
    await world.put(aDocument([configuration({ peers: ['control-aaaaaaa-01', 'basement-01'] })]), facts);
    say(
      { event: 'unreachable', host: 'basement-01', task: 'Set peers', message: 'no route to host', ignored: true },
      { event: 'stats', hosts: { 'control-aaaaaaa-01': { ok: 2, changed: 1, failures: 0, unreachable: 0 } } },
    );
    const result = await world.run('configuration');
    expect(result).toMatchObject({ ok: true, summary: { nodesVisited: 1, nodesUnreachable: 1 } });
    expect(await world.reported()).toContain(
      'PeerNotReached: basement-01 could not be reached: it keeps its list of peers until it is reached again',
    );
  });

  it('a failed host is named with its own error output', async () => {
    await world.put(aDocument([configuration({ peers: ['control-aaaaaaa-01'] })]), facts);
    say({ event: 'failed', host: 'control-aaaaaaa-01', task: 'Set peers', message: 'wg: bad key', exitCode: 1 });
    writeFileSync(`${recordings}.code`, '2');
    expect((await world.run('configuration')).error).toMatchObject({
      code: 'NodeConfigurationFailed',
      resource: 'control-aaaaaaa-01',
      message: 'control-aaaaaaa-01, Set peers: wg: bad key',
    });
  });

  it('a missing Secret of a static node is named', async () => {
    await world.ports.secrets.remove('user/team/basement-key');
    await world.put(aDocument([configuration({ peers: ['basement-01'] })]), facts);
    expect((await world.run('configuration')).error).toMatchObject({
      code: 'SecretMissing',
      resource: 'node basement-01',
    });
  });

  it.each([
    ['settle', ['workers-bbbbbbb-01']],
    ['repair', []],
  ] as const)(
    'a %s that runs the boot script on a machine that exists waits for the health of %j',
    async (direction, waited) => {
      const state = twoProviderState();
      const before = { ...state, pools: state.pools.map((pool) => ({ ...pool, health: [check], boot: '#!/bin/sh' })) };
      const boot = ['workers-bbbbbbb-01'];
      await world.put(aDocument([configuration({ boot })], { direction, before, target: before }), facts);
      await world.run('configuration');
      expect(Object.keys(JSON.parse(recorded('inventory')).all.children.health.hosts)).toEqual(waited);
    },
  );

  it('a machine that restarted and does not answer fails the stage, so that no other one restarts', async () => {
    Object.assign(world.ports, { config: { ...world.ports.config, KUBELOOM_SSH_WAIT_SECONDS: 0.1 } });
    await world.put(aDocument([configuration({ restarted: ['workers-bbbbbbb-01'] })]), facts);
    const { ok, error } = await world.run('configuration');
    expect(ok).toBe(false);
    expect(error?.message).toContain('workers-bbbbbbb-01');
  });

  it('a playbook is given more time in silence than a boot script, or a machine that becomes healthy, takes', () => {
    const boot = readFileSync(new URL('../../../templates/ansible/boot.yml', import.meta.url), 'utf8');
    const [, within] = /KUBELOOM_HEALTHY_WITHIN=(\d+)/.exec(boot) ?? [];
    expect(playbookQuietMs).toBeGreaterThan((Number(within) + longestCheck) * 1000);
    const script = readFileSync(new URL('../../../templates/ansible/files/boot.sh', import.meta.url), 'utf8');
    const [, seconds] = /KUBELOOM_BOOT_SECONDS:-(\d+)/.exec(script) ?? [];
    expect(playbookQuietMs).toBeGreaterThan(Number(seconds) * 1000);
  });

  it('static nodes that leave are cleaned, and their facts are deleted', async () => {
    const document = aDocument([configuration({ uninstall: ['basement-01'] })], {
      before: twoProviderState(),
      target: null,
    });
    await world.put(document, { ...facts, nodes: { 'basement-01': { bootId: simulatedBootId('x') } } });
    expect((await world.run('configuration')).ok).toBe(true);
    expect(recorded('calls')).toContain('detach.yml');
    expect((await world.facts()).nodes).not.toHaveProperty('basement-01');
  });

  it('nodes get the new API endpoint once a load balancer serves it, with its earlier names', async () => {
    const before = twoProviderState({ apiEndpoint: { kind: 'node', node: 'control-aaaaaaa-02' } });
    const nodes = { endpoint: ['control-aaaaaaa-01', 'workers-bbbbbbb-01'], loadBalancers: ['lb'] };
    await world.put(aDocument([configuration(nodes)], { direction: 'move', before, facts }), facts);
    expect((await world.run('configuration')).ok).toBe(true);
    expect(recorded('calls')).toMatch(/^\S*load-balancers\.yml \S*endpoint\.yml -i/);
    const inventory = JSON.parse(recorded('inventory'));
    expect(Object.keys(inventory.all.children.endpoint.hosts)).toEqual(nodes.endpoint);
    expect(inventory.all.vars.kubeloom_endpoint).toEqual({
      host: 'shop.example.com',
      port: 6443,
      names: ['shop.example.com', 'www.example.com', '198.51.100.1', '198.51.100.2'],
      old: ['198.51.100.2'],
    });
  });

  it('the old name of a renamed load balancer is passed on', async () => {
    const [lb] = twoProviderState().loadBalancers;
    if (lb === undefined) throw new Error('no load balancer');
    const target = twoProviderState({ loadBalancers: [{ ...lb, dns: { ...lb.dns, hostname: 'store' } }] });
    const renamed = { ...facts, loadBalancers: { lb: { endpoint: 'store.example.com' } } };
    const work = configuration({ endpoint: ['control-aaaaaaa-01'] });
    await world.put(aDocument([work], { direction: 'move', before: twoProviderState(), target, facts }), renamed);
    await world.run('configuration');
    expect(JSON.parse(recorded('inventory')).all.vars.kubeloom_endpoint).toMatchObject({
      host: 'store.example.com',
      old: ['shop.example.com'],
    });
  });

  it('SSH control sockets are in a short directory of their own', async () => {
    await world.put(aDocument([configuration({ peers: ['control-aaaaaaa-01'] })]), facts);
    await world.run('configuration');
    const directory = /^ANSIBLE_SSH_CONTROL_PATH_DIR=(.*)$/m.exec(recorded('environment'))?.[1] ?? '';
    expect(directory.length).toBeLessThan(40);
    expect(() => statSync(directory)).toThrow();
  });
});

describe('traffic', () => {
  it('the traffic stage visits load balancers only', async () => {
    await world.put(aDocument([{ stage: 'traffic', reasons: [], work: { loadBalancers: ['lb'] } }]), facts);
    say({ event: 'stats', hosts: { 'edge-ccccccc-01': { ok: 1, changed: 1, failures: 0, unreachable: 0 } } });
    expect((await world.run('traffic')).ok).toBe(true);
    expect(recorded('calls')).toMatch(/^\S*load-balancers\.yml -i/);
    expect(await world.reported()).toEqual(['TrafficDirected: load balancer lb is up to date']);
  });
});

describe('SSH wait', () => {
  let server: Server;
  const listen = (greeting: string): Promise<number> =>
    new Promise((resolve) => {
      server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.end(greeting);
      });
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
  afterEach(() => server.close());
  const { signal } = new AbortController();

  it('the wait for SSH ends with the first banner', async () => {
    const port = await listen('SSH-2.0-OpenSSH_9.2\r\n');
    await expect(
      waitForSsh([{ name: 'n1', host: '127.0.0.1', port, totalMs: 60_000 }], { signal }),
    ).resolves.toBeUndefined();
  });

  it('the wait for SSH names the host that sends no banner', async () => {
    const port = await listen('HTTP/1.1 400 Bad Request\r\n');
    const waiting = waitForSsh([{ name: 'n1', host: '127.0.0.1', port, totalMs: 0 }], { signal });
    await expect(waiting).rejects.toThrow(/n1 did not answer on 127\.0\.0\.1:\d+: no SSH server answers/);
  });

  it('the wait for SSH says for which host, for how long already and why', async () => {
    const port = await listen('HTTP/1.1 400 Bad Request\r\n');
    const stop = new AbortController();
    const reported: string[] = [];
    const report = (message: string, node: string) => {
      reported.push(`${node}: ${message}`);
      stop.abort();
    };
    const targets = [{ name: 'n1', host: '127.0.0.1', port, totalMs: 180_000 }];
    await expect(waitForSsh(targets, { signal: stop.signal, report, reportMs: 0 })).rejects.toThrow();
    expect(reported[0]).toMatch(
      /^n1: waits for SSH of n1 \(127\.0\.0\.1:\d+\), \d+ s of 180 s, last: no SSH server answers$/,
    );
  });
});
