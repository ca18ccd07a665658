/** Scripts for data disks, UDP roles and host firewalls, where no real disk or kernel is needed to judge them. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { factLines, readMachineFacts } from '#domain/observed/machine-facts.ts';
import { needAnsible, render } from './playbook.ts';
import { scriptDirectory, scriptOf } from './script-directory.ts';

const { calls, environment, place, program, run } = scriptDirectory();

describe('clock', () => {
  test('a machine reports what its clock said at the start and at the end of its first visit', () => {
    const began = Math.floor(Date.now() / 1000);
    const { status, stdout } = run('clock.sh', { KUBELOOM_BEGAN: `${began}` });
    expect(status).toBe(0);
    const { facts } = readMachineFacts(factLines(stdout.split('\n')));
    expect(facts?.clock?.from).toBe(began);
    expect(facts?.clock?.to).toBeGreaterThanOrEqual(began);
  });
});

describe('data disk', () => {
  const data = (device: string) =>
    run('data-disk.sh', { KUBELOOM_DATA_DEVICE: device, KUBELOOM_DATA_PLACE: place('data'), KUBELOOM_DATA_WAIT: '3' });

  test('a node without a data disk gets a plain directory', () => {
    expect(data('')).toMatchObject({ status: 0, stdout: `changed: made ${place('data')}\n` });
    expect(data('')).toMatchObject({ status: 0, stdout: '' });
  });

  test('a data disk that never appears is waited for, then reported in a sentence', () => {
    program('dpkg-query', 'echo installed');
    program('sleep');
    const result = data(`${place('by-id')}/*vol42*`);
    expect(result).toMatchObject({
      status: 1,
      stderr: `the data disk ${place('by-id')}/*vol42* is not there after 3 s\n`,
    });
    expect(calls().match(/sleep 1/g)).toHaveLength(3);
  });
});

describe('a data disk that its cloud made larger', () => {
  const gib = 1024 ** 3;
  const grow = (size: number, bytes: number) => {
    program('blockdev', `echo ${bytes}`);
    program('stat', 'echo 1');
    for (const name of ['sleep', 'xfs_growfs']) program(name);
    const given = { KUBELOOM_DATA_GB: `${size}`, KUBELOOM_DATA_WAIT: '2' };
    return run('grow-disk.sh', { disk: '/dev/vdb', place: place('data'), ...given });
  };

  test('the file system is not grown before the machine sees a disk of the new size, in units of 1024³ bytes', () => {
    expect(grow(1050, 1000 * gib)).toMatchObject({
      status: 1,
      stderr: 'the machine does not see that /dev/vdb has 1050 GB now\n',
    });
    expect(calls().match(/sleep 1/g)).toHaveLength(2);
    expect(calls()).not.toContain('xfs_growfs');
  });

  test('the file system is grown at once where the machine sees the disk of the new size', () => {
    expect(grow(1050, 1050 * gib)).toMatchObject({ status: 0 });
    expect(calls()).toContain('xfs_growfs -d');
    expect(calls()).not.toContain('sleep');
  });
});

describe('UDP roles', () => {
  const targets = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'];
  /** One look of the balancer, with pings that only these answer; the table that the kernel gets. */
  function look(answering: readonly string[], roles = `53 30053 spread ${targets.join(' ')}`): string {
    writeFileSync(place('roles'), `${roles}\n`);
    program('ping', `case " ${answering.join(' ')} " in *" \${@: -1} "*) ;; *) exit 1;; esac`);
    program('nft', `[ "$1" != -f ] || cat >${place('table')}`);
    program('conntrack');
    const text = scriptOf('udp-balancer.sh')
      .replace('roles=/etc/kubeloom/udp-roles', `roles=${place('roles')}`)
      .replace('state=/run/kubeloom-udp', `state=${place('state')}`);
    const env = environment();
    expect(spawnSync('bash', ['-s', 'once'], { input: text, encoding: 'utf8', env }).status).toBe(0);
    return readFileSync(place('table'), 'utf8').match(/udp dport.*/)?.[0] ?? '';
  }
  const slots = (line: string) => [...line.matchAll(/\d+ : (10[.\d]+)/g)].map((match) => match[1] ?? '');

  test('a target that does not answer gets no new flow, and its old ones are ended', () => {
    expect(look(targets)).toBe(
      'udp dport 53 dnat to numgen inc mod 4 map { 0 : 10.0.0.1, 1 : 10.0.0.2, 2 : 10.0.0.3, 3 : 10.0.0.4 } : 30053',
    );
    expect(calls()).not.toContain('conntrack');
    expect(slots(look(['10.0.0.1', '10.0.0.4']))).toEqual(['10.0.0.1', '10.0.0.4']);
    expect(calls().match(/conntrack .*/g)).toEqual([
      'conntrack -D -p udp --orig-port-dst 53 --reply-src 10.0.0.2',
      'conntrack -D -p udp --orig-port-dst 53 --reply-src 10.0.0.3',
    ]);
  });

  test('targets that all do not answer are all tried', () => {
    expect(slots(look([]))).toEqual(targets);
  });

  test('the table of the kernel is not replaced while the same targets answer', () => {
    look(targets);
    look(targets);
    expect(calls().match(/nft -f/g)).toHaveLength(1);
  });

  test('sticky clients are spread, and move only when their target goes', () => {
    const sticky = (...some: readonly string[]) => slots(look(some, `53 30053 sticky ${some.join(' ')}`));
    const before = sticky(...targets);
    const after = sticky('10.0.0.2', '10.0.0.4');
    for (const target of targets) expect(before.filter((one) => one === target).length).toBeGreaterThan(32);
    const moved = before.filter((target, slot) => ['10.0.0.2', '10.0.0.4'].includes(target) && after[slot] !== target);
    expect(moved).toEqual([]);
  });
});

describe('host firewall', () => {
  const rules = {
    ssh_port: 22,
    wireguard_port: 51820,
    tcp: [443, 80],
    udp: [53],
    peers: [],
    admin: [],
    pod_devices: ['cali*'],
  };
  const nft = async (change: object = {}) => {
    const inventory = { all: { hosts: { node: { kubeloom_firewall: { ...rules, ...change } } } } };
    return (await render('firewall.nft.j2', inventory)).node ?? '';
  };
  const sets = (text: string) =>
    Object.fromEntries(
      [...text.matchAll(/set (\w+) \{[^}]*?(?:elements = \{ ([^}]*) \})?\s*\n {2}\}/g)].map((match) => [
        match[1],
        match[2],
      ]),
    );

  test('the firewall opens SSH to administrators and nodes, WireGuard to nodes, role ports to all', async () => {
    needAnsible();
    const text = await nft({ peers: ['198.51.100.1/32'], admin: ['203.0.113.0/24'] });
    expect(sets(text)).toEqual({ peers: '198.51.100.1/32', ssh: '198.51.100.1/32, 203.0.113.0/24' });
    expect(text.match(/^ {4}.*dport (22|51820|\{).*accept$/gm)?.map((line) => line.trim())).toEqual([
      'ip saddr @ssh tcp dport 22 accept',
      'ip saddr @peers udp dport 51820 accept',
      'tcp dport { 80, 443 } accept',
      'udp dport { 53 } accept',
    ]);
    expect(text.match(/iifname .*/g)).toEqual([
      'iifname "lo" accept',
      'iifname "wg0" accept',
      'iifname "cali*" accept',
    ]);
    expect(text).toContain('policy drop');
    expect(text).not.toContain('10250 ');
  });

  test('the firewall has no rule for missing roles, and no address set when all addresses are allowed', async () => {
    const text = await nft({ tcp: [], udp: [], admin: ['0.0.0.0/0'] });
    expect(sets(text)).toEqual({ peers: undefined });
    expect(text).toMatch(/^ {4}tcp dport 22 accept$/m);
    expect(text).not.toMatch(/dport \{/);
  });

  test('the firewall opens WireGuard but not SSH to all addresses when a node has no known address', async () => {
    const text = await nft({ peers: ['0.0.0.0/0', '198.51.100.1/32'], admin: ['203.0.113.0/24'] });
    expect(sets(text)).toEqual({ ssh: '198.51.100.1/32, 203.0.113.0/24' });
    expect(text).toMatch(/^ {4}ip saddr @ssh tcp dport 22 accept$/m);
    expect(text).toMatch(/^ {4}udp dport 51820 accept$/m);
  });

  const set = (admitted: string, client: string) => {
    program('dpkg-query', 'echo installed');
    program('nft', 'exit 1');
    return run('firewall.sh', {
      KUBELOOM_FIREWALL: '',
      KUBELOOM_ADMITTED: admitted,
      SSH_CONNECTION: `${client} 5000 198.51.100.1 22`,
    });
  };

  test.each([
    ['203.0.113.0/24', '203.0.114.1'],
    ['203.0.113.7/32 10.0.0.0/8', '203.0.113.8'],
    ['', '203.0.113.8'],
    ['203.0.113.0/24', '2001:db8::7'],
  ])('the firewall is not applied when SSH would be open to "%s" and Kubeloom comes from %s', (admitted, client) => {
    const result = set(admitted, client);
    expect(result).toMatchObject({ status: 1, stdout: '' });
    expect(result.stderr).toContain(`Kubeloom comes from ${client}, and KUBELOOM_RUNNER_CIDRS does not have`);
    expect(calls()).toBe('');
  });
});
