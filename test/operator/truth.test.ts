/** What an object says while its document is refused, waits, or is not that of its clusters. Real kstatus: test/real-kubernetes/operator-states.test.ts. */
import { beforeEach, expect, it, test } from 'vitest';
import { ConnectionFault } from '#client/faults.ts';
import { type ConditionFinding, manifestReadiness, readinessOf } from '#operator/conditions.ts';
import { cluster, described } from './described-cluster.ts';
import { FakeWorld, path, spec } from './fake-world.ts';

let world: FakeWorld;
let kubernetes: FakeWorld['kubernetes'];
let kubeloom: FakeWorld['kubeloom'];
beforeEach(() => {
  world = new FakeWorld();
  ({ kubernetes, kubeloom } = world);
});
const condition = (type: string) => world.condition(type);
const status = () => kubernetes.at(path)?.status as Record<string, unknown>;
const changed = () => world.apply({ spec: { ...spec(), deletionProtection: true } });

/** Accepted, and done. */
async function done(): Promise<ReturnType<FakeWorld['operator']>> {
  world.apply();
  const one = world.operator();
  await one.pass();
  kubeloom.finish('team/shop');
  await one.pass();
  await one.pass();
  expect(condition('Ready')).toMatchObject({ status: 'True', reason: 'Done', observedGeneration: 1 });
  return one;
}

it('a document that is refused after a good one is not ready, and says what still runs', async () => {
  const one = await done();
  changed();
  kubeloom.refusal = kubeloom.problem(422, 'InvalidManifest', [{ path: 'spec.a', reason: 'is wrong' }]);
  await one.pass();
  await one.pass();
  expect(condition('Accepted')).toMatchObject({ status: 'False', reason: 'InvalidManifest', observedGeneration: 2 });
  expect(condition('Ready')).toMatchObject({ status: 'False', reason: 'NotAccepted', observedGeneration: 2 });
  expect(condition('Ready')?.message).toMatch(
    /generation 1 of this object \(Done: 0 clusters, 0 nodes\):\nspec\.a: is wrong/,
  );
  expect(condition('Stalled')?.status).toBe('True');
  expect(condition('Progressing')).toMatchObject({ status: 'False', reason: 'Done', observedGeneration: 1 });
  expect(status()).toMatchObject({ state: 'ERROR', observedGeneration: 2, acceptedGeneration: 1 });

  kubeloom.refusal = undefined;
  world.apply();
  await one.pass();
  expect(condition('Ready')).toMatchObject({ status: 'True', observedGeneration: 3 });
  expect(status()).toMatchObject({ state: 'DONE', acceptedGeneration: 3 });
});

it('a run of the document before continues under a refused one, and does not make the object ready', async () => {
  world.apply();
  const one = world.operator();
  await one.pass();
  changed();
  kubeloom.refusal = kubeloom.problem(422, 'InvalidManifest');
  await one.pass();
  expect([condition('Progressing')?.status, condition('Reconciling')?.status]).toEqual(['True', 'False']);
  kubeloom.finish('team/shop');
  await one.pass();
  expect(condition('Ready')).toMatchObject({ status: 'False', reason: 'NotAccepted' });
  expect(status()).toMatchObject({ state: 'ERROR', runId: 'shop-u1-g1-a1' });
});

it('a change in Kubeloom that is not of the object is not what the object asks for', async () => {
  const one = await done();
  kubeloom.documents.set('team/shop', { kind: 'InputManifest', spec: {} });
  kubeloom.change('team/shop');
  await one.pass();
  expect(condition('Ready')).toMatchObject({ status: 'False', reason: 'ChangedElsewhere' });
  expect(condition('Stalled')?.status).toBe('True');
});

it('a plan that waits for an approval is proposed once, and after its rejection not again', async () => {
  const proposed = kubeloom.problem(409, 'ApprovalRequired');
  kubeloom.refusal = { ...proposed, details: { plan: 'p1' } };
  world.apply();
  const one = world.operator();
  for (let times = 0; times < 3; times += 1) await one.pass();
  expect(kubeloom.calls.filter((call) => call.startsWith('putManifest'))).toHaveLength(1);
  expect(condition('Reconciling')).toMatchObject({ status: 'True', reason: 'ApprovalRequired' });
  expect(status()).toMatchObject({ plan: 'p1', observedGeneration: 1 });

  const row = { id: 'p1', at: '', by: 'operator', reason: 'created', summary: '' };
  kubeloom.plans = [{ ...row, state: 'Proposed' }];
  world.now += 300_000;
  await one.pass();
  expect(condition('Reconciling')?.status).toBe('True');
  kubeloom.plans = [{ ...row, state: 'Rejected', closed: { at: '12:00', by: 'ann', reason: 'too large' } }];
  for (let times = 0; times < 3; times += 1) {
    world.now += 300_000;
    await one.pass();
  }
  expect(kubeloom.calls.filter((call) => call.startsWith('putManifest'))).toHaveLength(1);
  expect(condition('Accepted')).toMatchObject({ status: 'False', reason: 'ApprovalRejected' });
  expect(condition('Accepted')?.message).toContain('rejected by ann at 12:00: too large');
  expect(condition('Ready')?.reason).toBe('NotAccepted');
});

it('a plan that was approved is the manifest of its object', async () => {
  kubeloom.refusal = { ...kubeloom.problem(409, 'ApprovalRequired'), details: { plan: 'p1' } };
  world.apply();
  const one = world.operator();
  kubeloom.onPut = (document) => kubeloom.documents.set('team/shop', document);
  await one.pass();
  kubeloom.finish('team/shop');
  await one.pass();
  expect(condition('Accepted')?.status).toBe('True');
  expect(status()).not.toHaveProperty('plan');
});

it('a new object says that Kubeloom refuses the token of the operator, and objects that are observed are not written', async () => {
  const one = await done();
  kubernetes.apply(path.replace('shop', 'late'), { spec: spec() });
  kubeloom.outage = new ConnectionFault('refused', 'the token is not valid');
  kubernetes.writes = 0;
  for (let times = 0; times < 3; times += 1) await expect(one.pass()).rejects.toThrow('token');
  const late = kubernetes.at(path.replace('shop', 'late'))?.status as {
    conditions: object[];
    observedGeneration?: number;
  };
  expect(late.conditions[0]).toMatchObject({ type: 'Accepted', status: 'Unknown', reason: 'CallerRefused' });
  expect(late.observedGeneration).toBeUndefined();
  expect(kubernetes.writes).toBe(1);
});

const all = [
  ...(['Pending', 'Running', 'Done', 'Failed', 'Deleting', 'Unreadable'] as const).flatMap((word) =>
    [true, false].flatMap((paused) => [true, false].map((deleting) => described({ status: word, paused, deleting }))),
  ),
  described({ status: 'Running', runId: 'shop-u1-g1-d1', clusters: [cluster({ status: 'Checking' })] }),
  described({ status: 'Running', runId: 'shop-u1-g1-d1', failed: true, clusters: [cluster({ status: 'Checking' })] }),
];

test.each([
  ['Accepted', 'True', 'Accepted', ''],
  ['Accepted', 'True', 'ChangedElsewhere', ''],
  ['Accepted', 'False', 'InvalidManifest', ''],
  ['Accepted', 'False', 'Missing', ''],
  ['Accepted', 'Unknown', 'TemplatesPending', ''],
] as const satisfies readonly ConditionFinding[])(
  'an object is ready, reconciling or stalled, one of the three: %s %s %s',
  (...finding) => {
    for (const manifest of [undefined, ...all]) {
      const found = readinessOf(finding, manifest && { manifest, generation: 1 });
      expect(found.map(([type]) => type)).toEqual(['Ready', 'Reconciling', 'Stalled']);
      expect(found.filter(([, is]) => is === 'True')).toHaveLength(1);
      expect(found.filter(([, is]) => is === 'False')).toHaveLength(2);
      const isAsDesired = manifest !== undefined && manifestReadiness(manifest)[0]?.[1] === 'True';
      expect(found[0]?.[1]).toBe(finding[2] === 'Accepted' && isAsDesired ? 'True' : 'False');
    }
  },
);
