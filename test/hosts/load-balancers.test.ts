/** Load balancers under traffic on real hosts: what clients notice when roles, targets and machines come and go. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BalancedRole } from '#rendering/balancer-files.ts';
import { eventually, isRoot } from './host-workshop.ts';
import { NodesFleet, type PlaybookRun } from './nodes-fleet.ts';
import { apiPort, type Connection, connectWhile, knock, startTargets, targetPort, UdpFlow } from './traffic.ts';

const names = ['one', 'two', 'three', 'four'];
const fleet = new NodesFleet([
  { name: 'lb', kind: 'loadbalancers', provider: 'north' },
  ...names.map((name) => ({ name, kind: 'compute', provider: 'north' }) as const),
]);

interface More {
  readonly targets?: readonly string[];
  readonly stickySessions?: boolean;
  readonly targetPort?: number;
}

const role = (name: string, port: number, more: More = {}): BalancedRole => ({
  name,
  protocol: 'tcp',
  port,
  targetPort,
  proxyProtocol: false,
  stickySessions: false,
  ...more,
  targets: (more.targets ?? names).map((target) => ({ name: target, address: fleet.privateAddress(target) })),
});
const shop = role('shop', 8083);
const direct = (...roles: readonly BalancedRole[]): Promise<PlaybookRun> =>
  fleet.play('load-balancers', { balance: ['lb'], roles });
const failed = (connections: readonly Connection[]) => connections.filter(({ target }) => target === undefined).length;
const traffic = () => ({ host: fleet.address('lb'), port: shop.port, perSecond: 50 });

/**
 * The unit `other` connects to a target and does `then`. Returns its port on the load balancer: the kernel chooses one, since haproxy's own
 * connections use ports of the same range, and may have any that a test would name.
 */
async function useOfAPort(then: string): Promise<number> {
  const program = `import os, socket, time
s = socket.socket(); s.bind(("${fleet.privateAddress('lb')}", 0)); s.connect(("${fleet.privateAddress('one')}", ${targetPort})); s.recv(9)
print(s.getsockname()[1], flush=True)
${then}`;
  return Number(await fleet.ssh('lb', `systemd-run --quiet --scope --unit=other python3 -c '${program}'`));
}

describe.runIf(isRoot)('a load balancer with traffic', () => {
  beforeAll(async () => {
    await fleet.start();
    expect((await fleet.play('configure', { install: ['lb', ...names] })).troubles).toEqual([]);
    await startTargets(fleet, names);
    expect((await direct(shop)).troubles).toEqual([]);
  });
  afterAll(() => fleet.stop());

  test('role ports and those of Kubernetes are kept from outgoing connections', async () => {
    const reserved = 'cat /proc/sys/net/ipv4/ip_local_reserved_ports';
    expect(await fleet.ssh('lb', reserved)).toBe('8083,51820,65533-65534');
    expect(await fleet.ssh('one', reserved)).toBe('2379-2380,6443,10250-10259,51820');
  });

  test('a role is added and taken back without a failed connection', async () => {
    const connections = await connectWhile(traffic(), async () => {
      expect((await direct(shop, role('extra', 8084))).changed.lb).toContain('haproxy reloaded its roles');
      expect((await knock(fleet.address('lb'), 8084)).target).toBeDefined();
      expect((await direct(shop)).code).toBe(0);
    });
    expect(failed(connections)).toBe(0);
  });

  test('a role whose port another program uses is refused before any connection fails', async () => {
    const port = await useOfAPort('if os.fork() == 0: os.close(1); os.close(2); time.sleep(999)');
    const before = await fleet.ssh('lb', 'sha256sum /etc/haproxy/haproxy.cfg');
    let run: PlaybookRun | undefined;
    const connections = await connectWhile(traffic(), async () => {
      run = await direct(shop, role('extra', port));
    });
    await fleet.ssh('lb', 'systemctl stop other.scope');
    expect(run?.code).toBe(2);
    expect(run?.troubles[0]?.message).toMatch(
      new RegExp(`port ${port} of a role is in use on the load balancer.*"python3"`),
    );
    expect(failed(connections)).toBe(0);
    expect(await fleet.ssh('lb', 'sha256sum /etc/haproxy/haproxy.cfg')).toBe(before);
  });

  test('a reload that fails is reported in the words of haproxy, and the old configuration is back', async () => {
    const before = await fleet.ssh('lb', 'sha256sum /etc/haproxy/haproxy.cfg');
    // Its socket lingers for a minute, and belongs to no program any more.
    const port = await useOfAPort('s.close()');
    const run = await direct(shop, role('extra', port));
    expect(run.code).toBe(2);
    expect(run.troubles[0]?.message).toMatch(/the old one is in force again: .*role-extra.*Address already in use/);
    expect(await fleet.ssh('lb', 'sha256sum /etc/haproxy/haproxy.cfg; ls /etc/haproxy/*.before || true')).toBe(before);
    expect((await knock(fleet.address('lb'), shop.port)).target).toBeDefined();
    expect((await direct(shop)).code).toBe(0);
  });

  test('a load balancer whose proxy was stopped or changed is set right, and only then reports a change', async () => {
    expect((await direct(shop)).changed).toEqual({});
    await fleet.ssh('lb', 'systemctl stop haproxy');
    expect((await direct(shop)).changed).toEqual({ lb: ['started haproxy'] });
    await fleet.ssh('lb', 'sed -i "s/bind :8083/bind :8087/" /etc/haproxy/haproxy.cfg && systemctl reload haproxy');
    expect((await direct(shop)).changed.lb).toContain('haproxy reloaded its roles');
    expect((await knock(fleet.address('lb'), shop.port)).target).toBeDefined();
  });

  test('a sticky client keeps its target when others come and go', async () => {
    const sticky = { stickySessions: true };
    await direct(shop, role('sticky', 8088, sticky));
    const ask = `python3 -c 'import socket
for i in range(1, 61):
  s = socket.socket(); s.bind(("127.9.9.%d" % i, 0)); s.settimeout(9); s.connect(("127.0.0.1", 8088)); print(s.recv(99).decode().strip()); s.close()'`;
    const before = (await fleet.ssh('lb', ask)).split('\n');
    expect(new Set(before)).toEqual(new Set(names));
    const staying = ['two', 'four'];
    await direct(shop, role('sticky', 8088, { ...sticky, targets: staying }));
    const after = (await fleet.ssh('lb', ask)).split('\n');
    const moved = before.filter((target, client) => staying.includes(target) && after[client] !== target);
    expect(moved).toEqual([]);
    await direct(shop);
  });

  test('a target that loses its power costs no connection', async () => {
    const connections = await connectWhile(traffic(), async () => {
      await fleet.power('kill', 'two');
      await pause(5000);
    });
    await fleet.power('start', 'two');
    await startTargets(fleet, ['two']);
    expect(connections.length).toBeGreaterThan(50);
    expect(failed(connections)).toBe(0);
  });

  test('a connection to the Kubernetes API with unacknowledged data ends when its target loses power', async () => {
    const api = role('api', 8091, { targetPort: apiPort });
    expect((await direct(shop, api)).troubles).toEqual([]);
    const held = connect({ host: fleet.address('lb'), port: api.port }).resume();
    const [name] = await once(held, 'data');
    const target = String(name).trim();
    await fleet.power('kill', target);
    held.on('error', () => undefined).write('?');
    // Without that setting, the kernel retries for a quarter of an hour.
    await eventually('the connection is closed', () => held.destroyed, 180);
    await fleet.power('start', target);
    await startTargets(fleet, [target]);
    expect((await direct(shop)).code).toBe(0);
  });

  test('a UDP flow leaves a target that is taken out or loses its power, and no new one goes there', async () => {
    const udp = (targets?: readonly string[]): BalancedRole => ({
      ...role('names', 5353, targets && { targets }),
      protocol: 'udp',
    });
    const flows = () => Array.from({ length: 8 }, () => new UdpFlow(fleet.address('lb'), 5353));
    const ask = async (asked: readonly UdpFlow[]) => await Promise.all(asked.map((flow) => flow.ask()));
    await direct(shop, udp());
    const first = flows();
    expect(new Set(await ask(first))).toEqual(new Set(names));
    expect((await direct(shop, udp(['one', 'two']))).troubles).toEqual([]);
    expect(new Set(await ask(first))).toEqual(new Set(['one', 'two']));
    await fleet.power('kill', 'two');
    await eventually('no flow goes to two', async () => !(await ask(first)).includes(''));
    expect(new Set(await ask(first))).toEqual(new Set(['one']));
    const later = flows();
    expect(await ask(later)).toEqual(later.map(() => 'one'));
    for (const flow of [...first, ...later]) flow.close();
    await fleet.power('start', 'two');
    expect((await direct(shop)).code).toBe(0);
  });

  test('metrics of the load balancer are on its VPN address only', async () => {
    const metrics = `curl -s http://${fleet.privateAddress('lb')}:65534/metrics`;
    expect(await fleet.ssh('one', `${metrics} | grep -c '^haproxy_server_status{proxy="role-shop"' || true`)).not.toBe(
      '0',
    );
    await expect(fleet.ssh('one', `curl -sm 5 http://${fleet.address('lb')}:65534/metrics`)).rejects.toThrow();
    const ofMachine = `curl -s http://${fleet.privateAddress('lb')}:65533/metrics | grep -c '^node_load1 ' || true`;
    await eventually('the node exporter answers', async () => (await fleet.ssh('one', ofMachine)) === '1');
    await expect(fleet.ssh('one', `curl -sm 5 http://${fleet.address('lb')}:65533/metrics`)).rejects.toThrow();
  });
});
