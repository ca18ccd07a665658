/** An edit of a Terraform state, with the real Terraform: what is removed, moved and imported, and what is refused without a change. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StageResult } from '#contracts/stage.ts';
import { StoredStateEdit, stateEditKeys } from '#contracts/state-edits.ts';
import { stateEditWaypoint } from '#domain/planning/work/state-edit.ts';
import type { StateChange, StateEdit } from '#domain/state-edit.ts';
import { keptStateKey } from '#runner/terraform/edit-state.ts';
import { twoProviderFacts, twoProviderState } from '#test/rendering/states.ts';
import { stateKey } from '../recorded-terraform.ts';
import { hasTerraform, type RefusingBucket, refusingBucket } from '../refusing-bucket.ts';
import { aDocument, prefix, type RunOptions } from '../stage-world.ts';

const workspace = 'machines-hz-prod';
const machine = (node: string) => `module.pool_${node.slice(0, -3)}.terraform_data.machine["${node}"]`;
const first = machine('control-aaaaaaa-01');
const second = machine('control-aaaaaaa-02');
const document = aDocument([]);

// On CI a missing tool is a failure, not a skip.
describe.skipIf(!hasTerraform && process.env.CI !== 'true')('an edit of a Terraform state', () => {
  let bucket: RefusingBucket;
  beforeEach(async () => {
    bucket = await refusingBucket();
    expect((await bucket.build()).error).toBeUndefined();
  });
  afterEach(() => bucket.close());

  const state = async () => JSON.parse((await bucket.read(stateKey)) ?? 'null');
  const serial = async (): Promise<number> => (await state()).serial;
  const idOf = async (node: string): Promise<string | undefined> => {
    const { resources } = await state();
    const all = resources.flatMap(({ instances }: { instances: readonly unknown[] }) => instances);
    return all.find(({ index_key }: { index_key: string }) => index_key === node)?.attributes.id;
  };
  const edit = async (change: StateChange, options: RunOptions & Partial<StateEdit> = {}): Promise<StageResult> => {
    const { workspace: of = workspace, serial: planned = await serial(), ...run } = options;
    const target = twoProviderState();
    const stored = { workspace: of, serial: planned, change, by: 'ann from 203.0.113.7' };
    const key = stateEditKeys.ofWaypoint(prefix);
    await bucket.write(key, JSON.stringify(StoredStateEdit.parse({ schema: 1, edit: stored })));
    const waypoint = stateEditWaypoint(target, stored, key);
    const ends = { direction: 'edit', before: target, target } as const;
    await bucket.world.put(aDocument(waypoint.stages, ends), twoProviderFacts);
    return bucket.world.run('infrastructure', run);
  };

  it('a machine that is removed keeps its id outside of the state, and the next run creates a second one', async () => {
    const before = (await bucket.read(stateKey)) ?? '';
    const [was, id] = [await serial(), await idOf('control-aaaaaaa-01')];
    const { error, summary } = await edit({ kind: 'rm', addresses: [first, second] });
    expect(error).toBeUndefined();
    expect(summary).toEqual({ resourcesEdited: 2 });
    expect(await idOf('control-aaaaaaa-01')).toBeUndefined();
    expect(await bucket.read(keptStateKey(document, { workspace, serial: was }))).toBe(before);
    const events = (await bucket.world.reported()).filter((line) => line.startsWith('StateEdited'));
    expect(events).toEqual([
      `StateEdited: the Terraform state ${workspace}: 2 resources removed (${first}, ${second}), requested by ann from 203.0.113.7; serial ${was} before, ${was + 1} now; it is kept as it was as ${keptStateKey(document, { workspace, serial: was })}`,
    ]);
    expect(await bucket.world.log('infrastructure')).not.toMatch(/very-secret|terraform (plan|apply)/);
    expect((await bucket.build()).error).toBeUndefined();
    expect(await idOf('control-aaaaaaa-01')).not.toBe(id);
  });

  it('the copy of before, put back over the state, is what the next run works with', async () => {
    const [planned, id] = [await serial(), await idOf('control-aaaaaaa-01')];
    expect((await edit({ kind: 'rm', addresses: [first] })).error).toBeUndefined();
    const kept = keptStateKey(document, { workspace, serial: planned });
    await bucket.write(stateKey, (await bucket.read(kept)) ?? '');
    expect((await bucket.build()).error).toBeUndefined();
    expect(await idOf('control-aaaaaaa-01')).toBe(id);
  });

  it('what was removed is imported again under its id', async () => {
    const id = (await idOf('control-aaaaaaa-01')) ?? '';
    expect((await edit({ kind: 'rm', addresses: [first] })).error).toBeUndefined();
    expect((await edit({ kind: 'import', address: first, id })).error).toBeUndefined();
    expect(await idOf('control-aaaaaaa-01')).toBe(id);
  });

  it('a resource is moved to another address, and keeps its id', async () => {
    const id = await idOf('control-aaaaaaa-01');
    const to = machine('control-aaaaaaa-77');
    expect((await edit({ kind: 'mv', from: first, to })).error).toBeUndefined();
    expect([await idOf('control-aaaaaaa-01'), await idOf('control-aaaaaaa-77')]).toEqual([undefined, id]);
  });

  it('addresses that do not exist, or do already, are refused all at once with what there is', async () => {
    const before = await bucket.read(stateKey);
    const wrong = [machine('control-aaaaaaa-09'), first, 'module.other.terraform_data.none'];
    const { error } = await edit({ kind: 'rm', addresses: wrong });
    expect(error).toMatchObject({ class: 'user', code: 'EditRefused' });
    expect(error?.message).toContain(`there is no ${wrong[0]}; did you mean ${first}?`);
    expect(error?.message).toContain(`there is no ${wrong[2]}`);
    const taken = await edit({ kind: 'mv', from: machine('control-aaaaaaa-09'), to: second });
    expect(taken.error?.message).toMatch(/there is no .*-09.*exists already/s);
    const twice = await edit({ kind: 'import', address: first, id: 'another' });
    expect(twice.error?.message).toContain(`${first} exists already`);
    expect(await bucket.read(stateKey)).toBe(before);
  });

  it('an address that the templates do not have is not imported', async () => {
    const before = await bucket.read(stateKey);
    const { error } = await edit({ kind: 'import', address: machine('control-aaaaaaa-77'), id: 'x' });
    expect(error).toMatchObject({ class: 'user', code: 'TerraformImportFailed', retryable: false });
    expect(error?.hint).toContain('The templates have to have the address');
    expect(await bucket.read(stateKey)).toBe(before);
  });

  it('what a template cannot work out of what was imported is for the person, and is not retried', async () => {
    expect((await edit({ kind: 'rm', addresses: [first] })).error).toBeUndefined();
    const broken = { machine: { for_each: '${var.nodes}', input: '${each.key}' } };
    const output = {
      nodes: {
        value:
          '${{ for name, one in terraform_data.machine : name => { public_address = one.output.none } if one.id == "x" }}',
      },
    };
    const variable = Object.fromEntries(
      ['pool', 'nodes', 'ssh_public_key', 'first_boot', 'tags', 'network'].map((name) => [
        name,
        { type: 'any', default: null },
      ]),
    );
    const module = { variable, resource: { terraform_data: broken }, output };
    bucket.world.file('terraform/hetzner/nodepool/main.tf.json', JSON.stringify(module));
    const before = await bucket.read(stateKey);
    const { error } = await edit({ kind: 'import', address: first, id: 'x' });
    expect(error).toMatchObject({ class: 'user', code: 'TerraformImportFailed', retryable: false });
    expect(await bucket.read(stateKey)).toBe(before);
  });

  it('a state that has changed since the edit was planned is not edited', async () => {
    const before = await bucket.read(stateKey);
    const { error } = await edit({ kind: 'rm', addresses: [first] }, { serial: 99 });
    expect(error).toMatchObject({ class: 'user', code: 'StateMoved' });
    expect(await bucket.read(stateKey)).toBe(before);
  });

  it('a second try of an edit whose first one was killed after it was made changes nothing more', async () => {
    const planned = await serial();
    await edit({ kind: 'rm', addresses: [first] }, { serial: planned });
    const made = await bucket.read(stateKey);
    const again = await edit({ kind: 'rm', addresses: [first] }, { serial: planned, attempt: 2 });
    expect(again).toMatchObject({ ok: true, summary: { resourcesEdited: 1 } });
    expect(await bucket.read(stateKey)).toBe(made);
    const once = await edit({ kind: 'rm', addresses: [first] }, { serial: planned });
    expect(once.error).toMatchObject({ code: 'StateMoved' });
  });

  it('a lock that a killed edit left is freed by the next one, and the lock of a build that runs is not', async () => {
    const dead = { ID: '0e0b4a9c-1111-2222-3333-444455556666', Who: 'runner@dead', Created: '2026-11-23T11:00:00Z' };
    const text = JSON.stringify({
      ...dead,
      Operation: 'OperationTypeStateRm',
      Info: '',
      Version: '1.11.4',
      Path: stateKey,
    });
    await bucket.write(`${stateKey}.tflock`, text);
    await bucket.write(`${stateKey}.owner`, JSON.stringify({ who: dead.Who, waypoint: 'w', build: 'terraform:7' }));
    const { statuses } = bucket.world.ports.builds;
    statuses.set('terraform:7', 'running');
    const before = await bucket.read(stateKey);
    expect((await edit({ kind: 'rm', addresses: [first] })).error).toMatchObject({ code: 'StateInUse' });
    expect(await bucket.read(stateKey)).toBe(before);
    statuses.set('terraform:7', 'ended');
    expect((await edit({ kind: 'rm', addresses: [first] })).error).toBeUndefined();
    expect([await bucket.read(`${stateKey}.tflock`), await idOf('control-aaaaaaa-01')]).toEqual([undefined, undefined]);
  });

  it('a state that cannot be kept is not edited', async () => {
    const before = await bucket.read(stateKey);
    const key = keptStateKey(document, { workspace, serial: await serial() });
    bucket.refuse({ method: 'PUT', ending: key, status: 403, code: 'AccessDenied', message: 'no' });
    expect((await edit({ kind: 'rm', addresses: [first] })).ok).toBe(false);
    expect(await bucket.read(stateKey)).toBe(before);
  });

  it('a state that is newer than what is stored is saved first, by another run', async () => {
    await bucket.write(`${stateKey}.errored`, '{}');
    expect((await edit({ kind: 'rm', addresses: [first] })).error).toMatchObject({ code: 'StateNotPushed' });
    expect((await edit({ kind: 'rm', addresses: [first] }, { workspace: 'machines-none' })).error).toMatchObject({
      code: 'StateUnknown',
    });
  });
});
