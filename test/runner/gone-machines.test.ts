/** A machine that is gone, and that healing decides about, is not recreated on the way to something else. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { WaypointDocument } from '#contracts/stage.ts';
import type { StagePlan } from '#domain/plan.ts';
import { twoProviderFacts, twoProviderState } from '#test/rendering/states.ts';
import { calls, host, json, nodes, openRecordings, record, recordings, template, world } from './recorded-terraform.ts';
import { aDocument } from './stage-world.ts';

const gone = nodes[2] ?? '';
const work: StagePlan = {
  stage: 'infrastructure',
  reasons: ['ports change'],
  work: { workspaces: [{ kind: 'machines', name: 'hz-prod', destroy: false }] },
};

interface Part {
  readonly type?: string;
  readonly action: 'create' | 'no-op';
}

/** What Terraform plans for the machine; its output has the other two only. */
function planned(...parts: readonly Part[]): void {
  const rows = parts.map(({ type = 'hcloud_server', action }) => {
    return { address: host(gone).replace('hcloud_server', type), type, action };
  });
  const messages = rows.flatMap(({ address, action }) =>
    action === 'create'
      ? [{ '@message': 'plan', type: 'planned_change', change: { resource: { addr: address }, action } }]
      : [],
  );
  record('plan.out', json(messages));
  record('next-plan.out', '');
  record('apply.out', '');
  const resource_changes = rows.map(({ address, type, action }) => ({ address, type, change: { actions: [action] } }));
  record('show.out', JSON.stringify({ format_version: '1.0', resource_changes }));
  const output = JSON.parse(readFileSync(join(recordings, 'output.out'), 'utf8'));
  output.nodes.value['edge-ccccccc'] = {};
  record('output.out', JSON.stringify(output));
}

const putKept = (change: Partial<WaypointDocument> = {}): Promise<void> =>
  world.put(
    aDocument([work], { direction: 'settle', before: twoProviderState(), notRecreated: [gone], ...change }),
    twoProviderFacts,
  );

/** Machines of its pool in the root module that was planned last. */
function plannedNodes(): readonly string[] {
  const root = JSON.parse(readFileSync(join(recordings, 'planned.json'), 'utf8'));
  return Object.keys(root.module['pool_edge-ccccccc'].nodes);
}

beforeEach(openRecordings);
afterEach(() => world.close());

it('a machine of which nothing remains is not recreated, keeps its facts, and is reported', async () => {
  planned({ action: 'create' }, { type: 'hcloud_server_network', action: 'create' });
  await putKept();
  expect(await world.run('infrastructure')).toMatchObject({ ok: true });
  expect(calls()).toEqual(['init', 'plan', 'show', 'plan', 'apply', 'output']);
  expect(plannedNodes()).toEqual([]);
  expect((await world.facts()).nodes[gone]).toEqual(twoProviderFacts.nodes[gone]);
  expect(await world.reported()).toContain(
    `NodeLeftOut: the machine of ${gone} is gone: this change does not recreate it, healing or its replacement does`,
  );
});

it('a machine whose disk still exists is recreated with it: without the machine, Terraform would delete the disk', async () => {
  planned({ action: 'create' }, { type: 'hcloud_volume', action: 'no-op' });
  const output = JSON.parse(readFileSync(join(recordings, 'output.out'), 'utf8'));
  output.nodes.value['edge-ccccccc'] = { [gone]: { public_address: '198.51.100.9' } };
  record('output.out', JSON.stringify(output));
  await putKept();
  expect(await world.run('infrastructure')).toMatchObject({ ok: true });
  expect(plannedNodes()).toEqual([gone]);
  expect((await world.facts()).nodes[gone]?.publicAddress).toBe('198.51.100.9');
});

it('a repair that names the machine recreates it', async () => {
  planned({ action: 'create' });
  const set = { install: [gone], peers: [], uninstall: [], loadBalancers: [], proxy: [] };
  const configuration: StagePlan = { stage: 'configuration', reasons: ['set up again'], work: set };
  await putKept({ direction: 'repair', stages: [work, configuration] });
  await world.run('infrastructure');
  expect(plannedNodes()).toEqual([gone]);
});

it('a repair of something else in the same provider does not recreate it', async () => {
  planned({ action: 'create' });
  await putKept({ direction: 'repair' });
  expect(await world.run('infrastructure')).toMatchObject({ ok: true });
  expect(plannedNodes()).toEqual([]);
});

it('what a hook finds gone is not replaced either', async () => {
  planned();
  template(
    'before-apply.ts',
    `console.log(JSON.stringify({ replace: [${JSON.stringify(host(gone))}, ${JSON.stringify(host(nodes[0] ?? ''))}] }));`,
  );
  await putKept();
  await world.run('infrastructure');
  const plan = readFileSync(join(recordings, 'calls'), 'utf8');
  expect(plan).toContain(`-replace=${host(nodes[0] ?? '')}`);
  expect(plan).not.toContain(`-replace=${host(gone)}`);
});
