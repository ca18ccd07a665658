/** New pools that cannot be made: left out where that is enough, in the infrastructure stage and in later stages. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noFacts } from '#domain/cluster-state.ts';
import type { StagePlan } from '#domain/plan.ts';
import { stateFaults } from '#domain/planning/states/state-faults.ts';
import { withoutPools, worksWithout } from '#domain/planning/states/without-pools.ts';
import {
  balancer,
  controlPool,
  dynamicPool,
  hetzner,
  staticPool,
  twoProviderFacts,
  twoProviderState,
} from '#test/rendering/states.ts';
import { aDocument, type StageWorld, stageWorld } from '../stage-world.ts';

/** Makes what the root wants; a command fails as long as the root makes the module that `fail-<command>` names first. */
const fakeTerraform = `#!${process.execPath}
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs');
const { basename } = require('node:path');
const recordings = process.env.KUBELOOM_TEST_RECORDINGS;
const workspace = basename(process.cwd());
const [command] = process.argv.slice(2);
const root = readFileSync('main.tf.json', 'utf8');
const made = Object.entries(JSON.parse(root).module).filter(([, call]) => call.count === undefined);
appendFileSync(recordings + '/calls', workspace + ': ' + command + '\\n');
writeFileSync(recordings + '/' + workspace + '.json', root);
const fault = recordings + '/fail-' + command;
const [failing, ...lines] = existsSync(fault) ? readFileSync(fault, 'utf8').split('\\n') : [];
if (made.some(([name]) => name === failing)) {
  console.log(lines.join('\\n'));
  process.exit(1);
}
const changes = { add: 1, change: 0, remove: 0, operation: command };
if (command === 'plan' || command === 'apply') console.log(JSON.stringify({ type: 'change_summary', '@message': '', changes }));
if (command === 'plan') process.exitCode = 2;
const pools = made.filter(([name]) => name.startsWith('pool_')).map(([, call]) => call);
const nodes = ({ nodes }) => Object.fromEntries(Object.keys(nodes).map((name) => [name, { public_address: '198.51.100.7' }]));
const value = Object.fromEntries(pools.map((call) => [call.pool.id, nodes(call)]));
if (command === 'output') console.log(JSON.stringify({ nodes: { value } }));
`;

const other = { ...hetzner, name: 'hz-other' };
const pool = (id: string, provider = hetzner, region = 'fsn1', subnet = '10.0.9.0/24', address = '192.168.2.40') =>
  dynamicPool({ id, nodes: [{ name: `${id}-01`, privateAddress: address }] }, { provider, region, subnet });
const good = pool('good-1111111');
const bad = pool('bad-2222222', hetzner, 'fsn1', '10.0.8.0/24', '192.168.2.41');
const far = pool('far-3333333', other, 'hel1', '10.0.7.0/24', '192.168.2.42');
const before = twoProviderState({
  pools: [controlPool, staticPool],
  loadBalancers: [{ ...balancer, roles: balancer.roles.slice(0, 1) }],
});
const target = { ...before, pools: [...before.pools, good, bad, far] };
const stage: StagePlan = {
  stage: 'infrastructure',
  reasons: [],
  work: {
    workspaces: [
      { kind: 'machines', name: 'hz-prod', destroy: false },
      { kind: 'machines', name: 'hz-other', destroy: false },
    ],
  },
};
const diagnostic = (address: string | undefined, summary: string) =>
  JSON.stringify({
    '@message': summary,
    type: 'diagnostic',
    diagnostic: { severity: 'error', summary, detail: '', ...(address === undefined ? {} : { address }) },
  });

let world: StageWorld;
let recordings: string;
const fail = (command: string, module: string, ...lines: readonly string[]) =>
  writeFileSync(join(recordings, `fail-${command}`), [module, ...lines, ''].join('\n'));
const root = (workspace: string) => JSON.parse(readFileSync(join(recordings, `machines-${workspace}.json`), 'utf8'));

beforeEach(async () => {
  world = stageWorld();
  recordings = join(world.directory, 'recordings');
  mkdirSync(join(world.templates, 'terraform', 'hetzner'), { recursive: true });
  mkdirSync(recordings);
  world.set('KUBELOOM_TEST_RECORDINGS', recordings);
  world.set('KUBELOOM_TERRAFORM', world.script('terraform', fakeTerraform));
  await world.put(aDocument([stage], { before, target, facts: twoProviderFacts }), twoProviderFacts);
});
afterEach(() => world.close());

describe('failed new pools in a grow', () => {
  const noQuota = diagnostic('module.pool_bad-2222222.hcloud_server.node["bad-2222222-01"]', 'quota exceeded');

  it('a grow with a failed new pool leaves it out, creates the others, and says why', async () => {
    fail('apply', 'pool_bad-2222222', noQuota);
    const result = await world.run('infrastructure');
    expect(result).toMatchObject({ ok: true, failedPools: [{ pool: 'bad-2222222', error: { class: 'quota' } }] });
    expect(root('hz-prod').module['pool_bad-2222222'].count).toBe(0);
    const facts = await world.facts();
    expect(facts.failedPools).toEqual(['bad-2222222']);
    expect(Object.keys(facts.nodes)).toContain('good-1111111-01');
    expect(Object.keys(facts.nodes)).not.toContain('bad-2222222-01');
    expect((await world.reported()).filter((line) => line.startsWith('PoolLeftOut'))).toHaveLength(1);
  });

  it('all new pools of an instance are left out when Terraform does not say which one failed', async () => {
    fail('plan', 'pool_far-3333333', diagnostic(undefined, 'unable to authenticate'));
    const result = await world.run('infrastructure');
    expect(result.failedPools?.map(({ pool }) => pool)).toEqual(['far-3333333']);
  });

  it('a failed pool of which nothing was created is left out without Terraform', async () => {
    const lone = { ...other, secret: 'team/none' };
    writeFileSync(
      join(world.templates, 'terraform', 'hetzner', 'provider.json'),
      JSON.stringify({
        provider: { name: 'hcloud', source: 'a/b', version: '1.0.0', credentials: { token: 'token' } },
      }),
    );
    await world.ports.secrets.put('user/team/hetzner-token', { token: 'fine' });
    const pools = [...before.pools, good, { ...far, source: { ...far.source, provider: lone } as typeof far.source }];
    await world.put(
      aDocument([stage], { before, target: { ...target, pools }, facts: twoProviderFacts }),
      twoProviderFacts,
    );
    const result = await world.run('infrastructure');
    expect(result.failedPools).toMatchObject([{ pool: 'far-3333333', error: { code: 'SecretMissing' } }]);
    expect(readFileSync(join(recordings, 'calls'), 'utf8')).not.toContain('machines-hz-other');
  });

  it('a grow is retried as a whole while that may help', async () => {
    fail('apply', 'pool_bad-2222222', diagnostic('module.pool_bad-2222222.hcloud_server.node["x"]', 'rate limit'));
    expect(await world.run('infrastructure')).toMatchObject({ ok: false, error: { class: 'transient' } });
    expect((await world.facts()).failedPools).toBeUndefined();
  });

  it('a grow succeeds when the failed pool was its only new one', async () => {
    fail('apply', 'pool_bad-2222222', noQuota);
    const alone = { ...stage, work: { workspaces: [{ kind: 'machines' as const, name: 'hz-prod', destroy: false }] } };
    const pools = [...before.pools, bad];
    await world.put(aDocument([alone], { before, target: { ...before, pools } }), twoProviderFacts);
    expect(await world.run('infrastructure')).toMatchObject({ ok: true, failedPools: [{ pool: 'bad-2222222' }] });
  });

  it('the stage fails for an existing pool, for a pool that cannot be removed, and outside of a grow', async () => {
    fail('apply', 'pool_bad-2222222', noQuota, diagnostic('module.pool_control-aaaaaaa.x.y["z"]', 'quota exceeded'));
    expect((await world.run('infrastructure')).ok).toBe(false);
    fail('apply', 'pool_good-1111111', noQuota);
    expect((await world.run('infrastructure')).ok).toBe(false);
    fail('apply', 'pool_bad-2222222', noQuota);
    await world.put(aDocument([stage], { before, target, direction: 'settle' }), twoProviderFacts);
    expect((await world.run('infrastructure')).ok).toBe(false);
  });

  it('a stopped stage leaves out no pools', async () => {
    const stop = new AbortController();
    stop.abort();
    const result = await world.run('infrastructure', { signal: stop.signal });
    expect(result).toMatchObject({ ok: false, error: { code: 'StageCancelled' } });
  });
});

describe('later stages', () => {
  const patch: StagePlan = {
    stage: 'nodes',
    reasons: [],
    work: { patch: ['good-1111111-01', 'bad-2222222-01'], remove: [], maxUnavailable: 1 },
  };
  const known = { ...twoProviderFacts, failedPools: ['bad-2222222'] };
  const seen = async (plan: StagePlan, mode: 'do' | 'undo') => {
    const states: unknown[] = [];
    await world.put(aDocument([plan], { before, target, undo: [plan] }), known);
    await world.run(plan.stage, {
      mode,
      tool: async ({ target: goal, others, plan: { work } }) => {
        states.push({
          target: goal?.pools.map(({ id }) => id),
          others: others.flatMap(({ pools }) => pools.map(({ id }) => id)),
          work,
        });
        return {};
      },
    });
    return states[0];
  };

  it('later stages work on the target without the failed pool and its nodes', async () => {
    expect(await seen(patch, 'do')).toMatchObject({
      target: ['control-aaaaaaa', 'basement', 'good-1111111', 'far-3333333'],
      work: { patch: ['good-1111111-01'] },
    });
  });

  it('the undo still includes the failed pool, which may exist', async () => {
    expect(await seen(patch, 'undo')).toMatchObject({
      target: ['control-aaaaaaa', 'basement'],
      others: expect.arrayContaining(['bad-2222222']),
    });
  });
});

describe('clusters without some pools', () => {
  it('a state without some pools is valid, and its roles point to the pools that remain', () => {
    const state = twoProviderState();
    const left = withoutPools(state, ['workers-bbbbbbb']);
    expect(left.loadBalancers[0]?.roles.map(({ targetPools }) => targetPools)).toEqual([['control'], ['basement']]);
    expect(stateFaults(left)).toEqual([]);
    expect(worksWithout(null, state, ['workers-bbbbbbb'])).toBe(true);
  });

  it('a cluster needs its control nodes, its API load balancer, and what existed before', () => {
    const state = twoProviderState();
    expect(worksWithout(null, state, ['control-aaaaaaa'])).toBe(false);
    expect(worksWithout(null, state, ['edge-ccccccc'])).toBe(false);
    expect(worksWithout(state, target, ['control-aaaaaaa'])).toBe(false);
    expect(noFacts.failedPools).toBeUndefined();
  });
});
