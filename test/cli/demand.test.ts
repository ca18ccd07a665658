/** `kubeloom scale` and `kubeloom replace`, on a platform that simulates. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Platform } from '#local/platform.ts';
import { startSimulatedPlatform } from '#test/scenarios/simulated-platform.ts';
import { kubeloom as run } from './kubeloom.ts';
import { root } from './kubeloom-process.ts';

let platform: Platform;
let directory: string;
const settings = ['KUBELOOM_LOG', 'KUBELOOM_STAGE_RETRY_SECONDS', 'KUBELOOM_SIM_STAGE_MS', 'KUBELOOM_SIM_FAULTS'];
const before = settings.map((name) => [name, process.env[name]] as const);

const kubeloom = (...args: string[]) =>
  run(args, { stdin: '', environment: { KUBELOOM_API_URL: platform.apiUrl, KUBELOOM_TOKEN: platform.token } });

interface Described {
  readonly generation: number;
  readonly clusters: readonly { readonly nodes: readonly { readonly name: string; readonly pool: string }[] }[];
}
async function nodesOf(name: string, pool: string): Promise<readonly string[]> {
  const { clusters } = JSON.parse((await kubeloom('describe', name, '--json')).stdout) as Described;
  return (clusters[0]?.nodes ?? []).filter((node) => node.pool === pool).map((node) => node.name);
}

beforeAll(async () => {
  Object.assign(process.env, { KUBELOOM_LOG: 'none', KUBELOOM_STAGE_RETRY_SECONDS: '0', KUBELOOM_SIM_STAGE_MS: '0' });
  directory = mkdtempSync(join(tmpdir(), 'kubeloom-demand-'));
  platform = await startSimulatedPlatform();
  const text = readFileSync(join(root, 'examples/sim-minimal.yaml'), 'utf8');
  writeFileSync(join(directory, 'm.yaml'), text.replace('count: 2', 'autoscaler: { min: 1, max: 4 }'));
  const applied = await kubeloom('apply', '-f', join(directory, 'm.yaml'), '--wait');
  expect(applied.code).toBe(0);
});
afterAll(async () => {
  await platform.stop();
  rmSync(directory, { recursive: true, force: true });
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

describe('kubeloom scale', () => {
  it('scale sets the size of a pool, waits for it, and makes no generation', async () => {
    const { code, stdout } = await kubeloom('scale', 'sim-minimal', 'compute=3', '--wait');
    expect([code, stdout]).toEqual([0, expect.stringContaining('default/sim-minimal is scaled: generation 1, run ')]);
    expect(await nodesOf('sim-minimal', 'compute')).toHaveLength(3);
    const again = await kubeloom('scale', 'sim-minimal', 'compute=3', '--cluster', 'minimal');
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('nothing was started')]);
  });

  it('scale refuses what the bounds do not allow, and a fixed pool, with all reasons', async () => {
    const { code, stderr } = await kubeloom('scale', 'sim-minimal', 'compute=9', 'control=3');
    expect(code).toBe(5);
    expect(stderr).toContain('9 is not between min 1 and max 4 of the pool "compute"');
    expect(stderr).toContain('the pool "control" has a fixed count of 1');
  });

  it.each(['compute', 'compute=', '=3', 'compute=-1', 'compute=3.5', 'compute=many'])(
    'scale with %s is wrong usage, and says how to write it',
    async (size) => {
      const { code, stderr } = await kubeloom('scale', 'sim-minimal', size);
      expect([code, stderr]).toEqual([2, expect.stringContaining('write the name of a pool and a number of nodes')]);
    },
  );
});

describe('kubeloom replace', () => {
  it('replace brings another node in the place of one', async () => {
    const nodes = await nodesOf('sim-minimal', 'compute');
    const { code, stdout } = await kubeloom(
      ...['replace', 'sim-minimal', nodes[0] ?? '', '--because', 'its disk is full', '--wait', '--json'],
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ accepted: { unchanged: false, generation: 1 } });
    const after = await nodesOf('sim-minimal', 'compute');
    expect(after).toHaveLength(nodes.length);
    expect(after).not.toContain(nodes[0]);
    expect((await kubeloom('events', 'sim-minimal')).stdout).toContain('requested (its disk is full) by');
  });

  it('replace refuses the last control node and names that it does not know', async () => {
    const [brain = ''] = await nodesOf('sim-minimal', 'control');
    const { code, stderr } = await kubeloom('replace', 'sim-minimal', brain, 'moon-01');
    expect(code).toBe(5);
    expect(stderr).toContain('is one of the last control nodes of "minimal"');
    expect(stderr).toContain('there is no node "moon-01"');
  });

  it('describe and plan show requests that were made while a manifest is paused', async () => {
    await kubeloom('pause', 'sim-minimal');
    expect((await kubeloom('scale', 'sim-minimal', 'compute=1', '--wait')).stdout).toContain('it is paused');
    expect((await kubeloom('describe', 'sim-minimal')).stdout).toMatch(/requested: 1 node in pool compute \(/);
    const { stdout } = await kubeloom('plan', 'sim-minimal');
    expect(stdout).toContain('cluster minimal is asked for more than the manifest says:');
    expect(stdout).toContain('requested: 1 node in pool compute');
    await kubeloom('resume', 'sim-minimal', '--yes', '--wait');
    expect(await nodesOf('sim-minimal', 'compute')).toHaveLength(1);
  });
});
