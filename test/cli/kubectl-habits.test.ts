/** What those who know kubectl and Terraform try first: lists of parts, selectors, paths, namespaces, exit codes of refused plans. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Platform } from '#local/platform.ts';
import { startSimulatedPlatform } from '#test/scenarios/simulated-platform.ts';
import { kubeloom as run } from './kubeloom.ts';
import { root } from './kubeloom-process.ts';

let platform: Platform;
let home: string;
let first: Awaited<ReturnType<typeof run>>;
const log = process.env.KUBELOOM_LOG;

const kubeloom = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  run(args, { environment: { KUBELOOM_API_URL: platform.apiUrl, KUBELOOM_TOKEN: platform.token, ...environment } });

/** A manifest in a file, with `more` instead of what it has. */
function file(name: string, more: Readonly<Record<string, string>> = {}): string {
  const changes = Object.entries({ 'name: sim-minimal': `name: ${name}`, 'name: minimal': `name: ${name}-1`, ...more });
  const text = readFileSync(join(root, 'examples/sim-minimal.yaml'), 'utf8');
  const path = join(home, `${name}-${Object.keys(more).length}.yaml`);
  writeFileSync(
    path,
    changes.reduce((all, [from, to]) => all.replace(from, to), text),
  );
  return path;
}
/** A change of machines that is refused, as they would be replaced. */
const otherType = { 'serverType: small': 'serverType: large' };

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'kubeloom-habits-'));
  process.env.KUBELOOM_LOG = 'none';
  platform = await startSimulatedPlatform();
  first = await kubeloom([
    'apply',
    '-f',
    file('shop', { 'name: sim-minimal': 'name: shop\n  labels: { env: prod }' }),
    '--wait',
  ]);
  await kubeloom(['apply', '-f', file('bank'), '-n', 'team', '--wait', '--json']);
});
afterAll(async () => {
  await platform.stop();
  rmSync(home, { recursive: true, force: true });
  if (log === undefined) delete process.env.KUBELOOM_LOG;
  else process.env.KUBELOOM_LOG = log;
});

describe('lists', () => {
  it.each([
    ['clusters', /shop +shop-1 +Converged/],
    ['pools', /shop-1 +\S+ +control +1\/1/],
    ['nodes', /shop-1 +\S+-01 +Ready +control/],
  ])('get %s lists what all manifests have, or a named one', async (kind, row) => {
    const all = await kubeloom(['get', kind]);
    expect(all.stdout).toMatch(row);
    expect(all.stdout).toContain('bank-1');
    const one = await kubeloom(['get', kind, 'shop', '--json']);
    expect(JSON.stringify(JSON.parse(one.stdout))).not.toContain('bank-1');
  });

  it('-l lists the manifests whose labels fit', async () => {
    expect((await kubeloom(['get', '-l', 'env=prod', '-o', 'name'])).stdout).toBe('shop\n');
    expect((await kubeloom(['get', '-l', 'env!=prod', '-o', 'name'])).stdout).toBe('team/bank\n');
    expect((await kubeloom(['get', 'clusters', '-l', '!env', '-o', 'jsonpath={.items[*].name}'])).stdout).toBe(
      'bank-1\n',
    );
    expect(await kubeloom(['get', '-l', 'env in (prod)'])).toMatchObject({ code: 2 });
  });

  it('-o jsonpath prints the fields that its template names', async () => {
    const template = 'jsonpath={range .items[*]}{.namespace}/{.name}{"\\n"}{end}';
    expect((await kubeloom(['get', '-o', template])).stdout).toBe('default/shop\nteam/bank\n\n');
    expect((await kubeloom(['get', 'shop', '-o', 'jsonpath={.clusters[0].name} {.absent}'])).stdout).toBe('shop-1 \n');
    expect(await kubeloom(['get', '-o', 'jsonpath={.items[?(@.a)]}'])).toMatchObject({ code: 2 });
    const open = ['jsonpath={.items', 'jsonpath={"}', `jsonpath=${'{"{'.repeat(20_000)}`];
    for (const unclosed of open) expect(await kubeloom(['get', '-o', unclosed])).toMatchObject({ code: 2 });
    expect((await kubeloom(['get', 'shop', '-o', 'jsonpath={.name}{"{\\"}"}{.namespace}'])).stdout).toBe(
      'shop{"}default\n',
    );
  });

  it('cost names a manifest without prices', async () => {
    expect((await kubeloom(['cost', 'shop'])).stdout).toContain('shop\n');
    expect(JSON.parse((await kubeloom(['cost', '--json'])).stdout)).toHaveLength(2);
  });

  it('explain KIND.path shows the documentation of a field, and what a misspelled one could be', async () => {
    const { stdout } = await kubeloom(['explain', 'inputmanifest.spec.nodePools.dynamic']);
    expect(stdout).toMatch(/InputManifest\.spec\.nodePools\.dynamic +list/);
    expect(stdout).toMatch(/ count +integer, from 0, to 255/);
    const wrong = await kubeloom(['explain', 'InputManifest.spec.nodePool']);
    expect([wrong.code, wrong.stderr]).toEqual([4, expect.stringContaining('did you mean nodePools?')]);
  });
});

describe('refused plans', () => {
  it('plan of a refused change exits 3, also with --detailed-exitcode, in the words of apply', async () => {
    const changed = file('shop', otherType);
    const plan = await kubeloom(['plan', '-f', changed]);
    const apply = await kubeloom(['apply', '-f', changed]);
    expect([plan.code, apply.code]).toEqual([3, 3]);
    expect((await kubeloom(['plan', '-f', changed, '--detailed-exitcode'])).code).toBe(3);
    const [fault = ''] = plan.stdout.split('\n').filter((line) => line.includes('fault  '));
    expect(fault).toMatch(/shop-1\.yaml:\d+:\d+ {2}nodePools\.dynamic "\w+"/);
    expect(apply.stderr).toContain(fault);
  });

  it('rollback takes a generation as history prints it', async () => {
    const { code, stderr } = await kubeloom(['rollback', 'shop', '--to', 'g1', '--plan']);
    expect(code).not.toBe(2);
    expect(stderr).not.toContain('is not a generation');
  });
});

describe('namespaces', () => {
  it('-n is the namespace of documents that name none, and refuses those that name another one', async () => {
    expect((await kubeloom(['get', 'bank', '-n', 'team'])).code).toBe(0);
    const other = file('mine', { 'name: sim-minimal': 'name: mine\n  namespace: other' });
    const { code, stderr } = await kubeloom(['validate', '-f', other, '-n', 'team']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('is of namespace "other" and -n says "team"')]);
  });

  it('a context has a namespace, which -n and -A override', async () => {
    const environment = { XDG_CONFIG_HOME: home, KUBELOOM_API_URL: '', KUBELOOM_TOKEN: platform.token };
    await kubeloom(['context', 'add', 'work', '--url', platform.apiUrl, '--namespace', 'team', '--use'], environment);
    const names = async (...args: readonly string[]) =>
      (await kubeloom(['get', ...args, '-o', 'name'], environment)).stdout;
    expect([await names(), await names('-A'), await names('-n', 'default')]).toEqual([
      'team/bank\n',
      'shop\nteam/bank\n',
      'shop\n',
    ]);
    expect((await kubeloom(['describe', 'bank'], environment)).code).toBe(0);
    expect((await kubeloom(['plan', '-f', file('bank')], environment)).stdout).toContain('team/bank');
  });
});

it('the first apply --wait ends with how to connect, look and undo', async () => {
  expect(first.stdout.split('\n').slice(-4)).toEqual([
    'connect:   kubeloom kubeconfig shop-1 --merge',
    'look:      kubeloom describe shop; kubeloom console --open',
    'undo:      kubeloom delete shop --wait',
    '',
  ]);
  const again = await kubeloom(['apply', '-f', file('shop', { 'count: 2': 'count: 3' }), '--wait']);
  expect(again.stdout).not.toContain('connect:');
});

it('warnings end with the annotation that accepts them', async () => {
  const { stdout } = await kubeloom(['validate', '-f', file('shop')]);
  expect(stdout).toContain('  accept:  metadata.annotations: { kubeloom.dev/accept: "single-control-node" }');
});

it('completion --install writes the script where the shell finds it', async () => {
  const environment = { XDG_CONFIG_HOME: join(home, 'config'), SHELL: '/usr/bin/fish' };
  const { code, stdout } = await kubeloom(['completion', '--install'], environment);
  const script = join(home, 'config/fish/completions/kubeloom.fish');
  expect([code, stdout]).toEqual([0, expect.stringContaining(script)]);
  expect(readFileSync(script, 'utf8')).toContain('complete -c kubeloom');
});
