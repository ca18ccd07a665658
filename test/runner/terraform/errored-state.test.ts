/** A state that Terraform could not save is kept, and saved before anything is planned again; with the real Terraform. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { StageFailure, stageCancelled } from '#runner/stage-failure.ts';
import type { StageLog } from '#runner/stage-log.ts';
import { pushDecision, savingState } from '#runner/terraform/state/errored-state.ts';
import { fakeDeps } from '#test/fakes/fake-deps.ts';
import { twoProviderFacts, twoProviderState } from '#test/rendering/states.ts';
import { stateKey } from '../recorded-terraform.ts';
import { hasTerraform, noLock, noState, type RefusingBucket, refusingBucket } from '../refusing-bucket.ts';
import { aCheck } from '../stage-world.ts';

const errored = `${stateKey}.errored`;
const resourcesIn = (state = '{}'): readonly { name: string; instances: readonly object[] }[] =>
  JSON.parse(state).resources ?? [];
const machinesIn = (state: string | undefined) =>
  resourcesIn(state)
    .filter(({ name }) => name === 'machine')
    .flatMap(({ instances }) => instances);
/** Ids of its machines, which are new in each creation. */
const idsIn = (state: string | undefined) => JSON.stringify(machinesIn(state)).match(/"id":"[^"]+"/g);

// On CI a missing tool is a failure, not a skip.
describe.skipIf(!hasTerraform && process.env.CI !== 'true')('a bucket that refuses', () => {
  let bucket: RefusingBucket;
  beforeEach(async () => {
    bucket = await refusingBucket();
  });
  afterEach(() => bucket.close());

  it('a state that was not saved is kept next to it, and the next run saves it and creates nothing twice', async () => {
    bucket.refuse(noState);
    const { error } = await bucket.build();
    expect(error).toMatchObject({ class: 'platform', code: 'TerraformApplyFailed', retryable: false });
    expect(error?.message).toContain(`it is kept as ${errored}`);
    expect(error?.message).toContain('provided token has expired');
    expect(error?.hint).not.toContain('Secret');
    const kept = await bucket.read(errored);
    expect(machinesIn(kept)).toHaveLength(3);
    expect(await bucket.read(stateKey)).toBeUndefined();

    bucket.refuse();
    expect((await bucket.build()).error).toBeUndefined();
    expect(await bucket.read(errored)).toBeUndefined();
    expect(idsIn(await bucket.read(stateKey))).toEqual(idsIn(kept));
    expect((await bucket.world.reported()).map((line) => line.split(':')[0])).toEqual(
      expect.arrayContaining(['StateKept', 'StatePushed']),
    );
  });

  it('nothing is planned while the bucket still refuses, and the kept state stays', async () => {
    bucket.refuse(noState);
    await bucket.build();
    const kept = await bucket.read(errored);
    const { error } = await bucket.build();
    expect(error).toMatchObject({ class: 'platform', code: 'StateNotPushed' });
    expect(error?.message).toContain('provided token has expired');
    expect(await bucket.read(errored)).toBe(kept);
    expect(await bucket.world.log('infrastructure')).not.toContain('terraform plan');
  });

  it('machines of a first apply whose state was not saved are deleted, though there is no state object', async () => {
    bucket.refuse(noState);
    await bucket.build();
    bucket.refuse();
    expect((await bucket.build({ destroy: true })).error).toBeUndefined();
    expect(await bucket.read(stateKey)).toBeUndefined();
    expect(await bucket.read(errored)).toBeUndefined();
    expect((await bucket.world.reported()).join()).toContain('StatePushed');
  });

  it('a person decides where someone has written another state meanwhile, and both stay', async () => {
    bucket.refuse(noState);
    await bucket.build();
    bucket.refuse();
    const foreign = JSON.stringify({ version: 4, serial: 9, lineage: 'another', outputs: {}, resources: [] });
    await bucket.write(stateKey, foreign);
    const { error } = await bucket.build();
    expect(error).toMatchObject({ class: 'conflict', code: 'StateNotPushed' });
    expect(error?.hint).toContain(`Then delete ${errored}`);
    expect(await bucket.read(stateKey)).toBe(foreign);
    expect(await bucket.read(errored)).toBeDefined();
  });

  it('a check for drift compares nothing with a state that is too old', async () => {
    bucket.refuse(noState);
    await bucket.build();
    await bucket.world.put(aCheck(twoProviderState()), twoProviderFacts);
    const { error } = await bucket.world.checkDrift();
    const report = JSON.stringify(
      error ?? (await bucket.read('runs/team/shop/shop-abcde-g1-a1/shop-1234567/w00/drift.json')),
    );
    expect(report).toContain(errored);
  });

  it.each([
    ['NotImplemented', 501, 'A header you provided implies functionality that is not implemented'],
    ['AccessDenied', 403, 'User is not authorized to perform: kms:GenerateDataKey'],
  ])('a lock that the bucket refuses (%s) is reported as one that no one holds', async (code, status, message) => {
    bucket.refuse(noLock(status, code, message));
    const { error } = await bucket.build();
    expect(error).toMatchObject({ class: 'platform', code: 'TerraformPlanFailed', resource: stateKey });
    expect(error?.message).toContain(`No one holds the lock of the Terraform state ${stateKey}`);
    expect(error?.message).toContain(message);
    expect(error?.hint).not.toContain('who holds the lock');
  });
});

describe('keeping a state', () => {
  const left = {
    version: 4,
    serial: 1,
    lineage: 'one',
    resources: [{ mode: 'managed', type: 'hcloud_server', name: 'node' }],
  };
  /** An apply that fails and leaves `errored.tfstate`, in a bucket that refuses this many writes. */
  const failing = async (
    refused: number,
    pauses: readonly number[],
    failure: Error = applyFailed(),
    text = JSON.stringify(left),
  ) => {
    const directory = mkdtempSync(join(tmpdir(), 'errored-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    writeFileSync(join(directory, 'errored.tfstate'), text);
    const ports = fakeDeps();
    let tries = 0;
    const put = ports.artifacts.putText.bind(ports.artifacts);
    ports.artifacts.putText = (...write) => {
      tries += 1;
      return tries <= refused ? Promise.reject(new Error('AccessDenied: kms:GenerateDataKey')) : put(...write);
    };
    const context = { ports, log: { write: () => undefined } as unknown as StageLog, emit: () => undefined };
    const thrown: unknown = await savingState(context, { directory, stateKey, pauses }, () =>
      Promise.reject(failure),
    ).then(
      () => undefined,
      (error: unknown) => error,
    );
    return {
      thrown,
      kept: await ports.artifacts.getText(errored),
      file: existsSync(join(directory, 'errored.tfstate')),
    };
  };
  const applyFailed = () =>
    new StageFailure({
      class: 'credentials',
      code: 'TerraformApplyFailed',
      message: 'Failed to save state',
      hint: 'x',
    });

  it('a state is kept at the try that the bucket takes', async () => {
    const { thrown, kept, file } = await failing(2, [0, 0, 0]);
    expect(thrown).toMatchObject({ error: { class: 'platform', code: 'TerraformApplyFailed' } });
    expect([JSON.parse(kept ?? ''), file]).toEqual([left, false]);
  });

  it('a bucket that refuses to keep it as well is named, with what is in no state now', async () => {
    const { thrown, kept } = await failing(9, [0, 0]);
    expect(thrown).toMatchObject({ error: { class: 'platform', code: 'StateNotKept' } });
    expect(String(thrown)).toContain('kms:GenerateDataKey');
    expect(String(thrown)).toContain('1 resource: hcloud_server.node');
    expect(kept).toBeUndefined();
  });

  it.each([
    ['not JSON', '{"version": 4, "terraform_ver'],
    ['of another form', '{"resources":{"a":1}}'],
    ['with names that no resource has', '{"resources":[{"mode":"managed","type":"x\\u001b[2J","name":"\\u202e"}]}'],
  ])('a state that is %s is kept as it is, and nothing of it is shown', async (_, text) => {
    expect((await failing(0, [], applyFailed(), text)).kept).toBe(text);
    const { thrown } = await failing(1, [], applyFailed(), text);
    expect(thrown).toMatchObject({ error: { code: 'StateNotKept' } });
    expect(String(thrown)).not.toContain('It has');
  });

  it('a stage that was stopped keeps its failure, and the state is kept', async () => {
    const { thrown, kept } = await failing(0, [], stageCancelled());
    expect(thrown).toMatchObject({ error: { code: 'StageCancelled' } });
    expect(kept).toBeDefined();
  });
});

describe('a kept state', () => {
  const state = (serial: number, lineage = 'one', more: object = {}) =>
    JSON.stringify({ version: 4, serial, lineage, ...more });
  it.each([
    ['pushed where nothing is stored', undefined, state(3), 'push'],
    ['pushed onto an older one of its lineage', state(2), state(3), 'push'],
    [
      'done with where it was saved all the same',
      state(3, 'one', { outputs: {} }),
      state(3, 'one', { outputs: {} }),
      'saved',
    ],
    ['not pushed onto one with its number and other contents', state(3, 'one', { outputs: {} }), state(3), 'forked'],
    ['not pushed onto a newer one', state(4), state(3), 'forked'],
    ['not pushed onto one of another lineage', state(1, 'two'), state(3), 'forked'],
    ['left to Terraform where it cannot be compared', 'not json', state(3), 'push'],
    ['left to Terraform where the stored one has no number', '{"serial":"9","lineage":"one"}', state(3), 'push'],
    ['left to Terraform where the stored one is nothing', 'null', state(3), 'push'],
  ] as const)('a kept state is %s', (_, stored, kept, decision) => {
    expect(pushDecision(stored, kept)).toBe(decision);
  });
});
