/** Large clusters and dead nodes: what a playbook gives to ssh, and what it does when ssh reaches no one. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { balancerFiles } from '#rendering/balancer-files.ts';
import { sampled } from '#test/sampled.ts';
import { needAnsible, templates } from './playbook.ts';

/** Linux refuses a longer argument, and a longer variable of the environment ("Argument list too long"). */
const longestArgument = 131_072;

let directory: string;
beforeAll(() => {
  needAnsible();
  directory = mkdtempSync(join(tmpdir(), 'kubeloom-size-'));
  // An ssh that notes its arguments and its input.
  // The host .66 is dead.
  const dead = 'case " $* " in *" 198.18.0.66 "*) echo "Connection refused" >&2; exit 255;; esac';
  const ssh = `#!/bin/bash\n${dead}\nprintf '%s\\n' "$@" >>${directory}/arguments\ncat >${directory}/script\n`;
  writeFileSync(join(directory, 'ssh'), ssh);
  chmodSync(join(directory, 'ssh'), 0o755);
});
afterAll(() => rmSync(directory, { recursive: true }));

const address = (number: number) => `192.168.${Math.floor(number / 250)}.${(number % 250) + 1}`;
const nodes = (count: number) =>
  Array.from({ length: count }, (_, number) => ({
    name: `compute-with-a-name-1a2b3c4-${number}`,
    private_address: address(number),
    public_address: `198.18.${address(number).slice(8)}`,
    port: 51820,
    reachability: 'dynamic',
    public_key: Buffer.alloc(32, `key ${number} `).toString('base64'),
  }));
const roles = (count: number, protocol: 'tcp' | 'udp', targets: number) =>
  Array.from({ length: count }, (_, number) => ({
    name: `${protocol}-role-with-a-name-${number}`,
    protocol,
    port: 8000 + number,
    targetPort: 30_000 + number,
    proxyProtocol: false,
    stickySessions: false,
    targets: nodes(targets).map(({ name, private_address }) => ({ name, address: private_address })),
  }));

const host = nodes(1)[0]?.name ?? '';
const all = nodes(1000).map(({ public_address }) => `${public_address}/32`);
const variables = {
  kubeloom_network: '192.168.0.0/16',
  kubeloom_private_address: address(0),
  kubeloom_wireguard_port: 51820,
  kubeloom_mesh: nodes(1000),
  kubeloom_proxy: { enabled: false, endpoint: '', no_proxy: '' },
  kubeloom_balancer: balancerFiles([...roles(20, 'tcp', 80), ...roles(20, 'udp', 80)], address(0)),
  kubeloom_firewall: {
    ssh_port: 22,
    wireguard_port: 51820,
    tcp: [443],
    udp: [],
    peers: all,
    admin: all,
    pod_devices: [],
  },
};

/** What the playbook sends to the one host of the group. */
async function send(playbook: string, group: string): Promise<string> {
  expect(await play(playbook, { [group]: { [host]: '198.18.0.1' } })).toMatchObject({ code: 0 });
  return readFileSync(join(directory, 'script'), 'utf8');
}

/** A playbook on hosts by group, with their addresses. */
async function play(playbook: string, byGroup: Readonly<Record<string, Readonly<Record<string, string>>>>) {
  const groups = ['install', 'peers', 'proxy', 'balance', 'optional', 'dynamic', 'static', 'loadbalancers'];
  const hosts = Object.assign({}, ...Object.values(byGroup));
  const own = (name: string) => ({ ...variables, ansible_host: hosts[name], ansible_user: 'root' });
  const groupOf = (names: readonly string[]) => ({ hosts: Object.fromEntries(names.map((name) => [name, {}])) });
  const children = Object.fromEntries(groups.map((group) => [group, groupOf(Object.keys(byGroup[group] ?? {}))]));
  const inventory = {
    all: { hosts: Object.fromEntries(Object.keys(hosts).map((name) => [name, own(name)])), children },
  };
  writeFileSync(join(directory, 'inventory.json'), JSON.stringify(inventory));
  const env = {
    ...process.env,
    ANSIBLE_CONFIG: join(templates, 'ansible.cfg'),
    ANSIBLE_SSH_EXECUTABLE: join(directory, 'ssh'),
    ANSIBLE_SSH_RETRIES: '0',
  };
  const options = { cwd: directory, env, maxBuffer: 1e8 };
  return await new Promise<{ readonly code: unknown; readonly stdout: string }>((resolve) => {
    const args = [join(templates, playbook), '-i', 'inventory.json'];
    execFile('ansible-playbook', args, options, (error, stdout) => resolve({ code: error?.code ?? 0, stdout }));
  });
}

const large = [
  ['configure.yml', 'peers', 'KUBELOOM_PEERS'],
  ['load-balancers.yml', 'balance', 'KUBELOOM_HAPROXY'],
] as const;
test.each(sampled(large, { oneOf: 2, from: 1 }))(
  'the script of %s for 1,000 nodes and 40 roles with 80 targets is no argument and in no environment',
  async (...row) => {
    const [playbook, group, variable] = row;
    const script = await send(playbook, group);
    expect(statSync(join(directory, 'arguments')).size).toBeLessThan(longestArgument);
    expect(script).toMatch(new RegExp(`^${variable}=.{40000}`, 'm'));
    const exported = [...script.matchAll(/^export .*/gm)].map(([line]) => line.length);
    expect(Math.max(0, ...exported)).toBeLessThan(1000);
  },
);

test('a dead node that only needs a list of peers is reported and fails nothing; one that is installed fails', async () => {
  const dead = nodes(2)[1]?.name ?? '';
  const tolerated = await play('configure.yml', { peers: { [host]: '198.18.0.1', [dead]: '198.18.0.66' } });
  expect(tolerated.code).toBe(0);
  expect(tolerated.stdout).toMatch(new RegExp(`"unreachable".*"host": "${dead}".*"ignored": true`));
  expect(await play('prepare.yml', { install: { [dead]: '198.18.0.66' } })).toMatchObject({ code: 4 });
});

const withDead = [
  ['load-balancers.yml', 'balance'],
  ['configure.yml', 'proxy'],
] as const;
test.each(sampled(withDead, { oneOf: 2, from: 1 }))(
  'a dead node fails %s only if it is not optional',
  async (playbook, group) => {
    const dead = { [host]: '198.18.0.66' };
    expect(await play(playbook, { [group]: dead })).toMatchObject({ code: 4 });
    expect(await play(playbook, { [group]: dead, optional: dead })).toMatchObject({ code: 0 });
  },
);
