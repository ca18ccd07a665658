/** Passes of the operator against a small API server in memory that refuses what the real one refuses; the real one is in test/real-kubernetes. */
import { beforeEach, expect, it } from 'vitest';
import { ConnectionFault, ProblemAnswer } from '#client/faults.ts';
import { finalizer } from '#operator/objects.ts';
import { FakeWorld, path, secretPath, spec } from './fake-world.ts';

let world: FakeWorld;
let kubernetes: FakeWorld['kubernetes'];
let kubeloom: FakeWorld['kubeloom'];

beforeEach(() => {
  world = new FakeWorld();
  ({ kubernetes, kubeloom } = world);
});

const operator = () => world.operator();
const apply = (changes?: object) => world.apply(changes);
const condition = (type: string) => world.condition(type);

it('Secrets are submitted before the document, with the finalizer already on the object', async () => {
  kubernetes.apply(secretPath, { data: { token: 'aGVsbG8=' } });
  apply();
  kubeloom.onPut = () => expect(kubernetes.at(path)?.metadata.finalizers).toEqual([finalizer]);
  await operator().pass();
  expect(kubeloom.calls.filter((call) => call.startsWith('put'))).toEqual([
    'putSecret team/cloud',
    'putManifest team/shop',
  ]);
  expect(condition('Accepted')).toMatchObject({ status: 'True', reason: 'Accepted' });
});

it('an object that does not change is not written and not submitted again, and a Secret that changes is submitted alone', async () => {
  kubernetes.apply(secretPath, { data: { token: 'aGVsbG8=' } });
  apply();
  const one = operator();
  await one.pass();
  kubeloom.finish('team/shop');
  for (const state of ['DONE', 'WATCHING_FOR_CHANGES']) {
    await one.pass();
    expect(kubernetes.at(path)?.status).toMatchObject({ state });
  }
  kubernetes.writes = 0;
  kubeloom.calls = [];
  await one.pass();
  await operator().pass();
  expect(kubernetes.writes).toBe(0);
  expect(kubeloom.calls).toEqual(['listManifests', 'listManifests']);

  kubernetes.apply(secretPath, { data: { token: 'bmV3' } });
  await one.pass();
  expect(kubeloom.calls.filter((call) => call.startsWith('put'))).toEqual(['putSecret team/cloud']);
});

it('a Secret is submitted although the one before it is refused, and the refusal does not stop its submission', async () => {
  const other = secretPath.replace('cloud', 'other');
  kubernetes.apply(secretPath, { data: { token: 'aGVsbG8=' } });
  kubernetes.apply(other, { data: { token: 'aGVsbG8=' } });
  const [first] = spec().providers;
  apply({ spec: { providers: [first, { name: 'b', secretRef: { name: 'other', namespace: 'team' } }] } });
  kubeloom.refusal = kubeloom.problem(422, 'InvalidSecret');
  await operator().pass();
  expect(kubeloom.calls.filter((call) => call.startsWith('put'))).toEqual([
    'putSecret team/cloud',
    'putSecret team/other',
  ]);
  expect(condition('Accepted')?.message).toBe(
    'Secret team/cloud: InvalidSecret: no\nSecret team/other: InvalidSecret: no',
  );
});

it('a refusal has all faults, is one event, and is retried after five minutes', async () => {
  apply();
  const fault = (path: string) => ({ path, reason: 'is wrong', fix: 'make it right' });
  kubeloom.refusal = kubeloom.problem(422, 'InvalidManifest', [fault('spec.a'), fault('spec.b')]);
  const one = operator();
  await one.pass();
  await one.pass();
  expect(condition('Accepted')?.message).toBe('spec.a: is wrong → make it right\nspec.b: is wrong → make it right');
  expect(kubernetes.at(path)?.status).toMatchObject({ state: 'ERROR' });
  expect(kubernetes.events()).toEqual(['Warning Refused']);
  expect(kubeloom.calls.filter((call) => call === 'putManifest team/shop')).toHaveLength(1);

  kubeloom.refusal = undefined;
  world.now += 300_000;
  await one.pass();
  expect(condition('Accepted')?.status).toBe('True');
});

it('temporary refusals are retried by the next pass: templates that are being resolved, a deletion in progress', async () => {
  apply();
  kubeloom.refusal = kubeloom.problem(409, 'TemplatesPending');
  const one = operator();
  await one.pass();
  expect(condition('Accepted')).toMatchObject({ status: 'Unknown', reason: 'TemplatesPending' });
  kubeloom.refusal = undefined;
  await one.pass();
  expect(condition('Accepted')?.status).toBe('True');
});

it('a status is of the generation that was taken, and not ready, while a later one is not taken yet', async () => {
  apply();
  const one = operator();
  await one.pass();
  kubeloom.finish('team/shop');
  await one.pass();
  expect(condition('Ready')?.status).toBe('True');
  const taken = kubernetes.at(path)?.metadata.generation;
  apply({ spec: { ...spec(), deletionProtection: true } });
  kubeloom.refusal = kubeloom.problem(409, 'TemplatesPending');
  await one.pass();
  const observed = () =>
    (kubernetes.at(path)?.status as { observedGeneration?: number } | undefined)?.observedGeneration;
  expect(observed()).toBe(taken);
  expect(condition('Accepted')?.status).toBe('Unknown');
  expect(condition('Ready')).toMatchObject({ status: 'False', reason: 'TemplatesPending' });
  expect(condition('Degraded')?.observedGeneration).toBe(taken);
  kubeloom.refusal = undefined;
  await one.pass();
  expect([observed(), condition('Degraded')?.observedGeneration]).toEqual([(taken ?? 0) + 1, (taken ?? 0) + 1]);
});

it('an API that does not answer is logged once, and nothing is written', async () => {
  apply();
  kubeloom.outage = new ConnectionFault('unreachable', 'connect ECONNREFUSED');
  const one = operator();
  for (let times = 0; times < 3; times += 1) await expect(one.pass()).rejects.toThrow('ECONNREFUSED');
  expect(kubernetes.writes).toBe(0);
});

it('an object that was changed after it was listed is left to the next pass', async () => {
  apply();
  kubernetes.afterList = () => apply({ spec: { ...spec(), deletionProtection: true } });
  const one = operator();
  await one.pass();
  kubernetes.afterList = () => {};
  await one.pass();
  expect(kubeloom.documents.get('team/shop')).toMatchObject({ spec: { deletionProtection: true } });
  expect(world.log).toEqual([]);
});

it('a document that another one replaced since it was read is submitted by the next pass', async () => {
  apply();
  kubeloom.refusal = kubeloom.problem(412, 'VersionConflict');
  const one = operator();
  await one.pass();
  expect(kubernetes.at(path)?.status).toBeUndefined();
  kubeloom.refusal = undefined;
  await one.pass();
  expect(condition('Accepted')?.status).toBe('True');
});

it('a deletion that Kubeloom refuses says why, keeps the finalizer, and is retried', async () => {
  apply();
  const one = operator();
  await one.pass();
  kubernetes.delete(path);
  kubeloom.refusal = kubeloom.problem(422, 'Protected');
  await one.pass();
  expect(condition('Ready')).toMatchObject({ status: 'False', reason: 'Protected' });
  kubeloom.refusal = undefined;
  world.now += 300_000;
  await one.pass();
  kubeloom.documents.clear();
  await one.pass();
  expect(kubernetes.at(path)).toBeUndefined();
});

it('a watch that is refused as too old, or ends, leaves everything to the lists', async () => {
  kubernetes.watchRefusal = 410;
  apply();
  await operator().pass();
  expect(condition('Accepted')?.status).toBe('True');
});

it('a group that is not installed is passed over', async () => {
  kubernetes.missing = '/apis/claudie.io/';
  apply();
  await operator().pass();
  expect(condition('Accepted')?.status).toBe('True');
});

it('values of Secrets are in no log, event or status, also when they are refused', async () => {
  kubernetes.apply(secretPath, { data: { token: Buffer.from('hidden-value').toString('base64') } });
  apply();
  kubeloom.refusal = kubeloom.problem(422, 'InvalidSecret');
  await operator().pass();
  const output = JSON.stringify([kubernetes.at(path), kubernetes.events(), world.log]);
  expect(output).not.toContain('hidden-value');
  expect(output).not.toContain(Buffer.from('hidden-value').toString('base64'));
  expect(condition('Accepted')).toMatchObject({ status: 'False', reason: 'InvalidSecret' });
});

it('an error of the client carries the document and prints no value of it', () => {
  const error = new ProblemAnswer(kubeloom.problem(422, 'InvalidSecret'), { data: { token: 'hidden-value' } });
  expect(`${error.name}: ${error.message}`).not.toContain('hidden-value');
});
