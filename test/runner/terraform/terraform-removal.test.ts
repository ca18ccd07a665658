/** The infrastructure stage with a Terraform that prints what was recorded: machines that are removed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noFacts } from '#domain/cluster-state.ts';
import type { StagePlan } from '#domain/plan.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { calls, json, openRecordings, record, recordings, stateKey, template, world } from '../recorded-terraform.ts';
import { aDocument } from '../stage-world.ts';

const machines = (destroy = false): StagePlan => ({
  stage: 'infrastructure',
  reasons: ['pools are new'],
  work: { workspaces: [{ kind: 'machines', name: 'hz-prod', destroy }] },
});

beforeEach(openRecordings);
afterEach(() => world.close());

describe('removal of machines', () => {
  const document = aDocument([machines(true)], { direction: 'destroy', before: twoProviderState(), target: null });
  beforeEach(async () => {
    await world.put(document, { ...noFacts, nodes: { 'control-aaaaaaa-01': { publicAddress: '198.51.100.1' } } });
    template(
      'after-destroy.ts',
      `import { appendFileSync } from 'node:fs';
       appendFileSync(process.env.KUBELOOM_TEST_RECORDINGS + '/calls', 'hook: after-destroy\\n');`,
    );
  });

  it('a removal plans the destroy, then deletes state and facts, keeps the keys, which a function deletes, and runs the cleanup hook', async () => {
    await world.ports.artifacts.putText(stateKey, '{}');
    await world.ports.secrets.put('ssh/team/shop/shop-1234567/control-aaaaaaa', { privatekey: 'x', publickey: 'y' });
    expect((await world.run('infrastructure')).ok).toBe(true);
    expect(calls()).toEqual(['init', 'plan', 'apply', 'after-destroy']);
    expect(readFileSync(join(recordings, 'calls'), 'utf8')).toMatch(/plan -json .* -destroy$/m);
    const root = JSON.parse(readFileSync(join(recordings, 'machines-hz-prod.json'), 'utf8'));
    expect(root.module['pool_control-aaaaaaa'].count).toBe(0);
    expect(await world.ports.artifacts.list('terraform/')).toEqual([]);
    expect(await world.ports.secrets.list('ssh')).toEqual(['ssh/team/shop/shop-1234567/control-aaaaaaa']);
    expect((await world.facts()).nodes).toEqual({});
  });

  it('a removal without a state and without known machines runs only the cleanup hook', async () => {
    await world.put(document, noFacts);
    expect((await world.run('infrastructure')).ok).toBe(true);
    expect(calls()).toEqual(['after-destroy']);
  });

  it('a removal without a state fails while machines are known, and names them', async () => {
    const { ok, error } = await world.run('infrastructure');
    expect([ok, error?.class, error?.code]).toEqual([false, 'user', 'StateLost']);
    expect(error?.message).toContain(
      `${stateKey} is gone, but 1 machine of provider hz-prod is known: control-aaaaaaa-01`,
    );
    expect(error?.hint).toContain('--orphan all');
  });

  it('a removal without a state succeeds when the known machines are orphaned', async () => {
    const plan = {
      ...machines(true),
      work: { workspaces: [{ kind: 'machines', name: 'hz-prod', destroy: true }], orphan: ['control-aaaaaaa-01'] },
    };
    await world.put(
      aDocument([plan as StagePlan], { direction: 'destroy', before: twoProviderState(), target: null }),
      {
        ...noFacts,
        nodes: { 'control-aaaaaaa-01': { publicAddress: '198.51.100.1' } },
      },
    );
    expect((await world.run('infrastructure')).ok).toBe(true);
  });

  it('a removal that was interrupted after it destroyed everything succeeds the second time', async () => {
    await world.ports.artifacts.putText(stateKey, '{}');
    expect((await world.run('infrastructure')).ok).toBe(true);
    await world.put(document, { ...noFacts, nodes: { 'control-aaaaaaa-01': { publicAddress: '198.51.100.1' } } });
    expect((await world.run('infrastructure')).ok).toBe(true);
  });

  it('a failed destroy is reported with its reason, also when the hook fails too', async () => {
    await world.ports.artifacts.putText(stateKey, '{}');
    record('plan.code', '1');
    record(
      'plan.out',
      json([
        {
          '@message': 'e',
          type: 'diagnostic',
          diagnostic: { severity: 'error', summary: 'quota exceeded', detail: '' },
        },
      ]),
    );
    template('after-destroy.ts', "console.error('the hook is broken, too'); process.exit(4);");
    expect(await world.run('infrastructure')).toMatchObject({
      ok: false,
      error: { class: 'quota', message: 'quota exceeded' },
    });
  });

  it('the cleanup hook runs after a failed destroy, and the state is kept', async () => {
    await world.ports.artifacts.putText(stateKey, '{}');
    record('apply.code', '1');
    expect((await world.run('infrastructure')).ok).toBe(false);
    expect(calls()).toContain('after-destroy');
    expect(await world.ports.artifacts.getText(stateKey)).toBe('{}');
  });
});
