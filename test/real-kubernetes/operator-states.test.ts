/**
 * Every state of an object, as those who wait for it see it: `kubectl wait`, kstatus (Flux) and the health check of Argo CD. Real
 * kube-apiserver, kubectl and kstatus.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Health } from './kstatus.ts';
import { healthProgram } from './kstatus.ts';
import {
  changedManifest,
  convergedObject,
  inProgress,
  objectStates,
  refusedManifest,
  type SeenState,
  untilCondition,
} from './object-states.ts';
import { OperatorWorld, type RunningOperator, simManifest } from './operator-world.ts';

const kind = 'inputmanifests.kubeloom.dev';
let world: OperatorWorld;
let operator: RunningOperator;
let healthOf: (object: unknown) => Promise<Health>;
beforeAll(async () => {
  process.env.KUBELOOM_OWN_APPROVALS = 'allowed';
  healthOf = healthProgram();
  world = await OperatorWorld.start();
  operator = world.operator();
});
afterEach(() => {
  world?.platform.faults();
  world?.platform.stageMs(0);
});
afterAll(() => world?.stop());

async function isMet(name: string): Promise<boolean> {
  return world.kubectl(['wait', kind, name, '--for=condition=Ready', '--timeout=0']).then(
    () => true,
    () => false,
  );
}

async function seen(name: string): Promise<SeenState> {
  const wait = await isMet(name);
  const object = await world.get(name);
  const { kstatus, argo } = await healthOf(object);
  const three = (object?.status?.conditions ?? []).filter(({ type }) => /^(Ready|Reconciling|Stalled)$/.test(type));
  const reported = three.filter(({ status }) => status === 'True').map(({ type, reason }) => `${type} ${reason}`);
  return { wait, kstatus, argo, reported: reported.join(', ') };
}

describe('an InputManifest, for kubectl wait, kstatus and Argo CD', () => {
  test.each(objectStates(() => world).map((state, index) => ({ ...state, name: `state-${index}` })))(
    'an object is seen as it is: $title',
    async ({ name, reach, seen: expected }) => {
      await reach(name);
      expect(await seen(name)).toEqual(expected);
      const { status, metadata } = (await world.get(name)) ?? {};
      if (metadata?.deletionTimestamp === undefined) expect(status?.observedGeneration).toBe(metadata?.generation);
    },
  );

  test('an object that the operator has not seen is not taken for one that is as desired', async () => {
    await operator.stop();
    await world.apply(changedManifest('unseen'));
    expect(await seen('unseen')).toEqual({ ...inProgress, reported: '' });
    expect((await world.get('unseen'))?.status).toEqual({ observedGeneration: -1 });
    operator = world.operator();
    await untilCondition(world, 'unseen', 'Ready', 'True Done');
  });

  test('a refusal says what still runs, and the conditions of what exists are of the generation that was accepted', async () => {
    await convergedObject(world, 'witness');
    await world.apply(refusedManifest('witness'));
    await untilCondition(world, 'witness', 'Accepted', 'False InvalidManifest');
    const { status } = (await world.get('witness')) ?? {};
    const of = (type: string) => status?.conditions?.find((one) => one.type === type);
    expect(of('Ready')?.message).toMatch(/generation 1 of this object \(Done: 1 cluster, 3 nodes\)[\s\S]*1\.26\.0/);
    expect(status).toMatchObject({ acceptedGeneration: 1, observedGeneration: 2, state: 'ERROR' });
    expect([of('Ready'), of('Stalled'), of('Degraded'), of('DriftFree')]).toMatchObject([
      { observedGeneration: 2 },
      { observedGeneration: 2 },
      { observedGeneration: 1 },
      { observedGeneration: 1 },
    ]);
  });

  test.each([
    ['does not answer', 'http://127.0.0.1:9', undefined, ''],
    ['refuses the token', undefined, 'no-such-token', 'Reconciling CallerRefused'],
  ] as const)('what is new or changed is in progress while Kubeloom %s', async (title, apiUrl, token, reported) => {
    const [old, fresh] = [`old-${title.length}`, `new-${title.length}`];
    await convergedObject(world, old);
    await operator.stop();
    const blind = world.operator({ ...(apiUrl && { apiUrl }), ...(token && { token }) });
    await world.apply(simManifest(old, { compute: 3 }), changedManifest(fresh));
    await world.until('its passes failed', () => blind.log.length > 0);
    if (reported) await untilCondition(world, fresh, 'Reconciling', 'True CallerRefused');
    expect(await seen(fresh)).toEqual({ ...inProgress, reported });
    expect(await seen(old)).toMatchObject({ ...inProgress });
    await blind.stop();
    operator = world.operator();
    for (const name of [old, fresh]) await world.until(`${name} is ready`, () => isMet(name));
    expect(await seen(fresh)).toMatchObject({ wait: true, kstatus: 'Current' });
  });

  test('a TemplateGitReference that is refused has failed, and is current once it is accepted', async () => {
    const reference = (terraformer: string) => ({
      apiVersion: 'kubeloom.dev/v1',
      kind: 'TemplateGitReference',
      metadata: { name: 'modules', namespace: 'default' },
      spec: {
        endpoint: { url: 'github.com/example/modules', protocol: 'https' },
        commit: 'main',
        paths: { terraformer },
      },
    });
    const templates = 'templategitreferences.kubeloom.dev';
    await world.apply(reference('../modules'));
    await world.until(
      'it is refused',
      async () => (await world.condition('modules', 'Accepted', templates))?.startsWith('False') === true,
    );
    expect((await healthOf(await world.get('modules', templates))).kstatus).toBe('Failed');
    await world.apply(reference('modules'));
    await world.wait('modules', 'condition=Ready', templates);
    expect((await healthOf(await world.get('modules', templates))).kstatus).toBe('Current');
  });
});
