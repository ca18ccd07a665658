/** The hosts helper without root: words, errors, names. What it makes is tested in test/hosts. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const directory = fileURLToPath(new URL('../../local/hosts', import.meta.url));
const helper = join(directory, 'kubeloom-host');
const site = ['--installation', 'test', '--cluster', 'shop-abc1234', '--provider', 'east'];

describe('the hosts helper', () => {
  test.each([
    ['an unknown command', ['conjure'], 'kubeloom-host: conjure -: no such command; see kubeloom-host help'],
    ['an unknown option', ['up', '--hots', 'a'], 'kubeloom-host: up -: no such option: --hots'],
    ['an option without value', ['up', '--host'], 'kubeloom-host: up -: --host needs a value'],
    ['a missing option', ['gc'], 'kubeloom-host: gc -: --installation is missing'],
    [
      'a value that is not a name',
      ['up', ...site, '--host', '../../etc'],
      "kubeloom-host: up east: --host '../../etc' is not a name (letters, digits, '.', '_', '-'; at most 100)",
    ],
    [
      'a shell expression as a name',
      ['down', '--cluster', '$(reboot)'],
      "kubeloom-host: down -: --cluster '$(reboot)' is not a name (letters, digits, '.', '_', '-'; at most 100)",
    ],
    [
      'a relative mount',
      ['up', ...site, '--bind-ro', 'here:/there'],
      'kubeloom-host: up east: --bind-ro needs SRC:DST, both absolute, without spaces',
    ],
  ])('the hosts helper refuses %s with exit code 2 and one line that names it', (_, args, line) => {
    const { status, stderr } = spawnSync(helper, args, { encoding: 'utf8', env: inTrialDirectory });
    expect(status).toBe(2);
    expect(stderr.trim()).toBe(line);
  });

  test('the hosts helper prints its usage without arguments', () => {
    const { status, stdout } = spawnSync(helper, [], { encoding: 'utf8', env: inTrialDirectory });
    expect(status).toBe(0);
    for (const command of ['up', 'down', 'gc', 'reconcile', 'doctor']) expect(stdout).toContain(`  ${command} `);
  });

  test('status is an empty list when no host was ever created', () => {
    expect(JSON.parse(execFileSync(helper, ['status'], { env: inTrialDirectory }).toString())).toEqual([]);
  });

  test('doctor prints as JSON what the machine lacks, and how to fix it', () => {
    const { status, stdout } = spawnSync(helper, ['doctor'], { encoding: 'utf8', env: inTrialDirectory });
    const report: { ok: boolean; checks: { name: string; ok: boolean; required: boolean; fix?: string }[] } =
      JSON.parse(stdout);
    expect(report.ok).toBe(report.checks.every((check) => check.ok || !check.required));
    expect(status).toBe(report.ok ? 0 : 3);
    expect(report.checks.map((check) => check.name)).toEqual(
      expect.arrayContaining(['root', 'overlay', 'tun', 'bridge', 'netem', 'cgroup', 'systemd-nspawn', 'base-image']),
    );
    for (const check of report.checks) expect(check.ok || (check.fix ?? '') !== '').toBe(true);
  });

  test('a site has a name of its own, short enough for a network link with a host number', () => {
    const names = ['a', 'b'].flatMap((state) =>
      ['shop-abc1234', 'shop-abc1235'].flatMap((cluster) =>
        ['east', 'west'].map((provider) => unitOf(`/tmp/${state}`, cluster, provider)),
      ),
    );
    expect(new Set(names).size).toBe(8);
    for (const name of names) expect(name).toMatch(/^kl[0-9a-z]{10}$/);
    expect(unitOf('/tmp/a', 'shop-abc1234', 'east')).toBe(names[0]);
  });

  test('a MAC is derived from the address', () => {
    expect(inShell('mac_of 198.18.77.10')).toBe('02:6c:c6:12:4d:0a');
  });

  test('the scripts of the hosts helper can be parsed by bash', () => {
    const scripts = readdirSync(join(directory, 'lib')).map((name) => join(directory, 'lib', name));
    for (const script of [
      helper,
      join(directory, 'host-process'),
      join(directory, 'install-packages.sh'),
      ...scripts,
    ]) {
      expect(`${script} ${spawnSync('bash', ['-n', script], { encoding: 'utf8' }).stderr}`).toBe(`${script} `);
    }
  });
});

const inTrialDirectory = { ...process.env, KUBELOOM_HOSTS_DIR: '/tmp/kubeloom-no-such-directory' };

function inShell(script: string, environment: NodeJS.ProcessEnv = inTrialDirectory): string {
  const sources = 'for part in "$0"/lib/*.sh; do . "$part"; done';
  return execFileSync('bash', ['-c', `${sources}; ${script}`, directory], { env: environment })
    .toString()
    .trim();
}

function unitOf(stateDirectory: string, cluster: string, provider: string): string {
  const script = `installation=test cluster=${cluster} provider=${provider}; locate_site; echo "$site_unit"`;
  return inShell(script, { ...process.env, KUBELOOM_HOSTS_DIR: stateDirectory });
}
