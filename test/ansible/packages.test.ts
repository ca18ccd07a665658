/** Packages of nodes: apt is asked for all of them at once, and reads the lists of its archive once. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { templates } from './playbook.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'packages-'));
  mkdirSync(join(directory, 'bin'));
  program('dpkg-query', `grep -qx "\${@: -1}" ${directory}/installed && echo installed`);
  program('apt-get', aptOf(`tr ' ' '\\n' <<<"$names" >>${directory}/installed`));
  writeFileSync(join(directory, 'installed'), '');
});
afterEach(() => rmSync(directory, { recursive: true }));

const file = (name: string) => readFileSync(join(templates, 'files', name), 'utf8');
/** Notes what it is asked; `install` is done with the names in $names. */
const aptOf = (install: string) => `all=$*; names=\${all##*recommends }
case $all in *update) echo update >>${directory}/calls;; *) echo "install $names" >>${directory}/calls; ${install};; esac`;

function program(name: string, text: string): void {
  const path = join(directory, 'bin', name);
  writeFileSync(path, `#!/bin/bash\n${text}\n`);
  chmodSync(path, 0o755);
}
/** What apt was asked for. */
const calls = () =>
  existsSync(join(directory, 'calls')) ? readFileSync(join(directory, 'calls'), 'utf8').trim().split('\n') : [];

function run(script: string, environment: Readonly<Record<string, string>> = {}) {
  const env = { PATH: `${join(directory, 'bin')}:${process.env.PATH}`, KUBELOOM_APT_STAMP: join(directory, 'stamp') };
  return spawnSync('bash', [], {
    input: `${file('common.sh')}\n${file('packages.sh')}\n${script}`,
    encoding: 'utf8',
    env: { ...env, ...environment },
  });
}

describe('packages', () => {
  test('packages that are installed are not asked for', () => {
    writeFileSync(join(directory, 'installed'), 'one\ntwo\n');
    expect(run('packages one two')).toMatchObject({ status: 0, stdout: '' });
    expect(calls()).toEqual([]);
  });

  test('the lists of the archive are read once for all scripts of a visit', () => {
    expect(run('packages one two')).toMatchObject({ status: 0, stdout: 'changed: installed one two\n' });
    expect(run('packages one three').status).toBe(0);
    expect(calls()).toEqual(['update', 'install one two', 'install three']);
  });

  test('apt reads its lists again when it cannot install with those it has', () => {
    run('packages one');
    const lists = `[ "$(grep -c update ${directory}/calls)" = 2 ] || exit 100`;
    program('apt-get', aptOf(lists));
    expect(run('packages two')).toMatchObject({ status: 0, stdout: 'changed: installed two\n' });
    expect(calls()).toEqual(['update', 'install one', 'install two', 'update', 'install two']);
  });

  test.each(['lists', 'archives'])('apt is retried while another program holds the lock of its %s', (lock) => {
    const held = `[ -e ${directory}/waited ] || { touch ${directory}/waited; echo 'E: Could not get lock ${lock}/lock' >&2; exit 100; }`;
    program('apt-get', `case $* in ${lock === 'lists' ? '*update' : '*one'}) ${held};; esac`);
    const stdout = 'note: another program holds a lock of apt: waiting for it\nchanged: installed one\n';
    expect(run('packages one')).toMatchObject({ status: 0, stdout });
  });

  test('a package that cannot be installed is named', () => {
    program('apt-get', aptOf('exit 100'));
    expect(run('packages one')).toMatchObject({ status: 1, stderr: expect.stringContaining('cannot install one') });
    expect(calls()).toEqual(['update', 'install one']);
  });
});

describe('requirements', () => {
  // Only what is about packages: the rest changes the machine.
  const wanted = () => /^wanted=.*?^packages [^\n]*/ms.exec(file('requirements.sh'))?.[0] ?? '';

  const machine = {
    KUBELOOM_MESH: '1',
    KUBELOOM_BALANCER: '0',
    KUBELOOM_KUBERNETES: '0',
    KUBELOOM_FIREWALLED: '0',
    KUBELOOM_DATA_DEVICE: '',
  };

  test.each([
    ['in a mesh gets WireGuard', '1', 'wireguard-tools iproute2 iputils-ping'],
    ['without a mesh gets no WireGuard', '0', 'iproute2 iputils-ping'],
  ])('a machine of a group %s, and no load balancer', (_what, KUBELOOM_MESH, packages) => {
    program('modinfo', 'exit 0');
    run(wanted(), { ...machine, KUBELOOM_MESH });
    expect(calls()).toEqual(['update', `install ${packages}`]);
  });

  test('a load balancer gets its proxy and its firewall with all else', () => {
    program('modinfo', 'exit 0');
    run(wanted(), { ...machine, KUBELOOM_BALANCER: '1', KUBELOOM_FIREWALLED: '1' });
    expect(calls()).toEqual(['update', 'install wireguard-tools iproute2 iputils-ping haproxy nftables']);
  });

  test('a Kubernetes node gets what its data disk needs with all else', () => {
    program('modinfo', 'exit 0');
    program('systemd-detect-virt', 'exit 1');
    run(wanted(), { ...machine, KUBELOOM_KUBERNETES: '1', KUBELOOM_DATA_DEVICE: '/dev/disk/by-id/x' });
    expect(calls()).toEqual(['update', 'install wireguard-tools iproute2 iputils-ping open-iscsi nfs-common xfsprogs']);
  });
});
