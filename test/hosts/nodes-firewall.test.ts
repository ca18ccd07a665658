/** Nodes whose cloud has no firewall keep one: on real hosts, what it stops, what it lets through, what brings it back. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BalancedRole } from '#rendering/balancer-files.ts';
import { eventually, isRoot } from './host-workshop.ts';
import { NodesFleet, type PlaybookRun, type Work } from './nodes-fleet.ts';

const fleet = new NodesFleet([
  { name: 'control', kind: 'control', provider: 'north' },
  { name: 'worker', kind: 'compute', provider: 'south' },
  { name: 'lb', kind: 'loadbalancers', provider: 'north' },
]);
const all = fleet.nodes.map(({ name }) => name);
/** A server that listens on every address of the node. */
const port = 8080;

interface Rules {
  readonly tcp?: readonly number[];
  readonly peers?: readonly string[];
  readonly admin?: readonly string[];
}

/** This machine as each node sees it. */
const runners = new Set<string>();
const firewall = ({ tcp = [], peers, admin = [...runners].map((address) => `${address}/32`) }: Rules = {}) => ({
  kubeloom_firewall: {
    ssh_port: 22,
    wireguard_port: 51820,
    tcp,
    udp: [],
    peers: peers ?? all.map((name) => `${fleet.address(name)}/32`),
    admin,
    pod_devices: ['lxc*'],
  },
});
const everywhere = (rules: Rules = {}): Work => ({
  variables: Object.fromEntries(all.map((name) => [name, firewall(rules)])),
});
const table = (name: string) => fleet.ssh(name, 'nft list table inet kubeloom');
/** From this machine, which is not part of the cluster. */
const isOpen = (name: string, target: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: fleet.address(name), port: target, timeout: 1500 });
    const end = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });

describe.runIf(isRoot)('nodes that keep their own firewall', () => {
  let first: PlaybookRun;

  beforeAll(async () => {
    await fleet.start();
    for (const name of all) {
      runners.add(await fleet.ssh(name, 'echo ${SSH_CONNECTION%% *}'));
      await fleet.ssh(name, `systemd-run --quiet python3 -m http.server ${port}`);
      await eventually(`the server of ${name} answers`, () => isOpen(name, port));
    }
    first = await fleet.play('configure', { install: all, ...everywhere() });
  });
  afterAll(() => fleet.stop());

  test('nodes refuse strangers, except on SSH', async () => {
    expect(first.troubles).toEqual([]);
    for (const name of all) {
      expect(first.changed[name]).toContain('the firewall is in force');
      expect(await isOpen(name, port)).toBe(false);
      expect(await isOpen(name, 22)).toBe(true);
    }
  });

  test('nodes reach each other over WireGuard on every port', async () => {
    const reports = await fleet.verify(all);
    for (const name of all) expect(Object.values(reports[name]?.mesh ?? {})).toEqual([true, true]);
    const ask = (address: string) =>
      fleet.ssh('worker', `curl -s -o /dev/null -m 2 -w '%{http_code}' http://${address}:${port}/ || true`);
    expect(await ask(fleet.privateAddress('control'))).toBe('200');
    expect(await ask(fleet.address('control'))).toBe('000');
  });

  test('a second run of the firewall script reports no change', async () => {
    expect((await fleet.play('configure', { install: all, ...everywhere() })).changed).toEqual({});
    expect((await fleet.play('configure', { peers: all, ...everywhere() })).changed).toEqual({});
  });

  test('nodes open the ports of roles when they change, and close them again', async () => {
    const roles: readonly BalancedRole[] = [
      {
        name: 'web',
        protocol: 'tcp',
        port: 9443,
        targetPort: port,
        proxyProtocol: false,
        stickySessions: false,
        targets: [{ name: 'worker', address: fleet.privateAddress('worker') }],
      },
    ];
    const opened = await fleet.play('load-balancers', {
      balance: ['lb'],
      roles,
      variables: { lb: firewall({ tcp: [9443] }) },
    });
    expect(opened.changed.lb).toContain('the firewall is in force');
    await eventually('the role answers', () => isOpen('lb', 9443));
    await fleet.play('load-balancers', { balance: ['lb'], variables: { lb: firewall() } });
    expect(await isOpen('lb', 9443)).toBe(false);
  });

  test('nodes accept connections only from nodes of the mesh', async () => {
    const staying = [`${fleet.address('control')}/32`, `${fleet.address('worker')}/32`];
    const shrunk = await fleet.play('configure', {
      mesh: ['control', 'worker'],
      peers: ['control', 'worker'],
      ...everywhere({ peers: staying }),
    });
    expect(Object.keys(shrunk.changed).sort()).toEqual(['control', 'worker']);
    expect(await table('control')).not.toContain(fleet.address('lb'));
    await fleet.play('configure', { install: all, ...everywhere() });
    expect(await table('control')).toContain(fleet.address('lb'));
  });

  test('a firewall that drifted is repaired, and only its node reports a change', async () => {
    await fleet.ssh('worker', `nft insert rule inet kubeloom input tcp dport ${port} accept`);
    await fleet.ssh('lb', 'nft delete table inet kubeloom');
    const healed = await fleet.play('configure', { peers: all, ...everywhere() });
    expect(healed.changed).toEqual({ worker: ['the firewall is in force'], lb: ['the firewall is in force'] });
    expect(await isOpen('lb', port)).toBe(false);
  });

  test('a firewall is in force when its node starts, and needs no change then', async () => {
    await fleet.power('kill', 'worker');
    await fleet.power('start', 'worker');
    expect(await table('worker')).toContain('policy drop');
    expect(
      (await fleet.play('configure', { install: ['worker'], peers: ['control', 'lb'], ...everywhere() })).changed,
    ).toEqual({});
  });

  test('a firewall that would shut the runner out is refused, and the old one stays', async () => {
    const before = await table('control');
    const strangers = everywhere({ admin: ['203.0.113.0/24'] });
    const refused = await fleet.play('configure', { peers: ['control'], mesh: ['control'], ...strangers });
    expect(refused.code).toBe(2);
    expect(refused.troubles[0]?.message).toMatch(
      /Kubeloom comes from [0-9.]+, and KUBELOOM_RUNNER_CIDRS does not have that address/,
    );
    expect(await table('control')).toBe(before);
    expect(await fleet.ssh('control', 'hostname')).toBe('control');
  });

  test('nodes open SSH and WireGuard to all addresses when configured to', async () => {
    const open = everywhere({ admin: ['0.0.0.0/0'], peers: ['0.0.0.0/0', '198.51.100.1/32'] });
    expect((await fleet.play('configure', { peers: all, ...open })).code).toBe(0);
    expect(await table('control')).toMatch(/^\s+udp dport 51820 accept$/m);
  });
});
