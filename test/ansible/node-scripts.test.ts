/** Scripts for data disks and host firewalls, where no real disk or kernel is needed to judge them. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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
  return spawnSync('bash', [], {
    input: `${file('common.sh')}\n${file('packages.sh')}\n${file(script)}`,
    encoding: 'utf8',
    env,
  });
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

describe('a data disk that its cloud made larger', () => {
  const gib = 1024 ** 3;
  const grow = (size: number, bytes: number) => {
    program('blockdev', `echo ${bytes}`);
    program('stat', 'echo 1');
    for (const name of ['sleep', 'xfs_growfs']) program(name);
    const given = { KUBELOOM_DATA_GB: `${size}`, KUBELOOM_DATA_WAIT: '2' };
    return run('grow-disk.sh', { disk: '/dev/vdb', place: join(directory, 'data'), ...given });
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

describe('installation proxy', () => {
  const proxy = 'http://proxy.example:8880';
  const place = (path: string) => join(directory, path);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(place(path)), { recursive: true });
    writeFileSync(place(path), text);
  };
  const files = () =>
    readdirSync(place('etc'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
      .sort();
  /** What KubeOne 1.10 to 1.14 writes with a proxy in its manifest, and a kubelet and a containerd that were started with it. */
  function writtenByKubeOne(): void {
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy'].map((name) => `${name}="${proxy}"`);
    const lines = [...names, 'NO_PROXY="10.0.0.1"', 'no_proxy="10.0.0.1"'];
    write('etc/environment', `${readFileSync(place('etc/environment'), 'utf8')}${lines.join('#kubeone\n')}#kubeone\n`);
    write('etc/kubeone/proxy-env', `${lines.join('\n')}\nexport HTTP_PROXY\n`);
    write('etc/apt/apt.conf.d/proxy.conf', `Acquire::https::Proxy "${proxy}";\nAcquire::http::Proxy "${proxy}";\n`);
    for (const service of ['docker', 'containerd', 'kubelet']) {
      write(`etc/systemd/system/${service}.service.d/http-proxy.conf`, '[Service]\nEnvironmentFile=/etc/environment\n');
    }
    runningWith(`HTTP_PROXY=${proxy}#kubeone\0no_proxy=10.0.0.1#kubeone\0`);
  }
  const runningWith = (environment: string) => write('proc/77/environ', `HOME=/root\0${environment}`);

  function set(endpoint: string, noProxy = '', more: Readonly<Record<string, string>> = {}): string {
    program('systemctl', 'case "$*" in *" docker") exit 3;; show*) echo 77;; esac');
    const script = file('proxy.sh').replaceAll('/proc/', `${directory}/proc/`);
    // Not where it is the text of a unit.
    const moved = script.replaceAll(/(?<!EnvironmentFile=-?)\/etc\//g, `${directory}/etc/`);
    const env = { PATH: `${join(directory, 'bin')}:${process.env.PATH}` };
    const given = Object.entries({ KUBELOOM_PROXY: endpoint, KUBELOOM_NO_PROXY: noProxy, ...more });
    const input = [...given.map(([name, value]) => `${name}='${value}'`), file('common.sh'), moved].join('\n');
    rmSync(place('calls'), { force: true });
    const result = spawnSync('bash', [], { input, encoding: 'utf8', env });
    expect(result).toMatchObject({ status: 0, stderr: '' });
    return result.stdout;
  }
  const restarts = () => calls().match(/restart .*/g) ?? [];
  const mine = 'LANG="C.UTF-8"\n';
  beforeEach(() => {
    write('etc/environment', mine);
    runningWith('');
  });

  test('a proxy that is turned off leaves nothing of what KubeOne wrote, and services run without it', () => {
    set(proxy, '10.0.0.1');
    writtenByKubeOne();
    set('');
    expect(restarts()).toEqual(['restart kubelet', 'restart containerd']);
    expect(readFileSync(place('etc/environment'), 'utf8')).toBe(mine);
    expect(readFileSync(place('etc/kubeone/proxy-env'), 'utf8')).toBe('');
    expect(files()).toEqual(['etc/environment', 'etc/kubeone/proxy-env']);
    runningWith('');
    expect(set('')).toBe('');
    expect(restarts()).toEqual([]);
  });

  test('files of the same names that a user wrote stay when the proxy is turned off', () => {
    const own = {
      'etc/apt/apt.conf.d/proxy.conf': 'Acquire::http::Proxy "http://mine.example:3128";\n',
      'etc/systemd/system/docker.service.d/http-proxy.conf':
        '[Service]\nEnvironment=HTTP_PROXY=http://mine.example:3128\n',
    };
    set(proxy);
    for (const [path, text] of Object.entries(own)) write(path, text);
    runningWith('HTTP_PROXY=http://mine.example:3128\0');
    set('');
    expect(restarts()).toEqual([]);
    for (const [path, text] of Object.entries(own)) expect(readFileSync(place(path), 'utf8')).toBe(text);
  });

  test('services are restarted when their proxy is another one, and not because KubeOne wrote the same', () => {
    set(proxy, '10.0.0.1');
    expect(restarts()).toEqual(['restart kubelet', 'restart containerd']);
    const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].map((name) => `${name}=${proxy}`);
    writtenByKubeOne();
    runningWith([...names, 'no_proxy=10.0.0.1', 'NO_PROXY=10.0.0.1', ''].join('\0'));
    set(proxy, '10.0.0.1');
    expect(restarts()).toEqual([]);
    set(proxy, '10.0.0.1,in.example');
    expect(restarts()).toEqual(['restart kubelet', 'restart containerd']);
  });

  test('a node that learns of new ones knows their addresses, and nothing that runs on it is restarted', () => {
    set(proxy, '10.0.0.1');
    expect(set(proxy, '10.0.0.1,198.51.100.7', { KUBELOOM_PROXY_SERVICES: 'keep' })).toContain('etc/environment');
    expect(restarts()).toEqual([]);
    for (const path of ['etc/environment', 'etc/kubeloom/proxy.env']) {
      expect(readFileSync(place(path), 'utf8')).toContain('no_proxy="10.0.0.1,198.51.100.7"');
    }
  });
});

describe('UDP roles', () => {
  const targets = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'];
  /** One look of the balancer, with pings that only these answer; the table that the kernel gets. */
  function look(answering: readonly string[], roles = `53 30053 spread ${targets.join(' ')}`): string {
    writeFileSync(join(directory, 'roles'), `${roles}\n`);
    program('ping', `case " ${answering.join(' ')} " in *" \${@: -1} "*) ;; *) exit 1;; esac`);
    program('nft', `[ "$1" != -f ] || cat >${directory}/table`);
    program('conntrack');
    const text = file('udp-balancer.sh')
      .replace('roles=/etc/kubeloom/udp-roles', `roles=${directory}/roles`)
      .replace('state=/run/kubeloom-udp', `state=${directory}/state`);
    const env = { PATH: `${join(directory, 'bin')}:${process.env.PATH}` };
    expect(spawnSync('bash', ['-s', 'once'], { input: text, encoding: 'utf8', env }).status).toBe(0);
    return readFileSync(join(directory, 'table'), 'utf8').match(/udp dport.*/)?.[0] ?? '';
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
