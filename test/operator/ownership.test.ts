/** What an object may use, and which manifest is its own: never a Secret of another namespace, never a manifest that only has its name. */
import { beforeEach, expect, it, test } from 'vitest';
import { ManifestObject } from '#operator/objects.ts';
import { KnownSecrets } from '#operator/secrets.ts';
import { FakeWorld, path, secretPath, spec } from './fake-world.ts';

let world: FakeWorld;
let kubernetes: FakeWorld['kubernetes'];
let kubeloom: FakeWorld['kubeloom'];

beforeEach(() => {
  world = new FakeWorld();
  ({ kubernetes, kubeloom } = world);
});

const operator = (settings?: { ownNamespaceOnly: boolean }) => world.operator(settings);
const apply = (changes?: object) => world.apply(changes);
const condition = (type: string) => world.condition(type);

it('a document that refers to another namespace is not submitted if only its own is allowed, and all such places are named', async () => {
  kubernetes.apply('/api/v1/namespaces/other/secrets/cloud', { data: { token: 'aGVsbG8=' } });
  kubernetes.apply(secretPath, { data: { token: 'aGVsbG8=' } });
  const templatesRef = { name: 'modules', namespace: 'third' };
  const foreign = { ...spec('other').providers[0], templatesRef };
  apply({ spec: { providers: [foreign, spec().providers[0]] } });
  const one = operator({ ownNamespaceOnly: true });
  await one.pass();
  await one.pass();
  expect(kubeloom.calls.filter((call) => call.startsWith('put'))).toEqual([]);
  expect(condition('Accepted')).toMatchObject({ status: 'False', reason: 'ForeignSecret' });
  expect(condition('Accepted')?.message).toMatch(/^secretRef other\/cloud: .+\ntemplatesRef third\/modules: .+$/);

  apply();
  await one.pass();
  expect(kubeloom.calls.filter((call) => call.startsWith('put'))).toEqual([
    'putSecret team/cloud',
    'putManifest team/shop',
  ]);
});

it('templates with a Secret of another namespace are not submitted if only their own is allowed', async () => {
  const templates = '/apis/kubeloom.dev/v1/namespaces/team/templategitreferences/modules';
  kubernetes.apply(templates, { spec: { secretRef: { name: 'git', namespace: 'other' } } });
  await operator({ ownNamespaceOnly: true }).pass();
  expect(kubeloom.calls).not.toContain('putTemplate team/modules');
  expect(kubernetes.at(templates)?.status).toMatchObject({
    conditions: [
      { status: 'False', reason: 'ForeignSecret' },
      { type: 'Ready', status: 'False' },
      {},
      { status: 'True' },
    ],
  });
});

it('an object that was accepted before only its own namespace was allowed is refused from then on', async () => {
  apply({ spec: spec('other') });
  await operator().pass();
  await operator({ ownNamespaceOnly: true }).pass();
  expect(condition('Accepted')).toMatchObject({ status: 'False', reason: 'ForeignSecret' });
});

it('a manifest that Kubeloom does not have any more is not created again unasked', async () => {
  apply();
  const one = operator();
  await one.pass();
  kubeloom.documents.clear();
  await one.pass();
  await operator().pass();
  expect(condition('Accepted')).toMatchObject({ status: 'False', reason: 'Missing' });
  expect(kubeloom.documents.size).toBe(0);

  apply({ spec: { ...spec(), deletionProtection: true } });
  await one.pass();
  expect(condition('Accepted')?.status).toBe('True');
});

it('a manifest that Kubeloom does not have any more is not created again because a Secret changes', async () => {
  kubernetes.apply(secretPath, { data: { token: 'aGVsbG8=' } });
  apply();
  const one = operator();
  await one.pass();
  kubeloom.documents.clear();
  kubernetes.apply(secretPath, { data: { token: 'bmV3' } });
  for (let times = 0; times < 3; times += 1) await one.pass();
  kubernetes.apply(secretPath, { data: { token: 'bmV3ZXI=' } });
  for (let times = 0; times < 3; times += 1) await one.pass();
  expect(condition('Accepted')).toMatchObject({ status: 'False', reason: 'Missing' });
  expect(condition('Ready')).toMatchObject({ status: 'False', reason: 'Missing' });
  expect(kubeloom.documents.size).toBe(0);
});

test.each([
  ['refused', 422, 'InvalidManifest'],
  ['not taken now', 409, 'InUse'],
])(
  'an object that was %s is not shown as the manifest of its name, and is deleted without it',
  async (_title, status, code) => {
    kubeloom.documents.set('team/shop', { kind: 'InputManifest' });
    kubeloom.finish('team/shop');
    apply();
    kubeloom.refusal = kubeloom.problem(status, code);
    const one = operator();
    for (let times = 0; times < 3; times += 1) {
      kubeloom.change('team/shop');
      await one.pass();
    }
    expect(kubernetes.at(path)?.status).not.toHaveProperty('runId');
    expect(kubernetes.at(path)?.status).not.toHaveProperty('outputs');
    expect(condition('Ready')?.status).toBe('False');

    kubeloom.refusal = undefined;
    kubernetes.delete(path);
    await one.pass();
    expect(kubeloom.calls).not.toContain('deleteManifest team/shop');
    expect(kubernetes.at(path)).toBeUndefined();
  },
);

it('an object whose manifest another object of its name took over reports that, does not touch it, and is deleted without deleting the manifest', async () => {
  kubernetes.apply(secretPath, { data: { token: 'aGVsbG8=' } });
  apply();
  const one = operator();
  await one.pass();
  const other = '/apis/claudie.io/v1beta1/namespaces/team/inputmanifests/shop';
  kubernetes.apply(other, { spec: { ...spec(), deletionProtection: true } });
  await one.pass();
  await one.pass();
  expect(condition('Accepted')).toMatchObject({ status: 'False', reason: 'NotOfThisObject' });
  expect(condition('Ready')).toMatchObject({ status: 'False', reason: 'NotOfThisObject' });

  kubernetes.apply(secretPath, { data: { token: 'bmV3' } });
  await one.pass();
  world.now += 300_000;
  await one.pass();
  expect(kubeloom.calls.filter((call) => call === 'putManifest team/shop')).toHaveLength(2);
  kubernetes.delete(path);
  await one.pass();
  await one.pass();
  expect(kubernetes.at(path)).toBeUndefined();
  expect(kubeloom.calls).not.toContain('deleteManifest team/shop');
  expect(kubernetes.at(other)?.status).toMatchObject({
    conditions: [{ type: 'Accepted', status: 'True' }, {}, {}, {}, {}, {}, {}],
  });
});

it('a manifest that others changed since is still of its object', async () => {
  apply();
  const one = operator();
  await one.pass();
  kubeloom.documents.set('team/shop', { kind: 'InputManifest' });
  kubeloom.change('team/shop');
  await one.pass();
  expect(condition('Accepted')).toMatchObject({ status: 'True', reason: 'ChangedElsewhere' });
  kubernetes.delete(path);
  await one.pass();
  expect(kubeloom.calls).toContain('deleteManifest team/shop');
});

it('the next pass sees a deletion and what has to happen to the clusters', async () => {
  apply();
  const one = operator();
  await one.pass();
  kubeloom.finish('team/shop');
  await one.pass();
  await one.pass();
  apply({ metadata: { annotations: { 'kubeloom.dev/on-delete': 'kep' } } });
  await one.pass();
  kubernetes.delete(path);
  await one.pass();
  expect(condition('Ready')).toMatchObject({ status: 'False', reason: 'UnknownPolicy' });
  apply({ metadata: { annotations: { 'kubeloom.dev/on-delete': 'keep' } } });
  await one.pass();
  expect(kubernetes.at(path)).toBeUndefined();
});

it('a Secret of another namespace that names the object as its owner is not its own', async () => {
  const labels = { 'app.kubernetes.io/managed-by': 'kubeloom-operator' };
  for (const place of ['team', 'other'])
    kubernetes.apply(`/api/v1/namespaces/${place}/secrets/one-kubeconfig`, {
      metadata: { labels, ownerReferences: [{ uid: 'u1' }] },
    });
  apply({ metadata: { uid: 'u1' } });
  const known = await KnownSecrets.list(kubernetes.api(), ['team', 'other']);
  const object = ManifestObject.parse(kubernetes.at(path));
  expect(known.ownedBy(object.metadata).map(({ namespace }) => namespace)).toEqual(['team']);
});

it('a reference that is changed is stored at once, and its condition names the manifests that lag with what happens to them', async () => {
  const templates = '/apis/kubeloom.dev/v1/namespaces/team/templategitreferences/modules';
  const messages = () => {
    const status = kubernetes.at(templates)?.status as { conditions?: { message: string }[] } | undefined;
    return [...new Set(status?.conditions?.map(({ message }) => message))];
  };
  kubernetes.apply(templates, { spec: { commit: 'v1' } });
  const one = operator();
  await one.pass();
  expect(messages()).toEqual(['stored']);
  const change = 'provider a at 1a2b3c4, now 5d6e7f8';
  kubeloom.behind = [{ namespace: 'team', name: 'shop', change, next: 'replace' }];
  kubernetes.apply(templates, { spec: { commit: 'v2' } });
  await one.pass();
  expect(kubeloom.calls.filter((call) => call === 'putTemplate team/modules')).toHaveLength(2);
  expect(messages()).toContain(`stored; manifests that lag: team/shop: ${change} (onTemplates: replace)`);
});
