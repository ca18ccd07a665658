/** A machine that is gone, and that healing decides about, is not recreated on the way to something else. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { WaypointDocument } from '#contracts/stage.ts';
import type { StagePlan } from '#domain/plan.ts';
import { twoProviderFacts, twoProviderState } from '#test/rendering/states.ts';
import {
  calls,
  host,
  json,
  nodes,
  openRecordings,
  record,
  recordings,
  template,
  world,
} from '../recorded-terraform.ts';
import { aDocument } from '../stage-world.ts';

const gone = nodes[2] ?? '';
const work: StagePlan = {
  stage: 'infrastructure',
  reasons: ['ports change'],
  work: { workspaces: [{ kind: 'machines', name: 'hz-prod', destroy: false }] },
};

function installs(node: string): StagePlan {
  const set = { install: [node], peers: [], uninstall: [], loadBalancers: [], proxy: [] };
  return { stage: 'configuration', reasons: ['set up again'], work: set };
}

interface Part {
  readonly type?: string;
  readonly action: 'create' | 'no-op';
}

interface Recorded {
  /** What the state still has of the machine, whatever the cloud says. @default all of it */
  readonly state?: readonly Part[];
}

/** What Terraform plans for the machine: first as the cloud has it, then as the state records it. Its output has the other two only. */
function planned(parts: readonly Part[], { state = [] }: Recorded = {}): void {
  const rowsOf = (some: readonly Part[]) =>
    some.map(({ type = 'hcloud_server', action }) => {
      return { address: host(gone).replace('hcloud_server', type), type, action };
    });
  const messagesOf = (some: readonly Part[]) =>
    rowsOf(some).flatMap(({ address, action }) =>
      action === 'create'
        ? [{ '@message': 'plan', type: 'planned_change', change: { resource: { addr: address }, action } }]
        : [],
    );
  record('plan.out', json(messagesOf(parts)));
  record('next-plan.out', json(messagesOf(state)));
  record('apply.out', '');
  const resource_changes = rowsOf(state).map(({ address, type, action }) => {
    return { address, type, change: { actions: [action] } };
  });
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

/** What the state has, next to what the saved plan would change. */
function recordedState(...addresses: readonly string[]): void {
  const show = JSON.parse(readFileSync(join(recordings, 'show.out'), 'utf8'));
  const resources = addresses.map((address) => ({ address, type: 'hcloud_server' }));
  record('show.out', JSON.stringify({ ...show, values: { root_module: { resources } } }));
}

const created = (address: string) => {
  return { '@message': 'plan', type: 'planned_change', change: { resource: { addr: address }, action: 'create' } };
};

/** Machines of its pool in the root module that was planned last. */
function plannedNodes(): readonly string[] {
  const root = JSON.parse(readFileSync(join(recordings, 'planned.json'), 'utf8'));
  return Object.keys(root.module['pool_edge-ccccccc'].nodes);
}

/** For each plan, whether it was made without a request to the cloud. */
const asRecorded = (): readonly boolean[] =>
  readFileSync(join(recordings, 'calls'), 'utf8')
    .split('\n')
    .filter((line) => line.includes(': plan '))
    .map((line) => line.includes(' -refresh=false'));

/** What was done to the state. */
const stateCalls = (): readonly string[] =>
  readFileSync(join(recordings, 'calls'), 'utf8')
    .split('\n')
    .map((line) => line.replace(/^[^:]+: /, ''))
    .filter((line) => line.startsWith('state '));

beforeEach(openRecordings);
afterEach(() => world.close());

it('a machine that is gone is not recreated: it counts as existing, keeps its facts and its disk, and is reported', async () => {
  planned([{ action: 'create' }, { type: 'hcloud_volume', action: 'no-op' }]);
  await putKept();
  expect(await world.run('infrastructure')).toMatchObject({ ok: true });
  expect(calls()).toEqual(['init', 'plan', 'plan', 'apply', 'output']);
  expect(asRecorded()).toEqual([false, true]);
  expect(plannedNodes()).toEqual([gone]);
  expect((await world.facts()).nodes[gone]).toEqual(twoProviderFacts.nodes[gone]);
  expect(await world.reported()).toContain(
    `NodeLeftOut: the machine of ${gone}, or a part of it, is gone: this change does not recreate it, healing or its replacement does`,
  );
});

it('a machine that the state does not record any more is left out, if nothing of it remains', async () => {
  const nothing: readonly Part[] = [{ action: 'create' }, { type: 'hcloud_server_network', action: 'create' }];
  planned(nothing, { state: nothing });
  record('last-plan.out', '');
  await putKept();
  expect(await world.run('infrastructure')).toMatchObject({ ok: true });
  expect(calls()).toEqual(['init', 'plan', 'plan', 'show', 'plan', 'apply', 'output']);
  expect(asRecorded()).toEqual([false, true, true]);
  expect(plannedNodes()).toEqual([]);
});

it('such a machine is recreated if its disk remains: without the machine, Terraform would delete the disk', async () => {
  const disk: readonly Part[] = [{ action: 'create' }, { type: 'hcloud_volume', action: 'no-op' }];
  planned(disk, { state: disk });
  const output = JSON.parse(readFileSync(join(recordings, 'output.out'), 'utf8'));
  output.nodes.value['edge-ccccccc'] = { [gone]: { public_address: '198.51.100.9' } };
  record('output.out', JSON.stringify(output));
  await putKept();
  expect(await world.run('infrastructure')).toMatchObject({ ok: true });
  expect(plannedNodes()).toEqual([gone]);
  expect((await world.facts()).nodes[gone]?.publicAddress).toBe('198.51.100.9');
  expect(await world.reported()).not.toContainEqual(expect.stringContaining('NodeLeftOut'));
});

it('a change in place of a machine that is gone is refused before anything is changed', async () => {
  planned([{ action: 'create' }]);
  const change = { resource: { addr: host(gone) }, action: 'update' };
  record('next-plan.out', json([{ '@message': 'plan', type: 'planned_change', change }]));
  await putKept();
  expect((await world.run('infrastructure')).error).toMatchObject({
    class: 'user',
    code: 'MachineGone',
    resource: gone,
    hint: expect.stringContaining(`kubeloom replace shop ${gone}`),
  });
  expect(calls()).not.toContain('apply');
});

it('a machine whose attachment alone is missing is not gone: the attachment is created, and nothing is reported', async () => {
  planned([{ type: 'hcloud_volume_attachment', action: 'create' }]);
  const output = JSON.parse(readFileSync(join(recordings, 'output.out'), 'utf8'));
  output.nodes.value['edge-ccccccc'] = { [gone]: { public_address: '198.51.100.3' } };
  record('output.out', JSON.stringify(output));
  await putKept();
  expect(await world.run('infrastructure')).toMatchObject({ ok: true });
  expect(asRecorded()).toEqual([false]);
  expect(await world.reported()).not.toContainEqual(expect.stringContaining('NodeLeftOut'));
});

it('a repair that names the machine recreates it', async () => {
  planned([{ action: 'create' }], { state: [{ action: 'create' }] });
  await putKept({ direction: 'repair', stages: [work, installs(gone)] });
  await world.run('infrastructure');
  expect(plannedNodes()).toEqual([gone]);
  expect(asRecorded()).toEqual([false]);
});

it('a repair of something else in the same provider does not recreate it', async () => {
  planned([{ action: 'create' }]);
  await putKept({ direction: 'repair' });
  expect(await world.run('infrastructure')).toMatchObject({ ok: true });
  expect(asRecorded()).toEqual([false, true]);
});

it.each<[string, Partial<WaypointDocument>]>([
  ['a control node', {}],
  ['one that a repair names', { direction: 'repair', stages: [work, installs(nodes[0] ?? '')] }],
])('%s is recreated although another lost machine is not: its entry in the state is removed', async (_what, change) => {
  const [control = '', fresh = ''] = nodes;
  planned([]);
  record('plan.out', json([control, fresh, gone].map((node) => created(host(node)))));
  record('next-plan.out', json([control, fresh].map((node) => created(host(node)))));
  recordedState(host(control), host(gone));
  await putKept(change);
  expect(await world.run('infrastructure')).toMatchObject({ ok: true });
  expect(calls()).toEqual(['init', 'plan', 'show', 'state', 'plan', 'apply', 'output']);
  expect(asRecorded()).toEqual([false, true]);
  expect(stateCalls()).toEqual([`state rm -lock-timeout=30s ${host(control)}`]);
});

it('a machine that a hook finds gone is not replaced either: it needs no address, and is reported', async () => {
  planned([]);
  template(
    'before-apply.ts',
    `console.log(JSON.stringify({ replace: [${JSON.stringify(host(gone))}, ${JSON.stringify(host(nodes[0] ?? ''))}] }));`,
  );
  await putKept();
  expect(await world.run('infrastructure')).toMatchObject({ ok: true });
  const plan = readFileSync(join(recordings, 'calls'), 'utf8');
  expect(plan).toContain(`-replace=${host(nodes[0] ?? '')}`);
  expect(plan).not.toContain(`-replace=${host(gone)}`);
  expect((await world.facts()).nodes[gone]).toEqual(twoProviderFacts.nodes[gone]);
  expect(await world.reported()).toContainEqual(expect.stringContaining(`NodeLeftOut: the machine of ${gone}`));
});
