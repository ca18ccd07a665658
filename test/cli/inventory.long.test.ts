/** An inventory from the command line to the clusters that it makes, on a platform that simulates. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Platform, startPlatform } from '#local/platform.ts';
import { kubeloom as run } from './kubeloom.ts';
import { root } from './kubeloom-process.ts';

let platform: Platform;
let folder: string;
const settings = ['KUBELOOM_SIM_STAGE_MS', 'KUBELOOM_LOG', 'KUBELOOM_SIM_FAULTS'];
const before = settings.map((name) => [name, process.env[name]] as const);

const kubeloom = (...args: readonly string[]) =>
  run(args, { environment: { KUBELOOM_API_URL: platform.apiUrl, KUBELOOM_TOKEN: platform.token } });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kubeloom-inventory-'));
  cpSync(join(root, 'examples/inventory'), folder, { recursive: true });
  process.env.KUBELOOM_LOG = 'none';
  process.env.KUBELOOM_SIM_STAGE_MS = '0';
  platform = await startPlatform({ inMemory: true, runner: 'sim', apiPort: 0, graceMs: 100 });
});
afterAll(async () => {
  await platform.stop();
  rmSync(folder, { recursive: true, force: true });
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

it('CO-14: an inventory is planned, applied, changed at one layer, and its clusters change only after inventory apply', async () => {
  const planned = await kubeloom('inventory', 'plan', '-f', folder);
  expect(planned).toMatchObject({ code: 0 });
  expect(planned.stdout).toContain('3 clusters depend on it: 3 change\n3 clusters added');

  const applied = await kubeloom('apply', '-f', folder, '--wait');
  expect(applied, applied.stderr).toMatchObject({ code: 0 });
  expect(applied.stdout).toContain('InventoryLayer fleet/prod stored');

  const prod = join(folder, '2-environments.yaml');
  writeFileSync(prod, readFileSync(prod, 'utf8').replace('1.35.2', '1.36.0'));
  const detail = await kubeloom('inventory', 'plan', '-f', prod, '--detail');
  expect(detail.stdout).toContain('2 clusters depend on it: 2 change\n2 clusters changed');
  expect(detail.stdout).toContain('  kubernetes.clusters "acme-fra1".version 1.35.2 → 1.36.0');

  const stored = await kubeloom('apply', '-f', prod);
  expect(stored.stderr).toContain('2 clusters behind: acme-ams2, acme-fra1; `kubeloom inventory apply` submits them');
  const explained = await kubeloom('explain', 'fleet/acme-fra1', 'kubernetes.version');
  expect(explained.stderr).toContain('acme-fra1 is behind its inventory');
  expect(explained.stdout).toBe(
    'kubernetes.version = "1.36.0"\n  InventoryLayer prod (environment), generation 2 by local\n',
  );

  expect((await kubeloom('inventory', 'list', '-n', 'fleet')).stdout).toMatch(/acme-fra1 +standard@1 +behind/);
  expect((await kubeloom('inventory', 'apply', '--all', '-n', 'fleet')).code).toBe(0);
  await platform.executions.idle();
  expect((await kubeloom('describe', 'fleet/acme-fra1', '--json')).stdout).toContain('"kubernetesVersion": "1.36.0"');
  expect((await kubeloom('inventory', 'apply', '--all', '-n', 'fleet')).stdout).toBe('no cluster is behind\n');
});

it('an inventory of machine groups is planned in numbers', async () => {
  const planned = await kubeloom('inventory', 'plan', '-f', join(root, 'examples/inventory-machines'));
  expect(planned, planned.stderr).toMatchObject({ code: 0 });
  expect(planned.stdout).toContain(
    '2 clusters depend on it: 2 change\n2 clusters added; 8 nodes added\nto change: shop-ams2, shop-fra1\n',
  );
});

it('a change is planned, and rolled out in waves by the id of the plan', async () => {
  const prod = join(folder, '2-environments.yaml');
  writeFileSync(prod, readFileSync(prod, 'utf8').replace('count: 3', 'count: 5'));
  const planned = await kubeloom('inventory', 'plan', '-f', prod);
  const [, plan = ''] = /^plan ([0-9a-f]{40})$/m.exec(planned.stdout) ?? [];
  expect(plan, planned.stdout + planned.stderr).not.toBe('');
  const options = ['--soak', '0s', '--waves', '1,100%', '-n', 'fleet'];
  const other = await kubeloom('rollout', 'start', '--plan', plan, ...options);
  expect(other, other.stderr).toMatchObject({ code: 5 });
  const ended = await kubeloom('rollout', 'start', '-f', prod, '--plan', plan, ...options, '--wait');
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  expect(ended.stdout).toContain('RolledOut');
  expect(ended.stdout).toContain(`plan ${plan}`);
  const listed = await kubeloom('rollout', 'list', '-n', 'fleet');
  const [id = ''] = /^\d{8}-\d{6}-\w+/m.exec(listed.stdout) ?? [];
  expect((await kubeloom('rollout', 'describe', id, '-n', 'fleet')).stdout).toContain('wave 1: 1 of 1 cluster done');
  expect((await kubeloom('rollout', 'pause', id, '-n', 'fleet')).code).toBe(5);
  expect((await kubeloom('inventory', 'apply', '--plan', plan, '-f', prod, '-n', 'fleet')).code).toBe(5);
});

it('a roll-out that halts ends with the kind of the failures of its clusters', async () => {
  process.env.KUBELOOM_SIM_FAULTS = JSON.stringify([{ stage: 'kubernetes', class: 'quota' }]);
  const prod = join(folder, '2-environments.yaml');
  writeFileSync(prod, readFileSync(prod, 'utf8').replace('count: 5', 'count: 6'));
  const halted = await kubeloom('rollout', 'start', '-f', prod, '--soak', '0s', '-n', 'fleet', '--wait');
  expect(halted.stdout).toContain('Halted');
  expect(halted.code).toBe(12);
  delete process.env.KUBELOOM_SIM_FAULTS;
  const [id = '?'] = /\d{8}-\d{6}-\w+/.exec(halted.stdout) ?? [];
  const inNeed = await kubeloom('get', '--state', 'attention');
  expect(inNeed.stderr).toMatch(new RegExp(`^roll-out Halted: .*; kubeloom rollout describe ${id} -n fleet$`, 'm'));
  expect((await kubeloom('get')).stderr).toBe('');
});

it('faults of an inventory are reported with kinds and places before anything is stored', async () => {
  const bad = join(folder, '7-clusters.yaml');
  writeFileSync(
    bad,
    readFileSync(bad, 'utf8').replaceAll('web: { count: 5 }', 'web: { cuont: 5 }').replaceAll('acme-ams2', 'acme-ams3'),
  );
  const refused = await kubeloom('apply', '-f', bad);
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain('template standard@1 does not use the value pools.web.cuont');
  expect(refused.stderr).toContain('did you mean count?');
  expect((await kubeloom('inventory', 'describe', 'cluster', 'acme-ams3', '-n', 'fleet')).code).toBe(4);
  expect((await kubeloom('inventory', 'describe', 'template', 'standard@1', '-n', 'fleet')).stdout).toContain(
    'kind: InventoryTemplate',
  );
  expect((await kubeloom('inventory', 'delete', 'layer', 'prod', '-n', 'fleet')).code).toBe(5);
  expect((await kubeloom('inventory', 'describe', 'laier', 'x')).stderr).toContain('did you mean layer?');
});
