/** Commands that read manifests, on a platform that simulates: by what names, in which formats, and what changed. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { Platform } from '#local/platform.ts';
import { startSimulatedPlatform } from '#test/scenarios/simulated-platform.ts';
import { kubeloom as run } from './kubeloom.ts';
import { kubeloomProcess, root } from './kubeloom-process.ts';

let platform: Platform;
let directory: string;
const log = process.env.KUBELOOM_LOG;

const environment = () => ({ KUBELOOM_API_URL: platform.apiUrl, KUBELOOM_TOKEN: platform.token });
const kubeloom = (args: readonly string[], stdin = '') => run(args, { stdin, environment: environment() });

/** A manifest with one cluster, as a file. */
function file(name: string, cluster: string, compute = 2): string {
  const path = join(directory, `${name}-${compute}.yaml`);
  const text = readFileSync(join(root, 'examples/sim-minimal.yaml'), 'utf8');
  const renamed = text.replace('name: sim-minimal', `name: ${name}`).replace('name: minimal', `name: ${cluster}`);
  writeFileSync(path, renamed.replace('count: 2', `count: ${compute}`));
  return path;
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'kubeloom-looking-'));
  process.env.KUBELOOM_LOG = 'none';
  platform = await startSimulatedPlatform();
  await kubeloom(['apply', '-f', file('shop', 'front'), file('bank', 'vault'), '--wait', '--json']);
  await kubeloom(['apply', '-f', file('shop', 'front', 3), '--wait', '--json']);
});
afterAll(async () => {
  await platform.stop();
  rmSync(directory, { recursive: true, force: true });
  if (log === undefined) delete process.env.KUBELOOM_LOG;
  else process.env.KUBELOOM_LOG = log;
});

describe('a cluster name instead of a manifest name', () => {
  it.each(['get', 'runs', 'events', 'history'])('the name of a cluster finds its manifest: %s', async (command) => {
    const { code, stdout } = await kubeloom([command, 'front', '--json']);
    expect(code).toBe(0);
    expect(stdout).toMatch(command === 'history' ? /"generation": 2/ : /shop-\w{5}-g2-a1/);
  });

  it('the name of a cluster finds its manifest in plan and in verbs, but deletes nothing', async () => {
    expect((await kubeloom(['plan', 'front'])).stdout).toContain('default/shop');
    expect((await kubeloom(['retry', 'front', '--yes'])).stderr).toContain('manifest "default/shop" cannot be retried');
    const { code, stderr } = await kubeloom(['delete', 'front', '--yes']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('"front" is a cluster of shop: `kubeloom delete shop`'),
    ]);
  });

  it('a misspelled cluster name is answered with what could be meant', async () => {
    const { code, stderr } = await kubeloom(['describe', 'fromt']);
    expect(code).toBe(4);
    expect(stderr).toContain('there is no manifest or cluster "fromt" in namespace "default"; did you mean front?');
  });
});

describe('kubeloom get', () => {
  it('get prints documents that can be applied again and change nothing', async () => {
    const { stdout } = await kubeloom(['get', 'shop', '-o', 'yaml']);
    expect(parse(stdout)).toMatchObject({ kind: 'InputManifest', metadata: { name: 'shop' } });
    const again = await kubeloom(['apply', '-f', '-', '--json'], stdout);
    expect(JSON.parse(again.stdout)).toMatchObject({ documents: [{ accepted: { unchanged: true, generation: 2 } }] });
    const all = parseAllDocuments((await kubeloom(['get', '-o', 'yaml'])).stdout);
    expect(all.map((one) => (one as { toJS(): { metadata: unknown } }).toJS().metadata)).toMatchObject([
      { name: 'bank' },
      { name: 'shop' },
    ]);
  });

  it('get filters and sorts the fleet, and refuses words that no filter knows with those that it knows', async () => {
    const names = async (...args: readonly string[]) => (await kubeloom(['get', '-o', 'name', ...args])).stdout;
    expect(await names('--sort', 'nodes')).toBe('shop\nbank\n');
    expect(await names('--state', 'as-desired,drifted', '--search', 'VAULT')).toBe('bank\n');
    expect([await names('--status', 'failed'), await names('--provider', 'elsewhere')]).toEqual(['', '']);
    const unknown = await kubeloom(['get', '--state', 'broken']);
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringContaining('--state must be one of attention, running, drifted, paused, as-desired'),
    ]);
    const named = await kubeloom(['get', 'shop', '--sort', 'state']);
    expect([named.code, named.stderr]).toEqual([2, expect.stringContaining('leave them or NAME out')]);
  });

  it('get prints bare names with -o name, and all columns with -o wide', async () => {
    expect((await kubeloom(['get', '-A', '-o', 'name'])).stdout).toBe('bank\nshop\n');
    expect((await kubeloom(['get', '-o', 'wide'])).stdout).toMatch(/RUN .*\n.*bank-\w{5}-g1-a1 /);
  });

  it('get --watch prints changes until it is interrupted', async () => {
    const invocation = { environment: environment(), interruptAt: '"generation":2' };
    const { code, stdout } = await kubeloomProcess(['get', '--watch', '--json'], invocation);
    expect(code).toBe(130);
    const seen = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { name: string }).name);
    expect(seen).toEqual(['bank', 'shop']);
  });

  it('get refuses options that contradict each other', async () => {
    const { code, stderr } = await kubeloom(['get', '-A', '-n', 'team']);
    expect(code).toBe(2);
    expect(stderr).toContain('leave one of them out');
  });
});

describe('kubeloom logs', () => {
  it('logs prints the newest run of a manifest or cluster, and with --previous the one before', async () => {
    const newest = await kubeloom(['logs', 'front', '--stage', 'kubernetes']);
    expect(newest.stderr).toMatch(/^run shop-\w{5}-g2-a1: changed, Succeeded$/m);
    expect(newest.stdout).toMatch(/^== front w00 kubernetes, try 1$/m);
    const before = await kubeloom(['logs', 'shop', '--previous', '--stage', 'kubernetes']);
    expect(before.stderr).toMatch(/^run shop-\w{5}-g1-a1: created, Succeeded$/m);
    const none = await kubeloom(['logs', 'bank', '--previous']);
    expect([none.code, none.stderr]).toEqual([4, 'kubeloom: bank has no earlier run\n']);
  });
});

describe('kubeloom apply --wait', () => {
  it('apply --wait of an unchanged document reports that and replays no events', async () => {
    const { code, stdout } = await kubeloom(['apply', '-f', file('bank', 'vault'), '--wait']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^default\/bank unchanged \(generation 1, run .*\); nothing was started$/m);
    expect(stdout).not.toMatch(/created by|after/);
    await kubeloom(['pause', 'bank']);
    expect((await kubeloom(['apply', '-f', file('bank', 'vault')])).stdout).toMatch(/bank unchanged, paused \(/);
  });
});

describe('kubeloom changes', () => {
  it('changes without any change names other places to look', async () => {
    expect((await kubeloom(['changes'])).stdout).toBe(
      'no changes of roles; -n NAMESPACE shows those of Secrets and templates\n',
    );
  });
});

describe('kubeloom history and kubeloom diff', () => {
  it('history shows when, by whom and why each generation was stored, and what it changed', async () => {
    const { stdout } = await kubeloom(['history', 'shop']);
    expect(stdout.replaceAll(/(just now|\d+ \w+ ago)/g, 'WHEN').replaceAll(/ +/g, ' ')).toBe(
      'GENERATION WHEN BY REASON CHANGES\n' +
        'g2 current WHEN local changed nodePools.dynamic "compute".count 2 → 3\n' +
        'g1 WHEN local created -\n',
    );
  });

  it('diff shows the lines in which two generations differ, by default the last two', async () => {
    const last = await kubeloom(['diff', 'shop']);
    expect(last.stdout).toMatch(
      /^# nodePools.dynamic "compute".count 2 → 3\n--- default\/shop \(generation 1\)\n\+\+\+ default\/shop \(generation 2\)\n@@/,
    );
    expect(last.stdout.match(/^[-+] .*$/gm)).toEqual(['-        count: 2', '+        count: 3']);
    expect((await kubeloom(['diff', 'front', 'g1'])).stdout).toBe(last.stdout);
    expect((await kubeloom(['diff', 'shop', '2', '1'])).stdout).toContain('-        count: 3\n+        count: 2');
  });

  it('diff compares a file with what is stored, whatever defaults the file leaves out', async () => {
    const same = await kubeloom(['diff', '-f', file('shop', 'front', 3)]);
    expect([same.code, same.stdout]).toEqual([0, '']);
    expect(same.stderr).toContain('shop: no difference between generation 2 and ');
    const other = await kubeloom(['diff', '-f', file('shop', 'front', 4)]);
    expect(other.stdout).toContain('-        count: 3\n+        count: 4');
    const fresh = await kubeloom(['diff', '-f', file('fresh', 'fresh')]);
    expect(fresh.stdout).toContain('--- default/fresh (not stored)');
    expect(fresh.stdout).not.toMatch(/^-[^-]/m);
  });

  it('diff of a manifest with one generation says that there is nothing to compare', async () => {
    const { code, stdout, stderr } = await kubeloom(['diff', 'bank']);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('bank: only generation 1 exists, there is nothing to compare');
  });

  it.each([
    [['shop', 'three'], 2, 'is not a generation'],
    [[], 2, 'compare what?'],
  ] as const)('diff refuses %j', async (args, code, reason) => {
    const outcome = await kubeloom(['diff', ...args]);
    expect(outcome).toMatchObject({ code, stdout: '' });
    expect(outcome.stderr).toContain(reason);
  });
});
