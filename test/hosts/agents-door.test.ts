/** The way from hosts to the door of agents on the loopback of the machine: it leads to that one port, and leaves with its site. */
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HostWorkshop, isRoot } from './host-workshop.ts';

describe.runIf(isRoot)('the way to the door of agents', () => {
  const workshop = new HostWorkshop();
  const door = createServer((_, answer) => answer.end('the door'));
  const other = createServer((_, answer) => answer.end('another server of the loopback'));
  const moved = createServer((_, answer) => answer.end('the door of a later start'));
  const portOf = (server: typeof door): number => (server.address() as AddressInfo).port;
  const leading = (server: typeof door) => ({ KUBELOOM_HOST_AGENTS_PORT: String(portOf(server)) });
  const up = (site: string, name: string) =>
    workshop.must(['up', ...workshop.site(site), '--host', name, '--id', name, '--region', 'north'], '', leading(door));
  const ask = (host: string, url: string) =>
    workshop.ssh(
      host,
      `python3 -c 'import urllib.request; print(urllib.request.urlopen("${url}", timeout=3).read().decode())' 2>&1 | tail -1`,
    );

  beforeAll(async () => {
    for (const server of [door, other, moved])
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    for (const [site, host] of [
      ['east', 'a1'],
      ['west', 'b1'],
    ] as const) {
      await workshop.must(['site-up', ...workshop.site(site), '--region', 'north'], '', leading(door));
      await up(site, host);
    }
  });
  afterAll(async () => {
    await workshop.close();
    for (const server of [door, other, moved]) server.close();
  });

  test('hosts of every site reach the door under its address, also after a reboot', async () => {
    expect(await ask('a1', 'http://192.0.2.1:443/')).toBe('the door');
    expect(await ask('b1', 'http://192.0.2.1:443/')).toBe('the door');
    await workshop.must(['reboot', ...workshop.site('east'), '--host', 'a1']);
    expect(await ask('a1', 'http://192.0.2.1:443/')).toBe('the door');
  });

  test('hosts reach nothing else of the loopback, neither by the address of the door nor by that of the loopback itself', async () => {
    expect(await ask('a1', `http://192.0.2.1:${portOf(other)}/`)).not.toBe('another server of the loopback');
    const got: string[] = [];
    const loopback = createSocket('udp4', (message) => got.push(message.toString()));
    await new Promise<void>((resolve) => loopback.bind(0, '127.0.0.1', resolve));
    const { address, unit } = await workshop.host('a1');
    const inside = [
      'echo 1 >/proc/sys/net/ipv4/conf/eth0/route_localnet',
      ...['127.0.0.1', '127.0.0.0/8'].map((to) => `ip route del local ${to} dev lo table local`),
      `ip route add 127.0.0.1 via ${address.replace(/\d+$/, '1')} src ${address}`,
      `echo planted >/dev/udp/127.0.0.1/${loopback.address().port}`,
    ];
    execFileSync('ip', ['netns', 'exec', unit, 'bash', '-c', inside.join(' && ')]);
    // Packets of one link arrive in their order.
    expect(await ask('a1', 'http://192.0.2.1:443/')).toBe('the door');
    loopback.close();
    expect(got).toEqual([]);
  });

  test('sites lead to the port of a later start', async () => {
    await workshop.must(['doors'], '', leading(moved));
    expect(await ask('b1', 'http://192.0.2.1:443/')).toBe('the door of a later start');
  });

  test('nothing of it is left when the sites are removed', async () => {
    await workshop.must(['gc', ...workshop.site('east')]);
    expect(await ask('b1', 'http://192.0.2.1:443/')).toBe('the door of a later start');
    expect(tables()).toHaveLength(1);
    await workshop.must(['gc', '--all']);
    expect(tables()).toEqual([]);
  });

  const tables = (): readonly string[] =>
    execFileSync('nft', ['list', 'tables'])
      .toString()
      .split('\n')
      .filter((line) => line.includes(workshop.prefix));
});
