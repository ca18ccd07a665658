/** One host from its making to its end, and what the machine keeps of it: nothing. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HostWorkshop, isRoot } from './host-workshop.ts';

describe.runIf(isRoot)('a host', () => {
  const workshop = new HostWorkshop();
  const site = workshop.site('north-cloud');
  beforeAll(async () => {
    await workshop.must(['base-build']);
    await workshop.must(['site-up', ...site, '--region', 'north']);
    await workshop.must(['up', ...site, '--host', 'alpha', '--id', 'one', '--region', 'north']);
  });
  afterAll(async () => await workshop.close());

  test('a host runs its own systemd, without a failed unit, under its own name', async () => {
    expect(await workshop.ssh('alpha', 'hostname; systemctl is-system-running; ps -p 1 -o comm=')).toBe(
      'alpha\nrunning\nsystemd',
    );
  });

  test('a host records the address at which it is reached', async () => {
    const { address } = await workshop.host('alpha');
    const file = join(workshop.stateDirectory, 'sites/test/shop-abc1234/north-cloud/hosts/alpha/address.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      public_address: address,
      ssh_port: 22,
      wireguard_port: 51820,
    });
    expect(address).toMatch(/^198\.1[89]\.\d+\.\d+$/);
  });

  test('a host is not changed by a second up of the same id', async () => {
    const before = await bootId();
    await workshop.must(['up', ...site, '--host', 'alpha', '--id', 'one', '--region', 'north']);
    expect(await bootId()).toBe(before);
  });

  test('a host has a boot id of its own that stays while it runs', async () => {
    const machine = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const mine = await bootId();
    expect(mine).not.toBe(machine);
    expect(await bootId()).toBe(mine);
    await workshop.must(['up', ...site, '--host', 'beta', '--id', 'b', '--region', 'north']);
    expect(await workshop.ssh('beta', 'cat /proc/sys/kernel/random/boot_id')).not.toBe(mine);
    await workshop.must(['down', ...site, '--host', 'beta']);
  });

  test('a host keeps its files over a reboot, a power cut and a stop', async () => {
    await workshop.ssh('alpha', 'echo kept >/root/note');
    for (const power of [['reboot'], ['kill', 'start'], ['stop', 'start']]) {
      const before = await bootId();
      for (const command of power) await workshop.must([command, ...site, '--host', 'alpha']);
      expect(await workshop.ssh('alpha', 'cat /root/note')).toBe('kept');
      expect(await bootId()).not.toBe(before);
    }
  });

  test('a host brings up WireGuard by wg-quick, in user space if the kernel has none', async () => {
    await workshop.ssh(
      'alpha',
      'umask 077; printf "[Interface]\\nPrivateKey = $(wg genkey)\\nAddress = 10.99.0.1/24\\n" >/etc/wireguard/wg0.conf; wg-quick up wg0 2>/dev/null',
    );
    expect(await workshop.ssh('alpha', 'ip -br address show wg0')).toContain('10.99.0.1/24');
  });

  test('a host raises the limit of inotify instances, which the machine counts for all hosts', async () => {
    const limit = '/proc/sys/fs/inotify/max_user_instances';
    writeFileSync(limit, '8191');
    await workshop.must(['up', ...site, '--host', 'watcher', '--id', 'w', '--region', 'north']);
    expect(readFileSync(limit, 'utf8').trim()).toBe('8192');
    await workshop.must(['down', ...site, '--host', 'watcher']);
  });

  test('a host is reported as dead after a power cut', async () => {
    await workshop.must(['kill', ...site, '--host', 'alpha']);
    expect((await workshop.host('alpha')).state).toBe('dead');
    await workshop.must(['start', ...site, '--host', 'alpha']);
    expect((await workshop.host('alpha')).state).toBe('running');
  });

  test('a host has files of the machine read-only if up names them', async () => {
    const file = join(workshop.directory, 'tool');
    writeFileSync(file, 'a tool');
    await workshop.must(['up', ...site, '--host', 'gamma', '--id', 'g', '--bind-ro', `${file}:/usr/local/bin/tool`]);
    expect(await workshop.ssh('gamma', 'cat /usr/local/bin/tool; echo x >/usr/local/bin/tool || echo refused')).toBe(
      'a toolrefused',
    );
  });

  test('a host has the Node binary that the environment names', async () => {
    const node = { KUBELOOM_HOST_NODE: process.execPath };
    await workshop.must(['up', ...site, '--host', 'delta', '--id', 'd'], '', node);
    expect(await workshop.ssh('delta', 'node --version')).toBe(process.version);
  });

  test('a host is recreated under the same address for another id', async () => {
    const before = await workshop.host('alpha');
    await workshop.must(['up', ...site, '--host', 'alpha', '--id', 'two', '--region', 'north']);
    expect(await workshop.ssh('alpha', 'ls /root/note 2>/dev/null || echo gone')).toBe('gone');
    expect((await workshop.host('alpha')).address).toBe(before.address);
  });

  test('a host is not removed by a down for its predecessor', async () => {
    await workshop.must(['down', ...site, '--host', 'alpha', '--id', 'one']);
    expect((await workshop.host('alpha')).state).toBe('running');
  });

  test('a host leaves nothing behind when its site is removed', async () => {
    await workshop.must(['down', ...site, '--host', 'alpha', '--id', 'two']);
    expect((await workshop.status()).map((status) => status.host).sort()).toEqual(['delta', 'gamma']);
    await workshop.must(['site-down', ...site, '--region', 'north']);
    await workshop.must(['gc', '--installation', 'test', '--cluster', 'shop-abc1234', '--provider', 'north-cloud']);
    expect(existsSync(join(workshop.stateDirectory, 'sites/test'))).toBe(false);
    await workshop.must(['gc', '--all']);
    expect(workshop.leftovers()).toEqual([]);
  });

  async function bootId(): Promise<string> {
    return await workshop.ssh('alpha', 'cat /proc/sys/kernel/random/boot_id');
  }
});
