/** The commands about machine groups, on a platform that simulates: all of them are requests to the API. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Platform } from '#local/platform.ts';
import { startSimulatedPlatform } from '#test/scenarios/simulated-platform.ts';
import { kubeloom as run } from './kubeloom.ts';
import { root } from './kubeloom-process.ts';

let platform: Platform;
const kubeloom = (...args: string[]) =>
  run(args, { environment: { KUBELOOM_API_URL: platform.apiUrl, KUBELOOM_TOKEN: platform.token } });
interface Group {
  readonly group: string;
  readonly size: number;
  readonly machines: readonly { readonly name: string; readonly status: string }[];
}
async function groups(): Promise<readonly Group[]> {
  return JSON.parse((await kubeloom('get', 'groups', '--json')).stdout) as Group[];
}

beforeAll(async () => {
  vi.stubEnv('KUBELOOM_LOG', 'none');
  vi.stubEnv('KUBELOOM_STAGE_RETRY_SECONDS', '0');
  vi.stubEnv('KUBELOOM_SIM_STAGE_MS', '0');
  platform = await startSimulatedPlatform();
  const applied = await kubeloom('apply', '-f', join(root, 'examples/sim-machine-groups.yaml'), '--wait');
  expect(applied.code, applied.stderr).toBe(0);
});
afterAll(async () => {
  await platform.stop();
  vi.unstubAllEnvs();
});

describe('KA-11: machine groups on the command line', () => {
  it('get groups lists the groups of all manifests, each with its path, size, place and states', async () => {
    const { code, stdout } = await kubeloom('get', 'groups');
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.trim().split(/\s{2,}/))).toEqual([
      ['NAMESPACE', 'MANIFEST', 'GROUP', 'SIZE', 'WHERE', 'STATUS'],
      ['default', 'shop', 'web', '3', 'sim-1 anywhere', '3 Ready'],
      ['default', 'shop', 'batch/small', '2', 'sim-1 anywhere', '2 Ready'],
      ['default', 'shop', 'batch/big', '1', 'sim-2 elsewhere', '1 Ready'],
      ['default', 'shop', 'front', '2', 'sim-2 elsewhere', '2 Ready'],
      [''],
    ]);
    expect((await kubeloom('get', 'groups', '-n', 'other')).stdout).toContain('no machine groups');
  });

  it('describe shows one group with its machines, or all groups below a path', async () => {
    const { stdout } = await kubeloom('describe', 'shop', 'batch');
    expect(stdout).toMatch(/group batch\/small {2}size 2 {2}2 Ready/);
    expect(stdout).toMatch(/group batch\/big {2}size 1/);
    expect(stdout).not.toContain('group web');
    const missing = await kubeloom('describe', 'shop', 'wbe');
    expect(missing.code).toBe(4);
    expect(missing.stderr).toContain('shop has no machine group "wbe": its groups are web, batch/small');
  });

  it('scale sets the size of a group as the next generation, and waits for its machines', async () => {
    const { code, stdout, stderr } = await kubeloom('scale', 'shop', 'web=4', 'batch/small=1', '--wait');
    expect([code, stdout], stderr).toEqual([0, expect.stringContaining('default/shop is scaled: generation 2, run ')]);
    expect((await groups()).map(({ group, size, machines }) => [group, size, machines.length])).toEqual([
      ...[
        ['web', 4, 4],
        ['batch/small', 1, 1],
        ['batch/big', 1, 1],
        ['front', 2, 2],
      ],
    ]);
    expect((await kubeloom('history', 'shop')).stdout).toContain(
      'scaled: web to 4 machines and batch-small to 1 machine',
    );
    const again = await kubeloom('scale', 'shop', 'web=4');
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('nothing was started')]);
  });

  it('scale refuses a group that does not exist, and a size that no group may have', async () => {
    const missing = await kubeloom('scale', 'shop', 'wbe=4');
    expect([missing.code, missing.stderr]).toEqual([5, expect.stringContaining('has no group of machines "wbe"')]);
    const none = await kubeloom('scale', 'shop', 'web=0');
    expect([none.code, none.stderr]).toEqual([3, expect.stringContaining('spec.groups.web.size')]);
  });

  it('replace gives a group another machine', async () => {
    const [web] = await groups();
    const bad = web?.machines[0]?.name ?? '';
    expect((await kubeloom('replace', 'shop', bad, '--wait')).code).toBe(0);
    const after = (await groups())[0]?.machines.map(({ name }) => name);
    expect(after).toHaveLength(4);
    expect(after).not.toContain(bad);
  });

  it('events of a manifest are filtered by group, kind, node and time', async () => {
    const all = (await kubeloom('events', 'shop', '--kind', 'NodeReplaced', 'ReplacementRequested', '--json')).stdout;
    const lines = all
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; manifest: string });
    expect(lines.map(({ kind, manifest }) => [kind, manifest])).toEqual([['ReplacementRequested', 'shop']]);
    const later = await kubeloom('events', 'shop', '--since', '2099-01-01T00:00:00Z');
    expect([later.code, later.stdout]).toEqual([0, '']);
    const missing = await kubeloom('events', 'shp', '--group', 'web');
    expect([missing.code, missing.stderr]).toEqual([
      4,
      expect.stringContaining('there is no manifest or cluster "shp"'),
    ]);
  });

  it('ssh names the machines where a group has several, and those that there are', async () => {
    const several = await kubeloom('ssh', 'shop', 'web');
    expect([several.code, several.stderr]).toEqual([
      2,
      expect.stringContaining('web has 4 machines, name one of them'),
    ]);
    const missing = await kubeloom('ssh', 'shop', 'nothing');
    expect([missing.code, missing.stderr]).toEqual([4, expect.stringContaining('there is no machine "nothing"')]);
    const simulated = await kubeloom('ssh', 'shop', 'batch/big');
    expect([simulated.code, simulated.stderr]).toEqual([5, expect.stringContaining('are simulated')]);
  });

  it('commands that work on machines reach them through the API only', () => {
    const files = ['groups', 'demand', 'ssh', 'get', 'inspect', 'apply', 'delete', 'events', 'verbs', 'plan'];
    const foreign = files.flatMap((name) => {
      const text = readFileSync(join(root, 'cli/commands', `${name}.ts`), 'utf8');
      return [...text.matchAll(/from '(#(?:functions|local|runner|rendering)[^']*|@aws-sdk[^']*)'/g)].map(
        ([, from]) => from,
      );
    });
    expect(foreign).toEqual([]);
  });
});
