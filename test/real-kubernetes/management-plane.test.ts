/** A management plane on a real kube-apiserver; `plane-cluster.ts` says what of it is simulated. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PlaneCluster } from './plane-cluster.ts';

let planes: PlaneCluster;
beforeAll(async () => {
  planes = await PlaneCluster.start();
}, 180_000);
afterAll(() => planes?.close());

const minute = 60_000;

it('CO-1: a provider of another contract is refused before anything is in the cluster', {
  timeout: 5 * minute,
}, async () => {
  const result = await planes.settle([...planes.trio('before', 'v1.10.4'), planes.docker('east')]);
  expect(result).toMatchObject({ ok: false, error: { code: 'ContractWrong' } });
  expect(result.error?.message).toContain(
    'capi.infrastructure-docker.east v1.11.1 has contract v1beta2, and capi.cluster-api v1.10.4 works with v1beta1',
  );
  expect(await planes.definitions()).toEqual([]);
});

it('CO-1: core, bootstrap and control plane are applied in order, each awaited', { timeout: 10 * minute }, async () => {
  expect(await planes.settle(planes.trio('before', 'v1.10.4'))).toMatchObject({
    ok: true,
    summary: { documentsApplied: 4 },
  });
  expect(
    Object.entries(planes.facts.documents ?? {}).map(([name, { version, contract }]) => [name, version, contract]),
  ).toEqual([
    ['capi.cert-manager', 'component@v1.18.2', undefined],
    ['capi.cluster-api', 'component@v1.10.4', 'v1beta1'],
    ['capi.bootstrap-kubeadm', 'component@v1.10.4', 'v1beta1'],
    ['capi.control-plane-kubeadm', 'component@v1.10.4', 'v1beta1'],
  ]);
  expect(Object.values(planes.facts.documents ?? {}).flatMap(({ unfinished }) => unfinished ?? [])).toEqual([]);
  const applied = (await planes.world.reported()).filter((message) => message.startsWith('DocumentsApplied'));
  expect(applied.map((message) => /capi\.[\w.-]+/.exec(message)?.[0])).toEqual([
    ...['capi.cert-manager', 'capi.cluster-api', 'capi.bootstrap-kubeadm', 'capi.control-plane-kubeadm'],
  ]);
  expect(await planes.definitions()).toContain(
    'customresourcedefinition.apiextensions.k8s.io/clusters.cluster.x-k8s.io',
  );
  expect(await planes.drift()).toEqual([]);
});

it('CO-1: an upgrade of a minor version names the storage versions that change, and a downgrade is refused', {
  timeout: 10 * minute,
}, async () => {
  expect(await planes.settle(planes.trio('after', 'v1.11.1'))).toMatchObject({ ok: true });
  const named = (await planes.world.reported()).filter((message) => message.startsWith('StorageVersionChanges'));
  expect(named).toContainEqual(expect.stringContaining('v1beta1 to v1beta2: clusterclasses.cluster.x-k8s.io'));
  const path = 'jsonpath={.status.storedVersions}';
  expect(JSON.parse(await planes.kubectl('get', 'crd', 'clusters.cluster.x-k8s.io', '-o', path))).toEqual([
    'v1beta1',
    'v1beta2',
  ]);
  expect(planes.facts.documents?.['capi.cluster-api']).toMatchObject({
    version: 'component@v1.11.1',
    contract: 'v1beta2',
  });
  expect(await planes.settle(planes.trio('before', 'v1.10.4'))).toMatchObject({
    ok: false,
    error: { code: 'ComponentDowngrade' },
  });
  expect(await planes.drift()).toEqual([]);
});

it('CO-3, CO-4: two instances of one provider are side by side, each with its own credentials, one of them from Vault', {
  timeout: 10 * minute,
}, async () => {
  expect(
    await planes.settle([...planes.trio('after', 'v1.11.1'), planes.docker('east'), planes.docker('west')]),
  ).toMatchObject({ ok: true });
  for (const instance of ['east', 'west']) {
    const place = ['--namespace', `capd-system-${instance}`];
    expect(await planes.kubectl('get', 'secret', 'docker-login', ...place, '-o', 'jsonpath={.data.password}')).toBe(
      Buffer.from(`of-${instance}`).toString('base64'),
    );
    const args = 'jsonpath={.spec.template.spec.containers[0].args}';
    expect(
      JSON.parse(await planes.kubectl('get', 'deployment', 'capd-controller-manager', ...place, '-o', args)),
    ).toContain(`--namespace=clusters-${instance}`);
    expect(
      await planes.kubectl(
        'get',
        'clusterrolebinding',
        `capd-manager-rolebinding-${instance}`,
        '-o',
        'jsonpath={.subjects[0].namespace}',
      ),
    ).toBe(`capd-system-${instance}`);
  }
  const traces = JSON.stringify([planes.facts, await planes.world.reported(), await planes.world.log('nodes')]);
  expect(traces).not.toMatch(/of-(east|west)/);
  expect(await planes.drift()).toEqual([]);
});

it('CO-3: an upgrade of one instance changes neither the credentials nor the release of the other', {
  timeout: 10 * minute,
}, async () => {
  const west = ['--namespace', 'capd-system-west', '-o', 'jsonpath={.metadata.resourceVersion}'];
  const versions = () =>
    Promise.all([
      planes.kubectl('get', 'secret', 'docker-login', ...west),
      planes.kubectl('get', 'deployment', 'capd-controller-manager', ...west),
    ]);
  const before = await versions();
  expect(
    await planes.settle([...planes.trio('after', 'v1.11.1'), planes.newerDocker('east'), planes.docker('west')]),
  ).toMatchObject({ ok: true });
  expect(await versions()).toEqual(before);
  expect(planes.facts.documents?.['capi.infrastructure-docker.east']?.version).toBe('component@v1.13.7');
  expect(planes.facts.documents?.['capi.infrastructure-docker.west']?.version).toBe('component@v1.11.1');
  expect(await planes.drift()).toEqual([]);
});

it('CO-13: a change by hand and a component that was deleted are found, and are gone after the next run', {
  timeout: 10 * minute,
}, async () => {
  const place = ['--namespace', 'capd-system-west'];
  await planes.kubectl('delete', 'deployment', 'capd-controller-manager', ...place);
  const data = Buffer.from('by hand').toString('base64');
  await planes.kubectl(
    'patch',
    'secret',
    'docker-login',
    '--namespace',
    'capd-system-east',
    '--type=merge',
    '-p',
    `{"data":{"password":"${data}"}}`,
  );
  const found = await planes.drift();
  expect(found.map((message) => /capi\.[\w.-]+/.exec(message)?.[0]).sort()).toEqual([
    ...['capi.infrastructure-docker.east', 'capi.infrastructure-docker.west'],
  ]);
  expect(await planes.settle(planes.installed)).toMatchObject({ ok: true });
  expect(await planes.drift()).toEqual([]);
});

it('CO-4: a password that was changed in Vault is found, and applied by the next run', {
  timeout: 10 * minute,
}, async () => {
  await planes.vault.write('two', 'clouds/east', { password: 'rotated' });
  expect(await planes.drift()).toEqual([expect.stringContaining('capi.infrastructure-docker.east')]);
  expect(await planes.settle(planes.installed)).toMatchObject({ ok: true });
  expect(await planes.drift()).toEqual([]);
});

it('CO-1: a definition that does not know a stored version is refused, and nothing changes', {
  timeout: 10 * minute,
}, async () => {
  const name = 'dockerclusters.infrastructure.cluster.x-k8s.io';
  const path = 'jsonpath={.status.storedVersions}';
  const stored = JSON.parse(await planes.kubectl('get', 'crd', name, '-o', path)) as readonly string[];
  const set = (versions: readonly string[]) =>
    planes.kubectl(
      'patch',
      'crd',
      name,
      '--subresource=status',
      '--type=merge',
      '-p',
      JSON.stringify({ status: { storedVersions: versions } }),
    );
  const served = JSON.parse(await planes.kubectl('get', 'crd', name, '-o', 'json')) as {
    spec: { versions: readonly { name: string }[] };
  };
  const old = { ...served.spec.versions[0], name: 'v1alpha3', served: false, storage: false };
  await planes.kubectl(
    'patch',
    'crd',
    name,
    '--type=json',
    '-p',
    JSON.stringify([{ op: 'add', path: '/spec/versions/-', value: old }]),
  );
  await set([...stored, 'v1alpha3']);
  const result = await planes.settle(planes.installed);
  expect(result).toMatchObject({
    ok: false,
    error: { code: 'StoredVersionUnknown', message: expect.stringContaining('v1alpha3') },
  });
  await set(stored);
  expect(await planes.settle(planes.installed)).toMatchObject({ ok: true });
});

it('CO-3: the newest instance does not leave before the other one is of its release', {
  timeout: 10 * minute,
}, async () => {
  const both = planes.installed;
  const result = await planes.settle(both.filter(({ instance }) => instance !== 'east'));
  expect(result).toMatchObject({ ok: false, error: { code: 'ComponentDowngrade' } });
  expect(result.error?.message).toContain(
    'dockerclusters.infrastructure.cluster.x-k8s.io of infrastructure-docker v1.11.1, which now has release v1.13.7',
  );
  expect(planes.installed).toBe(both);
  expect(await planes.drift()).toEqual([]);
});

it('CO-1: an instance that leaves the plane is removed, and the other and the definitions stay', {
  timeout: 10 * minute,
}, async () => {
  expect(await planes.settle(planes.installed.filter(({ instance }) => instance !== 'west'))).toMatchObject({
    ok: true,
  });
  const deployments = await planes.kubectl(
    'get',
    'deployments',
    '-A',
    '-o',
    'name',
    '--selector',
    'cluster.x-k8s.io/provider=infrastructure-docker',
  );
  expect(deployments.split('\n')).toHaveLength(1);
  expect(await planes.definitions()).toContain(
    'customresourcedefinition.apiextensions.k8s.io/dockerclusters.infrastructure.cluster.x-k8s.io',
  );
  expect(Object.keys(planes.facts.documents ?? {})).not.toContain('capi.infrastructure-docker.west');
  expect(await planes.drift()).toEqual([]);
});

it('CO-1: components are not removed while an object of their kinds exists, and then the last that was applied goes first', {
  timeout: 10 * minute,
}, async () => {
  const place = ['--namespace', 'clusters-east'];
  const pool = {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind: 'DockerMachinePool',
    metadata: { name: 'shop', namespace: 'clusters-east' },
  };
  await planes.kubectl('create', 'namespace', 'clusters-east');
  await planes.create(pool);
  const refused = await planes.settle([]);
  expect(refused).toMatchObject({ ok: false, error: { code: 'ComponentInUse', class: 'user' } });
  expect(refused.error?.message).toContain('DockerMachinePool clusters-east/shop');
  expect(await planes.drift()).toEqual([]);
  await planes.kubectl('delete', 'dockermachinepools.infrastructure.cluster.x-k8s.io', 'shop', ...place);
  expect(await planes.settle([])).toMatchObject({ ok: true, summary: { documentsRemoved: 5 } });
  const gone = (await planes.world.reported()).filter((message) => message.startsWith('DocumentsRemoved'));
  expect(gone.slice(-5).map((message) => /capi\.[\w.-]+/.exec(message)?.[0])).toEqual([
    'capi.infrastructure-docker.east',
    'capi.control-plane-kubeadm',
    'capi.bootstrap-kubeadm',
    'capi.cluster-api',
    'capi.cert-manager',
  ]);
  expect(await planes.kubectl('get', 'deployments', '-A', '-o', 'name')).toBe('');
  expect(await planes.definitions()).toContain(
    'customresourcedefinition.apiextensions.k8s.io/clusters.cluster.x-k8s.io',
  );
});

it('CO-1: an older release than that of the definitions which stayed is refused', {
  timeout: 10 * minute,
}, async () => {
  expect(planes.facts.documents ?? {}).toEqual({});
  const result = await planes.settle(planes.trio('before', 'v1.10.4'));
  expect(result).toMatchObject({ ok: false, error: { code: 'ComponentDowngrade' } });
  expect(result.error?.message).toContain('of cluster-api v1.10.4, which now has release v1.11.1');
  expect(planes.facts.documents ?? {}).toEqual({});
});

it('CO-1: components after one that does not work are held, and the stage that follows applies them', {
  timeout: 10 * minute,
}, async () => {
  planes.broken.add('capi-controller-manager');
  const held = await planes.settle(planes.trio('after', 'v1.11.1'), { totalMs: 0 });
  expect(held).toMatchObject({ ok: false, error: { class: 'transient', code: 'ComponentsHeld', retryable: false } });
  expect(held.error?.message).toContain(
    'capi.bootstrap-kubeadm, capi.control-plane-kubeadm wait for capi.cluster-api, which does not work yet',
  );
  expect(Object.keys(planes.facts.documents ?? {})).toEqual(['capi.cert-manager', 'capi.cluster-api']);
  const names = await planes.kubectl('get', 'deployments', '-A', '-o', 'name');
  expect(names).toBe('deployment.apps/capi-controller-manager');
  planes.broken.clear();
  expect(await planes.settle(planes.trio('after', 'v1.11.1'))).toMatchObject({
    ok: true,
    summary: { documentsApplied: 4 },
  });
  expect(Object.values(planes.facts.documents ?? {}).flatMap(({ unfinished }) => unfinished ?? [])).toEqual([]);
  expect(await planes.drift()).toEqual([]);
});
