/** The operator between a real kube-apiserver and the platform with the sim runner: life of an object from kubectl's side. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { OperatorWorld, simManifest } from './operator-world.ts';

let world: OperatorWorld;
beforeAll(async () => {
  world = await OperatorWorld.start();
});
afterEach(() => world?.platform.faults());
afterAll(() => world?.stop());

const runsOf = async (name: string) => (await world.platform.api.listRuns({ namespace: 'default', name })).items;

describe('an InputManifest in Kubernetes', () => {
  test('a manifest that kubectl applies becomes clusters, a status as Claudie writes it, and Secrets next to it', async () => {
    const operator = world.operator();
    await world.apply(simManifest('shop'));
    await world.wait('shop', 'condition=Ready');
    await world.wait('shop', 'jsonpath={.status.state}=WATCHING_FOR_CHANGES');

    const state = await world.kubectl(['get', 'inputmanifests.kubeloom.dev', 'shop', '-o', 'jsonpath={.status.state}']);
    const cluster = await world.kubectl([
      'get',
      'inputmanifests.kubeloom.dev',
      'shop',
      '-o',
      'jsonpath={.status.clusters.shop-one}',
    ]);
    expect(state).toBe('WATCHING_FOR_CHANGES');
    expect(JSON.parse(cluster)).toMatchObject({
      state: 'DONE',
      phase: 'NONE',
      message: '3 nodes',
      previous: [{ status: 'DONE' }],
    });
    expect((await world.get('shop'))?.status).toMatchObject({
      observedGeneration: 1,
      manifestGeneration: 1,
      runId: (await runsOf('shop'))[0]?.runId,
    });
    expect(await world.kubectl(['get', 'inputmanifests.kubeloom.dev', 'shop', '--no-headers'])).toMatch(
      /^shop\s+WATCHING_FOR_CHANGES\s+True\s/,
    );

    const kubeconfig = await world.kubectl([
      'get',
      'secrets',
      '-l',
      'claudie.io/output=kubeconfig',
      '-o',
      'jsonpath={.items[0].data.kubeconfig}',
    ]);
    expect(Buffer.from(kubeconfig, 'base64').toString()).toContain('kind: Config');
    const named = ['get', 'secret', 'shop-shop-one-kubeconfig', '-o', 'jsonpath={.data.kubeconfig}'];
    expect(await world.kubectl(named)).toBe(kubeconfig);
    const [secret] = JSON.parse(
      await world.kubectl(['get', 'secrets', '-l', 'claudie.io/output=metadata', '-o', 'json']),
    ).items;
    expect(secret.metadata.ownerReferences).toMatchObject([
      { kind: 'InputManifest', name: 'shop', uid: (await world.get('shop'))?.metadata.uid },
    ]);
    expect(Object.keys(JSON.parse(Buffer.from(secret.data.metadata, 'base64').toString()).dynamic_nodepools)).toEqual([
      'control',
      'compute',
    ]);

    const reasons = 'jsonpath={range .items[*]}{.reason}{"\\n"}{end}';
    const events = (await world.kubectl(['get', 'events', '-o', reasons])).trim().split('\n');
    expect(events).toEqual(expect.arrayContaining(['Accepted', 'Done']));
    await operator.stop();
  });

  test('a change of the object is one more run, and an object that does not change is not written', async () => {
    const operator = world.operator();
    await world.apply(simManifest('shop', { compute: 3 }));
    await world.until(
      'the change is done',
      async () =>
        (await world.get('shop'))?.status?.manifestGeneration === 2 &&
        (await world.condition('shop', 'Ready')) === 'True Done',
    );
    expect(await runsOf('shop')).toHaveLength(2);
    await world.until('the last look is over', async () => {
      operator.forget();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return operator.requests.length > 0 && operator.requests.every((one) => one.startsWith('GET'));
    });

    expect(new Set(operator.requests)).toEqual(
      new Set([
        'GET /apis/claudie.io/v1beta1/templategitreferences',
        'GET /apis/kubeloom.dev/v1/templategitreferences',
        'GET /apis/claudie.io/v1beta1/inputmanifests',
        'GET /apis/kubeloom.dev/v1/inputmanifests',
        'GET /api/v1/secrets',
      ]),
    );
    await operator.stop();
  });

  test('an operator that starts again submits nothing again', async () => {
    const before = (await world.get('shop'))?.metadata.resourceVersion;
    const operator = world.operator();
    await world.until(
      'three passes',
      async () => operator.requests.filter((one) => one.endsWith('/secrets')).length >= 3,
    );
    await operator.stop();

    expect((await world.get('shop'))?.metadata.resourceVersion).toBe(before);
    expect(operator.requests.filter((one) => !one.startsWith('GET'))).toEqual([]);
    expect(await runsOf('shop')).toHaveLength(2);
  });

  test('a refusal is Accepted=False with every fault, and is over once the object is right', async () => {
    const operator = world.operator();
    const wrong = simManifest('wrong');
    wrong.spec.providers.push({
      name: 'unused',
      providerType: 'hetzner',
      secretRef: { name: 'none', namespace: 'default' },
    });
    await world.apply({
      ...wrong,
      spec: {
        ...wrong.spec,
        kubernetes: { clusters: [{ ...wrong.spec.kubernetes.clusters[0], version: '1.2.3', network: 'a.b' }] },
      },
    });
    await world.wait('wrong', 'condition=Accepted=False');

    const accepted = (await world.get('wrong'))?.status?.conditions?.find(({ type }) => type === 'Accepted');
    expect(accepted?.reason).toBe('InvalidManifest');
    expect(accepted?.message).toContain('1.2.3');
    expect(accepted?.message).toContain('a.b');
    expect((await world.get('wrong'))?.status?.state).toBe('ERROR');

    await world.kubectl(['delete', 'inputmanifests.kubeloom.dev', 'wrong', '--timeout=60s']);
    await world.apply(simManifest('wrong'));
    await world.wait('wrong', 'condition=Ready');
    await operator.stop();
  });

  test('a run that fails is shown with its cause, and ready after the retry', async () => {
    const operator = world.operator();
    world.platform.faults({ stage: 'kubernetes', class: 'user', manifest: 'stormy' });
    await world.apply(simManifest('stormy'));
    await world.until('it failed', async () => (await world.get('stormy'))?.status?.state === 'ERROR');
    expect(await world.condition('stormy', 'Ready')).toBe('False Failed');
    expect(await world.condition('stormy', 'Degraded')).toBe('True Failed');

    world.platform.faults();
    await world.platform.api.retryManifest({ namespace: 'default', name: 'stormy' });
    await world.wait('stormy', 'condition=Ready');
    expect(await world.condition('stormy', 'Degraded')).toBe('False AsDesired');
    expect((await runsOf('stormy')).length).toBe(2);
    await operator.stop();
  });
});

describe('deletion of an object', () => {
  test('an object that is deleted takes its clusters with it, and is gone after them', async () => {
    const operator = world.operator();
    await world.kubectl(['delete', 'inputmanifests.kubeloom.dev', 'shop', '--timeout=90s']);
    expect(await world.platform.api.listManifests({}).then(({ items }) => items.map(({ name }) => name))).not.toContain(
      'shop',
    );
    await operator.stop();
  });

  test.each([
    ['keep', true],
    ['orphan', false],
  ])('the annotation %s decides what happens to the clusters', async (policy, stays) => {
    const operator = world.operator();
    const name = `policy-${policy}`;
    await world.apply(simManifest(name, { annotations: { 'kubeloom.dev/on-delete': policy } }));
    await world.wait(name, 'condition=Ready');
    await world.kubectl(['delete', 'inputmanifests.kubeloom.dev', name, '--timeout=90s']);

    const { items } = await world.platform.api.listManifests({});
    expect(items.some((one) => one.name === name && !one.deleting)).toBe(stays);
    await operator.stop();
  });

  test('an annotation with any other value deletes nothing', async () => {
    const operator = world.operator();
    await world.apply(simManifest('mistyped', { annotations: { 'kubeloom.dev/on-delete': 'orphn' } }));
    await world.wait('mistyped', 'condition=Ready');
    await world.kubectl(['delete', 'inputmanifests.kubeloom.dev', 'mistyped', '--wait=false']);
    await world.until(
      'it says why',
      async () => (await world.condition('mistyped', 'Ready')) === 'False UnknownPolicy',
    );
    expect((await world.platform.api.listManifests({})).items.find(({ name }) => name === 'mistyped')?.deleting).toBe(
      false,
    );

    await world.kubectl([
      'annotate',
      'inputmanifests.kubeloom.dev',
      'mistyped',
      'kubeloom.dev/on-delete=keep',
      '--overwrite',
    ]);
    await world.until('it is gone', async () => (await world.get('mistyped')) === undefined);
    await operator.stop();
  });

  test('a manifest that only has the name of an object is not deleted with it', async () => {
    await world.platform.apply(simManifest('foreign'));
    const operator = world.operator();
    await world.apply({
      ...simManifest('foreign'),
      spec: { ...simManifest('foreign').spec, kubernetes: { clusters: [] } },
    });
    await world.wait('foreign', 'condition=Accepted=False');
    await world.kubectl(['delete', 'inputmanifests.kubeloom.dev', 'foreign', '--timeout=60s']);
    const { items } = await world.platform.api.listManifests({});
    expect(items.find(({ name }) => name === 'foreign')).toMatchObject({ deleting: false, status: 'Done' });
    await operator.stop();
  });

  test('a Secret that was deleted first hangs nothing', async () => {
    const operator = world.operator();
    const manifest = simManifest('secretive');
    manifest.spec.providers = [
      { name: 'sim-1', providerType: 'sim', secretRef: { name: 'made-up', namespace: 'default' } },
    ];
    await world.apply(
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'made-up' },
        stringData: { word: 'hidden-value-of-a-secret' },
      },
      manifest,
    );
    await world.wait('secretive', 'condition=Ready');
    expect((await world.platform.api.listSecrets({})).items).toContainEqual({ namespace: 'default', name: 'made-up' });
    await world.kubectl(['delete', 'secret', 'made-up']);
    await world.kubectl(['delete', 'inputmanifests.kubeloom.dev', 'secretive', '--timeout=90s']);
    expect((await world.kubectl(['get', 'events,inputmanifests', '-o', 'json'])) + operator.log.join('\n')).not.toMatch(
      /hidden-value|aGlkZGVu/,
    );
    await operator.stop();
  });
});
