/** The stand-in for KubeOne and load balancers on real hosts: what the demo shows, in small. */
import { execFile, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { BalancedRole } from '#rendering/balancer-files.ts';
import { clusterRefusals, unreachable } from '#test/kubernetes/kubeone-contract.ts';
import { kubeoneHost } from '../kubernetes/kubeone-fleet-manifest.ts';
import { eventually, isRoot, type Outcome, outcomeOf } from './host-workshop.ts';
import { NodesFleet } from './nodes-fleet.ts';

const kubeone = join(import.meta.dirname, '../../local/kubeone/bin/kubeone');
const fleet = new NodesFleet([
  { name: 'control-1', kind: 'control', provider: 'north' },
  { name: 'control-2', kind: 'control', provider: 'south' },
  { name: 'worker-1', kind: 'compute', provider: 'north' },
  { name: 'worker-2', kind: 'compute', provider: 'south' },
  { name: 'lb', kind: 'loadbalancers', provider: 'north' },
]);
const all = fleet.nodes.map(({ name }) => name);
const target = (name: string) => ({ name, address: fleet.privateAddress(name) });
const roles = (controls: readonly string[], workers: readonly string[]): readonly BalancedRole[] => [
  {
    name: 'api',
    protocol: 'tcp',
    port: 6443,
    targetPort: 6443,
    proxyProtocol: true,
    stickySessions: false,
    targets: controls.map(target),
  },
  {
    name: 'shop',
    protocol: 'tcp',
    port: 80,
    targetPort: 30080,
    proxyProtocol: true,
    stickySessions: false,
    targets: workers.map(target),
  },
  {
    name: 'names',
    protocol: 'udp',
    port: 53,
    targetPort: 30053,
    proxyProtocol: false,
    stickySessions: false,
    targets: workers.map(target),
  },
];

describe.runIf(isRoot)('a simulated cluster with a load balancer', () => {
  beforeAll(async () => {
    await fleet.start();
    expect((await fleet.play('configure', { install: all })).troubles).toEqual([]);
    const balanced = await fleet.play('load-balancers', {
      balance: ['lb'],
      roles: roles(['control-1'], ['worker-1', 'worker-2']),
    });
    expect(balanced.troubles).toEqual([]);
    const applied = await apply('1.34.1', ['control-1'], ['worker-1', 'worker-2']);
    expect(applied.stderr).toContain('simulated control plane');
    expect(applied.code).toBe(0);
  });
  afterAll(() => fleet.stop());

  test('a cluster answers kubectl through the load balancer', async () => {
    expect(await nodes()).toEqual({
      'control-1': 'Ready v1.34.1',
      'worker-1': 'Ready v1.34.1',
      'worker-2': 'Ready v1.34.1',
    });
  });

  test('a second kubeone apply changes nothing', async () => {
    const started = await fleet.ssh('worker-1', 'systemctl show kubelet -p ExecMainStartTimestampMonotonic');
    const again = await apply('1.34.1', ['control-1'], ['worker-1', 'worker-2']);
    expect(again.code).toBe(0);
    expect(again.stderr).not.toContain('Started');
    expect(await fleet.ssh('worker-1', 'systemctl show kubelet -p ExecMainStartTimestampMonotonic')).toBe(started);
  });

  test('an application is balanced over all targets, with the PROXY protocol in between', async () => {
    await eventually('both workers answer', async () => {
      const answers = new Set([await knock(), await knock()]);
      return answers.has('worker-1') && answers.has('worker-2');
    });
  });

  test('a load balancer sends UDP to the targets', async () => {
    const receiver =
      'python3 -c \'import socket; s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM); s.bind(("",30053)); s.settimeout(120); d,a=s.recvfrom(99); s.sendto(b"pong "+d,a)\'';
    const receiving = ['worker-1', 'worker-2'].map((name) => fleet.ssh(name, receiver).catch(() => ''));
    await eventually('both receivers listen', async () => {
      const open = await Promise.all(
        ['worker-1', 'worker-2'].map((name) => fleet.ssh(name, 'ss -lun sport = :30053 | wc -l')),
      );
      return open.every((count) => count === '2');
    });
    const ask = `python3 -c 'import socket
for i in range(2):
 s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM); s.settimeout(60); s.sendto(b"ping",("${fleet.address('lb')}",53)); print(s.recv(99).decode())'`;
    expect(await fleet.ssh('control-2', ask)).toBe('pong ping\npong ping');
    await Promise.all(receiving);
  });

  test('a second run of the load balancer script reports no change, and refused roles keep the old ones', async () => {
    const same = { balance: ['lb'], roles: roles(['control-1'], ['worker-1', 'worker-2']) };
    expect((await fleet.play('load-balancers', same)).changed).toEqual({});
    const [api] = roles(['control-1'], []);
    const twice = api ? [api, { ...api, port: 70000, name: 'broken' }] : [];
    const refused = await fleet.play('load-balancers', { balance: ['lb'], roles: twice });
    expect(refused.code).toBe(2);
    expect(refused.troubles[0]?.message).toContain('haproxy refuses the configuration, the old one stays in force');
    expect(await knock()).toMatch(/^worker-/);
    await fleet.play('load-balancers', same);
  });

  test('a downgrade, a skipped minor version, a join together with an upgrade and unreachable hosts are refused', async () => {
    expect((await apply('1.33.0', ['control-1'], ['worker-1', 'worker-2'])).stderr).toContain('version constraint');
    const { downgrade, joinAndUpgrade } = clusterRefusals;
    const older = await apply('1.34.0', ['control-1'], ['worker-1', 'worker-2']);
    expect([older.code, older.stderr]).toEqual([downgrade.code, expect.stringContaining(downgrade.words)]);
    const both = await apply('1.35.0', ['control-1', 'control-2'], ['worker-1', 'worker-2']);
    expect([both.code, both.stderr]).toEqual([joinAndUpgrade.code, expect.stringContaining(joinAndUpgrade.words)]);
    expect((await apply('1.36.0', ['control-1'], ['worker-1', 'worker-2'])).stderr).toContain(
      'can be only 1 minor version older',
    );
    await fleet.power('kill', 'control-2');
    const broken = await apply('1.34.1', ['control-1', 'control-2'], ['worker-1', 'worker-2']);
    await fleet.power('start', 'control-2');
    expect(broken.code).toBe(10);
    expect(broken.stderr).toMatch(unreachable(`${fleet.address('control-2')}:22`));
    expect(broken.stderr).toContain('failed to connect to control-2');
  });

  test('a cluster is upgraded by one minor version', async () => {
    expect((await apply('1.35.0', ['control-1'], ['worker-1', 'worker-2'])).code).toBe(0);
    expect(await nodes()).toEqual({
      'control-1': 'Ready v1.35.0',
      'worker-1': 'Ready v1.35.0',
      'worker-2': 'Ready v1.35.0',
    });
  });

  test('a cluster keeps everything when a control-plane node joins and the first one leaves', async () => {
    expect((await apply('1.35.0', ['control-1', 'control-2'], ['worker-1', 'worker-2'])).code).toBe(0);
    await fleet.play('load-balancers', {
      balance: ['lb'],
      roles: roles(['control-1', 'control-2'], ['worker-1', 'worker-2']),
    });
    await kubectl('label', 'node', 'worker-1', 'example.com/kept=yes');
    await kubectl('delete', 'node', 'control-1');
    await fleet.power('kill', 'control-1');
    const rest = { balance: ['lb'], roles: roles(['control-2'], ['worker-1', 'worker-2']) };
    expect((await fleet.play('load-balancers', rest)).code).toBe(0);
    expect(await kubectl('get', 'nodes', '-l', 'example.com/kept=yes', '-o', 'name')).toBe('node/worker-1\n');
    expect(Object.keys(await nodes())).toEqual(['control-2', 'worker-1', 'worker-2']);
    expect((await apply('1.35.0', ['control-2'], ['worker-1', 'worker-2'])).code).toBe(0);
  });

  test('a dead node is NotReady, and Ready when it is back', async () => {
    await fleet.power('kill', 'worker-2');
    await eventually('worker-2 is NotReady', async () => (await nodes())['worker-2'] === 'NotReady v1.35.0');
    await fleet.power('start', 'worker-2');
    await eventually('worker-2 is Ready', async () => (await nodes())['worker-2'] === 'Ready v1.35.0');
  });

  test('a reset removes the cluster, to the last unit', async () => {
    const { code } = await run('reset', manifest('1.35.0', ['control-2'], ['worker-1', 'worker-2']));
    expect(code).toBe(0);
    expect(
      await fleet.ssh('worker-1', 'ls -d /etc/kubernetes /usr/local/bin/kubeadm 2>/dev/null; pgrep -c node || true'),
    ).toBe('0');
  });
});

function manifest(version: string, controls: readonly string[], workers: readonly string[]): object {
  const host = kubeoneHost(fleet);
  return {
    apiVersion: 'kubeone.k8c.io/v1beta2',
    kind: 'KubeOneCluster',
    name: 'shop',
    versions: { kubernetes: version },
    cloudProvider: { none: {} },
    apiEndpoint: { host: fleet.address('lb'), port: 6443, alternativeNames: ['api.shop.example'] },
    controlPlane: { hosts: controls.map(host) },
    staticWorkers: { hosts: workers.map(host) },
  };
}

function apply(version: string, controls: readonly string[], workers: readonly string[]): Promise<Outcome> {
  return run('apply', manifest(version, controls, workers));
}

function run(command: string, document: object): Promise<Outcome> {
  writeFileSync(join(fleet.directory, 'kubeone.yaml'), stringify(document));
  return outcomeOf(spawn(kubeone, [command, '-m', 'kubeone.yaml', '-y'], { cwd: fleet.directory }));
}

function kubectl(...args: readonly string[]): Promise<string> {
  const kubeconfig = join(fleet.directory, 'shop-kubeconfig');
  expect(readFileSync(kubeconfig, 'utf8')).toContain(`server: https://${fleet.address('lb')}:6443`);
  const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: fleet.directory };
  return new Promise((resolve, reject) => {
    execFile('/usr/bin/kubectl', ['--request-timeout=10s', ...args], { env }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(stderr));
    });
  });
}

async function nodes(): Promise<Record<string, string>> {
  const lines = (await kubectl('get', 'nodes', '--no-headers')).trim().split('\n');
  return Object.fromEntries(
    lines.map((line) => {
      const [name, status, , , version] = line.split(/\s+/);
      return [name, `${status} ${version}`];
    }),
  );
}

/** Which node answers for the application. */
function knock(): Promise<string> {
  return new Promise((resolve) => {
    const call = request({ host: fleet.address('lb'), port: 80, timeout: 3000 }, (response) => {
      let text = '';
      response.on('data', (part: Buffer) => {
        text += part;
      });
      response.on('end', () => resolve(text.trim()));
    });
    call.on('error', (error) => resolve(error.message)).end();
  });
}
