/** A node that is dead: what the stages do without it, what they do not, and what is known of it afterwards. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { WaypointDocument } from '#contracts/stage.ts';
import type { ClusterFacts } from '#domain/cluster-state.ts';
import type { StagePlan } from '#domain/plan.ts';
import { makeSshKeyPair } from '#runner/openssh-key.ts';
import { simulatedBootId, simulatedPublicKey } from '#runner/sim/simulated-facts.ts';
import { kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { twoProviderFacts, twoProviderState } from '#test/rendering/states.ts';
import { type AnsweringHosts, answeringHosts } from '../answering-hosts.ts';
import { aDocument, type StageWorld, stageWorld } from '../stage-world.ts';

const fakeAnsible = `#!/bin/bash
cp inventory.json "$KUBELOOM_TEST_RECORDINGS.inventory"
case $* in *prepare.yml*) sed "s/^/$KUBELOOM_EVENT_MARK/" "$KUBELOOM_TEST_RECORDINGS.prepared";; esac 2>/dev/null
sed "s/^/$KUBELOOM_EVENT_MARK/" "$KUBELOOM_TEST_RECORDINGS" 2>/dev/null || true
`;
const fakeKubeOne = `#!/bin/bash
[ "$1" = version ] && { echo '{"kubeone":{"gitVersion":"v1.14.1"}}'; exit 0; }
cp kubeone.yaml "$KUBELOOM_TEST_RECORDINGS.manifest"
cp "$KUBELOOM_TEST_RECORDINGS.kubeconfig-left" shop-kubeconfig
`;
const worker = 'workers-bbbbbbb-01';
/** Events of nodes that are all configured and have joined. */
const facts: ClusterFacts = {
  ...twoProviderFacts,
  nodes: Object.fromEntries(
    Object.entries({ ...twoProviderFacts.nodes, 'basement-01': {} }).map(([name, node]) => [
      name,
      { wireguardPublicKey: simulatedPublicKey(name), joined: true, ...node },
    ]),
  ),
};
const long = '2026-03-01T07:00:00.000Z';

let world: StageWorld;
let recordings: string;
let server: Server | undefined;
beforeEach(async () => {
  world = stageWorld();
  recordings = join(world.directory, 'recording');
  world.set('KUBELOOM_TEST_RECORDINGS', recordings);
  writeFileSync(`${recordings}.kubeconfig-left`, kubeconfigTo());
  world.set('KUBELOOM_ANSIBLE_PLAYBOOK', world.script('ansible-playbook', fakeAnsible));
  world.set('KUBELOOM_KUBEONE', world.script('kubeone', fakeKubeOne));
  for (const pool of ['control-aaaaaaa', 'workers-bbbbbbb', 'edge-ccccccc']) {
    const { privateKey } = makeSshKeyPair(pool);
    await world.ports.secrets.put(`ssh/team/shop/shop-1234567/${pool}`, { privatekey: privateKey, publickey: '' });
  }
  await world.ports.secrets.put('user/team/basement-key', { privatekey: makeSshKeyPair('static').privateKey });
});
afterEach(async () => {
  world.close();
  await new Promise((closed) => (server === undefined ? closed(undefined) : server.close(closed)));
  server = undefined;
});

describe('a dead node in Ansible', () => {
  const configuration = (change: object): StagePlan => ({
    stage: 'configuration',
    reasons: [],
    work: { install: [], peers: [], uninstall: [], loadBalancers: [], proxy: [], ...change },
  });
  const traffic: StagePlan = { stage: 'traffic', reasons: [], work: { loadBalancers: ['lb'] } };
  const say = (...events: readonly object[]) =>
    writeFileSync(recordings, events.map((event) => JSON.stringify({ time: 1, ...event })).join('\n'));
  const stats = (...names: readonly string[]) => ({
    event: 'stats',
    hosts: Object.fromEntries(names.map((name) => [name, { ok: 1, changed: 0, failures: 0, unreachable: 0 }])),
  });
  const unreachable = (host: string) => ({ event: 'unreachable', host, task: 'x', message: 'refused', ignored: true });
  const optional = (): readonly string[] => {
    return Object.keys(JSON.parse(readFileSync(`${recordings}.inventory`, 'utf8')).all.children.optional.hosts);
  };

  it('a node that does not answer is noted with the time, which stays until it answers again', async () => {
    await world.put(aDocument([configuration({ peers: [worker] })]), facts);
    say(unreachable(worker), stats(worker));
    await world.run('configuration');
    const since = (await world.facts()).nodes[worker]?.unreachableSince;
    expect(since).toMatch(/^\d{4}-.*Z$/);

    await world.put(aDocument([configuration({ peers: [worker] })]), since === undefined ? undefined : unreached(long));
    await world.run('configuration');
    expect((await world.facts()).nodes[worker]?.unreachableSince).toBe(long);

    say(stats(worker));
    await world.run('configuration');
    expect((await world.facts()).nodes[worker]).not.toHaveProperty('unreachableSince');
  });

  it('a new node that stops answering before it is in the mesh fails the stage', async () => {
    server = createServer((socket) => socket.end('SSH-2.0-new\r\n'));
    const sshPort = await portOf(server);
    await world.put(
      aDocument([configuration({ install: [worker] })]),
      unreached(long, {
        publicAddress: '127.0.0.1',
        sshPort,
        bootId: simulatedBootId('of-an-earlier-try'),
      }),
    );
    say(unreachable(worker), stats(worker));
    const { error } = await world.run('configuration');
    expect(error).toMatchObject({ class: 'transient', code: 'HostUnreachable', resource: worker });
  });

  it('a load balancer that only gets other targets fails nothing when it is dead, and is reported', async () => {
    const before = twoProviderState({ pools: twoProviderState().pools.filter(({ name }) => name !== 'workers') });
    await world.put(aDocument([traffic], { before }), facts);
    say(unreachable('edge-ccccccc-01'), stats('edge-ccccccc-01'));
    expect((await world.run('traffic')).ok).toBe(true);
    expect(optional()).toEqual(['edge-ccccccc-01']);
    const reported = (await world.reported()).join();
    expect(reported).toContain('LoadBalancerNotReached: edge-ccccccc-01 could not be reached');
    expect(reported).not.toContain('TrafficDirected');
  });

  it('a load balancer that gets another role is needed', async () => {
    const { loadBalancers } = twoProviderState();
    const before = twoProviderState({
      loadBalancers: loadBalancers.map((lb) => ({ ...lb, roles: lb.roles.slice(1) })),
    });
    await world.put(aDocument([traffic], { before }), facts);
    await world.run('traffic');
    expect(optional()).toEqual([]);
  });

  it('a machine that was lost and recreated on the way gets everything, and the others its new key', async () => {
    server = createServer((socket) => socket.end('SSH-2.0-new\r\n'));
    const sshPort = await portOf(server);
    world.set('KUBELOOM_SSH', world.script('ssh', '#!/bin/bash\necho kubeloom-is-in\n'));
    const bare = { 'edge-ccccccc-01': { publicAddress: '127.0.0.1', sshPort } };
    await world.put(aDocument([traffic], { before: twoProviderState(), direction: 'settle' }), {
      ...facts,
      nodes: { ...facts.nodes, ...bare },
    });
    const lines = [`wireguardPublicKey="${simulatedPublicKey('new')}"`];
    writeFileSync(`${recordings}.prepared`, JSON.stringify({ event: 'facts', host: 'edge-ccccccc-01', lines }));
    expect((await world.run('traffic')).error).toBeUndefined();
    const { vars } = JSON.parse(readFileSync(`${recordings}.inventory`, 'utf8')).all;
    expect(JSON.stringify(vars.kubeloom_mesh)).toContain(simulatedPublicKey('new'));
    const { install, peers } = JSON.parse(readFileSync(`${recordings}.inventory`, 'utf8')).all.children;
    expect(Object.keys(install.hosts)).toEqual(['edge-ccccccc-01']);
    expect(Object.keys(peers.hosts)).toHaveLength(4);
  });

  it('a rollback leaves out a machine that was recreated and never answered', async () => {
    const { publicAddress } = facts.nodes['workers-bbbbbbb-01'] ?? {};
    const peers = ['control-aaaaaaa-01', worker, 'basement-01'];
    const undo = [configuration({ peers, loadBalancers: ['lb'] })];
    await world.put(aDocument([], { before: twoProviderState(), undo }), {
      ...facts,
      nodes: { ...facts.nodes, [worker]: { publicAddress } },
    });
    expect((await world.run('configuration', { mode: 'undo' })).error).toBeUndefined();
    const { vars, children } = JSON.parse(readFileSync(`${recordings}.inventory`, 'utf8')).all;
    expect(Object.keys(children.peers.hosts)).toEqual(['control-aaaaaaa-01', 'basement-01']);
    expect(Object.keys(children.compute.hosts)).toEqual(['basement-01']);
    expect(vars.kubeloom_mesh.map(({ name }: { name: string }) => name)).not.toContain(worker);
    expect(vars.kubeloom_mesh.every((peer: object) => 'public_key' in peer)).toBe(true);
  });

  it('a rollback needs no node that was there before', async () => {
    const { loadBalancers } = twoProviderState();
    const before = twoProviderState({
      loadBalancers: loadBalancers.map((lb) => ({ ...lb, roles: lb.roles.slice(1) })),
    });
    const plan = configuration({ loadBalancers: ['lb'] });
    await world.put(aDocument([], { before, undo: [plan] }), facts);
    await world.run('configuration', { mode: 'undo' });
    expect(optional()).toEqual(['edge-ccccccc-01']);
  });
});

describe('a dead node in KubeOne', () => {
  const kubernetes: StagePlan = { stage: 'kubernetes', reasons: [], work: { action: 'apply' } };
  let hosts: AnsweringHosts;
  const patience = (seconds: number) =>
    Object.assign(world.ports, { config: { ...world.ports.config, KUBELOOM_SSH_WAIT_SECONDS: seconds } });
  beforeEach(async () => {
    hosts = await answeringHosts();
    patience(0);
  });
  afterEach(() => hosts.close());
  const given = () => {
    const { controlPlane, staticWorkers } = parse(readFileSync(`${recordings}.manifest`, 'utf8'));
    return [...controlPlane.hosts, ...staticWorkers.hosts].map(({ hostname }: { hostname: string }) => hostname);
  };
  /** KubeOne in a waypoint, by default a grow of a cluster that had all of these nodes and whose nodes of `dead` do not answer. */
  const apply = async (dead: readonly string[], change: Partial<WaypointDocument> = {}, more: object = {}) => {
    const nodes = Object.entries(hosts.facts.nodes).map(([name, node]) => [
      name,
      { ...node, joined: true, ...(dead.includes(name) ? hosts.dead : {}), ...more },
    ]);
    const document = aDocument([kubernetes], { before: hosts.state(), target: hosts.state(), ...change });
    await world.put(document, { ...hosts.facts, nodes: Object.fromEntries(nodes) });
    return world.run('kubernetes');
  };

  it('KubeOne is not given a compute node that does not answer, when others join', async () => {
    expect((await apply([worker])).error).toBeUndefined();
    expect(given()).not.toContain(worker);
    expect(given()).toContain('basement-01');
    expect((await world.reported()).join()).toContain(`NodeLeftOut: ${worker} does not answer`);
    expect((await world.facts()).nodes[worker]?.unreachableSince).toMatch(/^\d{4}-/);
  });

  it('KubeOne waits for a control node that restarts', async () => {
    let asked = 0;
    server = createServer((socket) => {
      asked += 1;
      if (asked === 1) socket.destroy();
      else socket.end('SSH-2.0-restarted\r\n');
    });
    hosts = { ...hosts, dead: { publicAddress: '127.0.0.1', sshPort: await portOf(server) } };
    patience(60);
    expect((await apply(['control-aaaaaaa-02'])).error).toBeUndefined();
    expect(given()).toContain('control-aaaaaaa-02');
    expect((await world.facts()).nodes['control-aaaaaaa-02']).not.toHaveProperty('unreachableSince');
    expect((await world.reported()).join()).not.toContain('NodeLeftOut');
  });

  it('KubeOne is given a node that answers again', async () => {
    await apply([], {}, { unreachableSince: long });
    expect(given()).toContain(worker);
  });

  it.each<readonly [string, readonly string[], () => Partial<WaypointDocument>, string]>([
    [
      'a compute node in an upgrade',
      [worker, 'basement-01'],
      () => ({ direction: 'upgrade', before: hosts.state({ kubernetesVersion: '1.33.1' }) }),
      'Remove it from the manifest first',
    ],
    [
      'a control node, whose etcd member KubeOne would remove',
      ['control-aaaaaaa-02'],
      () => ({}),
      'It is a control node',
    ],
    ['a new node', [worker], () => ({ before: null }), 'Check that the machine runs'],
  ])('KubeOne is not run without %s: it would try for minutes', async (_, dead, change, words) => {
    const { error } = await apply(dead, change());
    expect(error).toMatchObject({ class: 'conflict', code: 'HostUnreachable', resource: dead[0] });
    expect(error?.hint).toContain(words);
    for (const name of dead) expect(error?.message).toContain(name);
    expect(existsSync(`${recordings}.manifest`)).toBe(false);
  });
});

function unreached(unreachableSince: string, more: object = {}): ClusterFacts {
  const { nodes } = facts;
  return { ...facts, nodes: { ...nodes, [worker]: { ...nodes[worker], ...more, unreachableSince } } };
}

/** It listens on the loopback from now on. */
async function portOf(listener: Server): Promise<number> {
  await new Promise((listening) => listener.listen(0, '127.0.0.1', () => listening(undefined)));
  const address = listener.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
