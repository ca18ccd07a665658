/** What goes wrong: hosts that do not come up, kill -9 of anything, lost directories. Nothing may stay, nothing may be doubled. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually, HostWorkshop, helperPath, isRoot, outcomeOf } from './host-workshop.ts';

describe.runIf(isRoot)('faults', () => {
  const workshop = new HostWorkshop();
  const site = workshop.site('east');
  const faults = join(workshop.stateDirectory, 'faults');
  beforeAll(async () => {
    await workshop.must(['base-build']);
  });
  beforeEach(async () => {
    rmSync(faults, { recursive: true, force: true });
    await workshop.must(['site-up', ...site, '--region', 'north']);
  });
  afterAll(async () => await workshop.close());

  test('a host with an injected fault leaves nothing, says why, and comes up once the fault is removed', async () => {
    setFault('web-*', 'the disk is on fire');
    const { code, stderr } = await workshop.up('east', 'web-01');
    expect(code).toBe(4);
    expect(stderr.trim().split('\n').at(-1)).toBe('kubeloom-host: up web-01: did not come up: the disk is on fire');
    expect(await workshop.status()).toEqual([]);
    expect((await workshop.up('east', 'other-01')).code).toBe(0);
    rmSync(join(faults, 'web-*'));
    expect((await workshop.up('east', 'web-01')).code).toBe(0);
  });

  test('a host whose SSH never answers is removed after a time limit', async () => {
    const bounded = { KUBELOOM_HOST_BOOT_SECONDS: '0' };
    const { code, stderr } = await workshop.run(['up', ...site, '--host', 'slow-01', '--id', 's'], '', bounded);
    expect(code).toBe(4);
    expect(stderr).toMatch(/kubeloom-host: up slow-01: did not come up: no SSH on 198\./);
    expect((await workshop.status()).map((host) => host.host)).not.toContain('slow-01');
  });

  test('a helper killed half-way leaves a host that the next up of the same id recreates', async () => {
    setFault('half-01', 'slow 600');
    const child = workshop.start(['up', ...site, '--host', 'half-01', '--id', 'h', '--region', 'north']);
    await eventually('the host is half-made', async () =>
      (await workshop.status()).some((it) => it.host === 'half-01'),
    );
    killWithChildren(child.pid);
    expect((await workshop.host('half-01')).state).toBe('half-made');
    rmSync(faults, { recursive: true });
    await workshop.must(['up', ...site, '--host', 'half-01', '--id', 'h', '--region', 'north']);
    expect((await workshop.host('half-01')).state).toBe('running');
  });

  test('a helper killed at any moment leaves nothing that down does not find', async () => {
    const directory = join(workshop.stateDirectory, 'sites/test/shop-abc1234/east/hosts/cut-01');
    for (const sign of ['id', 'spec', 'up/etc/machine-id', 'up/etc/ssh/ssh_host_ed25519_key', 'log', 'pid']) {
      const child = workshop.start(['up', ...site, '--host', 'cut-01', '--id', 'c', '--region', 'north']);
      await eventually(`${sign} is there`, () => existsSync(join(directory, sign)));
      process.kill(child.pid ?? 0, 'SIGKILL');
      await workshop.must(['down', ...site, '--host', 'cut-01', '--id', 'c']);
      expect((await workshop.status()).map((host) => host.host)).not.toContain('cut-01');
      expect(processesNaming('cut-01')).toEqual([]);
    }
  });

  test('the helper notices that its caller was killed, and removes what it has started', async () => {
    setFault('orphan-01', 'slow 1');
    const up = ['up', ...site, '--host', 'orphan-01', '--id', 'o', '--abort-if-orphaned'];
    const command = 'pid=$$; "$@" & child=$!; wait $child';
    const caller = spawn('bash', ['-c', command, '-', helperPath, ...up], { env: workshop.environment });
    const ended = outcomeOf(caller);
    await eventually('the host is started', async () =>
      (await workshop.status()).some((it) => it.host === 'orphan-01'),
    );
    caller.kill('SIGKILL');
    const { stderr } = await ended;
    expect(stderr).toContain('kubeloom-host: up orphan-01: the process that asked for it is gone; host removed again');
    expect((await workshop.status()).map((host) => host.host)).not.toContain('orphan-01');
  });

  test('a host whose launcher was killed counts as dead and is removed completely', async () => {
    await workshop.must(['up', ...site, '--host', 'lost-01', '--id', 'l', '--region', 'north']);
    const { pid } = await workshop.host('lost-01');
    const directory = join(workshop.stateDirectory, 'sites/test/shop-abc1234/east/hosts/lost-01');
    process.kill(Number(readFileSync(join(directory, 'pid'), 'utf8').split(' ')[0]), 'SIGKILL');
    expect((await workshop.host('lost-01')).state).toBe('dead');
    await workshop.must(['down', ...site, '--host', 'lost-01']);
    expect(readText(`/proc/${pid}/cmdline`)).toBe('');
  });

  test('a recycled process id is never taken for a host', async () => {
    await workshop.must(['up', ...site, '--host', 'old-01', '--id', 'x', '--region', 'north']);
    await workshop.must(['kill', ...site, '--host', 'old-01']);
    const stranger = spawn('sleep', ['600']);
    const directory = join(workshop.stateDirectory, 'sites/test/shop-abc1234/east/hosts/old-01');
    writeFileSync(join(directory, 'pid'), `${stranger.pid} 12345\n`);
    expect((await workshop.host('old-01')).state).toBe('dead');
    await workshop.must(['down', ...site, '--host', 'old-01']);
    expect(stranger.exitCode).toBeNull();
    stranger.kill();
  });

  test('gc finds everything by name alone when the state directory is lost', async () => {
    await Promise.all([workshop.up('east', 'n-01'), workshop.up('east', 'n-02')]);
    rmSync(workshop.stateDirectory, { recursive: true, force: true });
    expect(workshop.leftovers().length).toBeGreaterThan(4);
    await workshop.must(['gc', '--installation', 'test', '--cluster', 'shop-abc1234']);
    expect(workshop.leftovers().filter((left) => !left.startsWith(workshop.stateDirectory))).toEqual([]);
  });

  test('gc of all removes hosts in every state', async () => {
    await Promise.all(['n-01', 'n-02', 'n-03'].map((name) => workshop.up('east', name)));
    await workshop.must(['kill', ...site, '--host', 'n-02']);
    setFault('n-04', 'slow 600');
    const child = workshop.start(['up', ...site, '--host', 'n-04', '--id', 'h', '--region', 'north']);
    await eventually('the host is half-made', async () => (await workshop.status()).some((it) => it.host === 'n-04'));
    killWithChildren(child.pid);
    await workshop.must(['gc', '--all']);
    expect(workshop.leftovers()).toEqual([]);
  });

  function setFault(glob: string, text: string): void {
    mkdirSync(faults, { recursive: true });
    writeFileSync(join(faults, glob), text);
  }
});

/** SIGKILL to a process and to what it has started in turn, as a whole machine's out-of-memory killer would. */
function killWithChildren(pid: number | undefined): void {
  if (pid === undefined) return;
  for (const child of childrenOf(pid)) killWithChildren(child);
  process.kill(pid, 'SIGKILL');
}

function childrenOf(pid: number): readonly number[] {
  return readText(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

function processesNaming(text: string): readonly string[] {
  return readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && pid !== String(process.pid) && readText(`/proc/${pid}/cmdline`).includes(text),
  );
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
