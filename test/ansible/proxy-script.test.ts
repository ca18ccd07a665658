/** The script that sets the installation proxy of a node, and what KubeOne wrote for it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { factLines, readMachineFacts } from '#domain/observed/machine-facts.ts';
import { scriptDirectory, scriptOf } from './script-directory.ts';

const { calls, environment, place, program } = scriptDirectory();

describe('installation proxy', () => {
  const proxy = 'http://proxy.example:8880';
  const write = (path: string, text: string) => {
    mkdirSync(dirname(place(path)), { recursive: true });
    writeFileSync(place(path), text);
  };
  const files = () =>
    readdirSync(place('etc'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(place().length + 1))
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
    rmSync(place('calls'), { force: true });
    return run('proxy.sh', { KUBELOOM_PROXY: endpoint, KUBELOOM_NO_PROXY: noProxy, ...more });
  }
  function run(name: string, given: Readonly<Record<string, string>>): string {
    const script = `${scriptOf('proxy-state.sh')}\n${scriptOf(name)}`.replaceAll('/proc/', `${place('proc')}/`);
    // Not where it is the text of a unit.
    const moved = script.replaceAll(/(?<!EnvironmentFile=-?)\/etc\//g, `${place('etc')}/`);
    const variables = Object.entries(given).map(([variable, value]) => `${variable}='${value}'`);
    const input = [...variables, scriptOf('common.sh'), moved].join('\n');
    const result = spawnSync('bash', [], { input, encoding: 'utf8', env: environment() });
    expect(result).toMatchObject({ status: 0, stderr: '' });
    return result.stdout;
  }
  /** What a check for drift finds. */
  function differing(endpoint: string, noProxy = ''): unknown {
    const before = files().map((path) => readFileSync(place(path), 'utf8'));
    const output = run('verify-proxy.sh', { KUBELOOM_PROXY: endpoint, KUBELOOM_NO_PROXY: noProxy });
    expect(files().map((path) => readFileSync(place(path), 'utf8'))).toEqual(before);
    return readMachineFacts(factLines(output.trim().split('\n'))).facts?.proxy;
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

  test('services restart when their proxy changed, and not when KubeOne wrote the same proxy again', () => {
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

  const unit = (service: string) => `etc/systemd/system/${service}.service.d/kubeloom-proxy.conf`;
  test('a check finds nothing in what the script wrote, with KubeOne’s lines, in another order of hosts, and of others', () => {
    expect(differing('')).toEqual([]);
    set(proxy, '10.0.0.1,10.0.0.2');
    expect(differing(proxy, '10.0.0.1,10.0.0.2')).toEqual([]);
    writtenByKubeOne();
    expect(differing(proxy, '10.0.0.2,10.0.0.1')).toEqual([]);
    set('');
    write('etc/apt/apt.conf.d/proxy.conf', 'Acquire::http::Proxy "http://mine.example:3128";\n');
    expect(differing('')).toEqual([]);
    rmSync(place('etc/environment'));
    expect(differing('')).toEqual([]);
  });

  test.each([
    ['apt', 'etc/apt/apt.conf.d/95-kubeloom-proxy', proxy, 'http://other.example:1'],
    ['variables', 'etc/kubeloom/proxy.env', 'NO_PROXY="10.0.0.1,10.0.0.2"', 'NO_PROXY="10.0.0.1"'],
    ['environment', 'etc/environment', `https_proxy="${proxy}"\n`, ''],
    ['kubelet', unit('kubelet'), '/etc/kubeloom/proxy.env', '/dev/null'],
    ['containerd', unit('containerd'), '[Service]', '#'],
    ['docker', unit('docker'), '-/etc', '/etc'],
  ])('a check names the part of the proxy settings that was changed or removed: %s', (part, path, from, to) => {
    const hosts = '10.0.0.1,10.0.0.2';
    set(proxy, hosts);
    const text = readFileSync(place(path), 'utf8');
    expect(text).toContain(from);
    write(path, text.replace(from, to));
    expect(differing(proxy, hosts)).toEqual([part]);
    rmSync(place(path));
    expect(differing(proxy, hosts)).toEqual([part]);
    set(proxy, hosts);
    expect(differing(proxy, hosts)).toEqual([]);
  });

  test('a check finds what is left of a proxy that was turned off, and hosts that are missing or too many', () => {
    set(proxy, '10.0.0.1,10.0.0.2');
    expect(differing('')).toEqual(['apt', 'variables', 'environment', 'kubelet', 'containerd', 'docker']);
    expect(differing(proxy, '10.0.0.1')).toEqual(['variables', 'environment']);
    expect(differing(proxy, '10.0.0.1,10.0.0.2,10.0.0.3')).toEqual(['variables', 'environment']);
  });
});
