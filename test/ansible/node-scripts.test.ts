/** Scripts for data disks and host firewalls, where no real disk or kernel is needed to judge them. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { needAnsible, render, templates } from './playbook.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'node-scripts-'));
  mkdirSync(join(directory, 'bin'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const file = (name: string) => readFileSync(join(templates, 'files', name), 'utf8');

/** A program that notes its call, and says and does what is given. */
function program(name: string, text = ''): void {
  const path = join(directory, 'bin', name);
  writeFileSync(path, `#!/bin/bash\necho "${name} $*" >>${directory}/calls\n${text}\n`);
  chmodSync(path, 0o755);
}
const calls = () => (existsSync(join(directory, 'calls')) ? readFileSync(join(directory, 'calls'), 'utf8') : '');

function run(script: string, environment: Readonly<Record<string, string>>) {
  const env = { PATH: `${join(directory, 'bin')}:${process.env.PATH}`, ...environment };
  return spawnSync('bash', [], { input: `${file('common.sh')}\n${file(script)}`, encoding: 'utf8', env });
}

describe('data disk', () => {
  const place = () => join(directory, 'data');
  const data = (device: string) =>
    run('data-disk.sh', { KUBELOOM_DATA_DEVICE: device, KUBELOOM_DATA_PLACE: place(), KUBELOOM_DATA_WAIT: '3' });

  test('a node without a data disk gets a plain directory', () => {
    expect(data('')).toMatchObject({ status: 0, stdout: `changed: made ${place()}\n` });
    expect(data('')).toMatchObject({ status: 0, stdout: '' });
  });

  test('a data disk that never appears is waited for, then reported in a sentence', () => {
    program('dpkg-query', 'echo installed');
    program('sleep');
    const result = data(`${directory}/by-id/*vol42*`);
    expect(result).toMatchObject({
      status: 1,
      stderr: `the data disk ${directory}/by-id/*vol42* is not there after 3 s\n`,
    });
    expect(calls().match(/sleep 1/g)).toHaveLength(3);
  });
});

describe('host firewall', () => {
  const rules = { ssh_port: 22, wireguard_port: 51820, tcp: [443, 80], udp: [53], peers: [], admin: [] };
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
    expect(text).toContain('policy drop');
    expect(text).not.toContain('10250 ');
  });

  test('the firewall has no rule for missing roles, and no address set when all are let in', async () => {
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
