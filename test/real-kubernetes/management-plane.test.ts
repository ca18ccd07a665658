/**
 * A management plane on a real kube-apiserver: Cluster API's core, kubeadm bootstrap and control plane, and its docker provider, out of
 * their Go modules. No images can be had here, so nothing runs: that Deployments are available is `simulated`, and of cert-manager
 * there are the definitions alone.
 */
import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type StageResult, waypointKeys } from '#contracts/stage.ts';
import { type ClusterFacts, noFacts } from '#domain/cluster-state.ts';
import { DriftReport } from '#domain/drift.ts';
import type { Component } from '#domain/planes/management-plane.ts';
import { planeDocuments } from '#domain/planes/plane-documents.ts';
import { checkDocuments } from '#runner/drift/check-documents.ts';
import { aPlane } from '#test/planes/planes.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { aCheck, aDocument, prefix, type StageWorld, stageWorld } from '#test/runner/stage-world.ts';
import { type FakeVault, startFakeVault } from '#test/vault/fake-vault.ts';
import { BareApiServer } from './bare-api-server.ts';
import { Releases } from './cluster-api.ts';

const run = promisify(execFile);
const login = `---
apiVersion: v1
kind: Secret
metadata: { name: docker-login, namespace: capd-system }
stringData: { password: "\${DOCKER_PASSWORD}" }
`;

let server: BareApiServer;
let world: StageWorld;
let vault: FakeVault;
let releases: Releases;
let facts: ClusterFacts = noFacts;
let installed: readonly Component[] = [];
const stopSimulation = new AbortController();

beforeAll(async () => {
  server = await BareApiServer.start();
  world = stageWorld();
  vault = await startFakeVault();
  world.set('KUBELOOM_KUBECTL', server.kubectl);
  world.set('KUBELOOM_DOCUMENTS', world.directory);
  world.set('KUBELOOM_SECOND_LOOK_SECONDS', '0');
  releases = new Releases({ directory: world.directory, kubectl: server.kubectl });
  await world.ports.artifacts.putText('kubeconfigs/team/shop/shop-1234567', server.kubeconfig());
  const { roleId, secretId } = await vault.appRole();
  await world.ports.secrets.put('user/team/vault', { address: vault.address, roleid: roleId, secretid: secretId });
  await vault.write('two', 'clouds/east', { password: 'of-east' });
  await world.ports.secrets.put('user/team/west', { DOCKER_PASSWORD: 'of-west' });
  void simulateControllers();
}, 180_000);
afterAll(async () => {
  stopSimulation.abort();
  await vault?.close();
  world?.close();
  await server?.stop();
});

async function kubectl(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(server.kubectl, [`--kubeconfig=${server.adminFile()}`, ...args], {
    maxBuffer: 50_000_000,
  });
  return stdout.trim();
}

interface Deployment {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly generation: number };
  readonly status?: { readonly observedGeneration?: number };
}

/** Simulated: every Deployment is available as soon as it exists. */
async function simulateControllers(): Promise<void> {
  while (!stopSimulation.signal.aborted) {
    const answer = await kubectl('get', 'deployments', '-A', '-o', 'json').catch(() => '{"items":[]}');
    const { items } = JSON.parse(answer) as { items: readonly Deployment[] };
    for (const { metadata, status } of items) {
      if (status?.observedGeneration === metadata.generation) continue;
      const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
      const conditions = [{ type: 'Available', status: 'True', reason: 'Simulated' }];
      const body = JSON.stringify({ status: { observedGeneration: metadata.generation, ...counts, conditions } });
      const place = ['--namespace', metadata.namespace, metadata.name];
      await kubectl('patch', 'deployment', ...place, '--subresource=status', '--type=merge', '-p', body).catch(
        () => '',
      );
    }
    await pause(300);
  }
}

const trio = (module: 'before' | 'after', version: string): readonly Component[] => [
  {
    ...{ kind: 'prerequisite', name: 'cert-manager', version: 'v1.18.2', values: {} },
    source: releases.certificates(),
  },
  ...(['core', 'bootstrap', 'controlPlane'] as const).map(
    (kind): Component => ({
      ...{ kind, name: kind === 'core' ? 'cluster-api' : 'kubeadm', version, values: {} },
      ...{ source: releases.components(module, kind), metadata: releases.metadata(module) },
    }),
  ),
];
const east: Component['secretRef'] = {
  vault: { mount: 'two', path: 'clouds/east', keys: { DOCKER_PASSWORD: 'password' } },
};
const docker = (instance: 'east' | 'west', change: Partial<Component> = {}): Component => ({
  ...{
    kind: 'infrastructure',
    name: 'docker',
    instance,
    version: 'v1.11.1',
    values: {},
    watchNamespace: `clusters-${instance}`,
  },
  ...{ source: releases.components('docker', 'infrastructure', login), metadata: releases.metadata('after') },
  secretRef: instance === 'east' ? east : { name: 'west', namespace: 'team' },
  ...change,
});

const documentsOf = (components: readonly Component[]) =>
  components.length === 0 ? [] : [...planeDocuments(aPlane(components))];

/** The nodes stage from the plane that is installed to this one; what is refused changes nothing. */
async function settle(components: readonly Component[]): Promise<StageResult> {
  const [before, after] = [documentsOf(installed), documentsOf(components)];
  const work = {
    ...{ patch: [], remove: [], maxUnavailable: 1 },
    documents: after.map(({ name, version }) => ({ name, version })),
    documentsRemoved: before.map(({ name }) => name).filter((name) => !after.some((one) => one.name === name)),
  };
  const states = { before: twoProviderState({ documents: before }), target: twoProviderState({ documents: after }) };
  const stages = [{ stage: 'nodes' as const, reasons: [], work }];
  await world.put(aDocument(stages, { direction: 'settle', ...states, facts }), facts);
  const result = await world.run('nodes');
  facts = await world.facts();
  if (result.ok) installed = components;
  return result;
}

async function drift(): Promise<readonly string[]> {
  await world.put(aCheck(twoProviderState({ documents: documentsOf(installed) }), facts));
  const result = await world.checkDrift([checkDocuments]);
  expect(result.error).toBeUndefined();
  const report = DriftReport.parse(JSON.parse((await world.ports.artifacts.getText(waypointKeys.drift(prefix))) ?? ''));
  expect(report.unchecked).toEqual([]);
  return report.items.map(({ message }) => message);
}

const definitions = async () => (await kubectl('get', 'crd', '-o', 'name')).split('\n').filter(Boolean);
const minute = 60_000;

it('CO-1: a provider of another contract is refused before anything is in the cluster', {
  timeout: 5 * minute,
}, async () => {
  const result = await settle([...trio('before', 'v1.10.4'), docker('east')]);
  expect(result).toMatchObject({ ok: false, error: { code: 'ContractWrong' } });
  expect(result.error?.message).toContain(
    'capi.infrastructure-docker.east v1.11.1 has contract v1beta2, and capi.cluster-api v1.10.4 works with v1beta1',
  );
  expect(await definitions()).toEqual([]);
});

it('CO-1: core, bootstrap and control plane are applied in order, each awaited', { timeout: 10 * minute }, async () => {
  expect(await settle(trio('before', 'v1.10.4'))).toMatchObject({ ok: true, summary: { documentsApplied: 4 } });
  expect(
    Object.entries(facts.documents ?? {}).map(([name, { version, contract }]) => [name, version, contract]),
  ).toEqual([
    ['capi.cert-manager', 'component@v1.18.2', undefined],
    ['capi.cluster-api', 'component@v1.10.4', 'v1beta1'],
    ['capi.bootstrap-kubeadm', 'component@v1.10.4', 'v1beta1'],
    ['capi.control-plane-kubeadm', 'component@v1.10.4', 'v1beta1'],
  ]);
  expect(Object.values(facts.documents ?? {}).flatMap(({ unfinished }) => unfinished ?? [])).toEqual([]);
  const applied = (await world.reported()).filter((message) => message.startsWith('DocumentsApplied'));
  expect(applied.map((message) => /capi\.[\w.-]+/.exec(message)?.[0])).toEqual([
    ...['capi.cert-manager', 'capi.cluster-api', 'capi.bootstrap-kubeadm', 'capi.control-plane-kubeadm'],
  ]);
  expect(await definitions()).toContain('customresourcedefinition.apiextensions.k8s.io/clusters.cluster.x-k8s.io');
  expect(await drift()).toEqual([]);
});

it('CO-1: an upgrade of a minor version names the storage versions that change, and a downgrade is refused', {
  timeout: 10 * minute,
}, async () => {
  expect(await settle(trio('after', 'v1.11.1'))).toMatchObject({ ok: true });
  const named = (await world.reported()).filter((message) => message.startsWith('StorageVersionChanges'));
  expect(named).toContainEqual(expect.stringContaining('v1beta1 to v1beta2: clusterclasses.cluster.x-k8s.io'));
  const path = 'jsonpath={.status.storedVersions}';
  expect(JSON.parse(await kubectl('get', 'crd', 'clusters.cluster.x-k8s.io', '-o', path))).toEqual([
    'v1beta1',
    'v1beta2',
  ]);
  expect(facts.documents?.['capi.cluster-api']).toMatchObject({ version: 'component@v1.11.1', contract: 'v1beta2' });
  expect(await settle(trio('before', 'v1.10.4'))).toMatchObject({ ok: false, error: { code: 'ComponentDowngrade' } });
  expect(await drift()).toEqual([]);
});

it('CO-3, CO-4: two instances of one provider are side by side, each with its own credentials, one of them from Vault', {
  timeout: 10 * minute,
}, async () => {
  expect(await settle([...trio('after', 'v1.11.1'), docker('east'), docker('west')])).toMatchObject({ ok: true });
  for (const instance of ['east', 'west']) {
    const place = ['--namespace', `capd-system-${instance}`];
    expect(await kubectl('get', 'secret', 'docker-login', ...place, '-o', 'jsonpath={.data.password}')).toBe(
      Buffer.from(`of-${instance}`).toString('base64'),
    );
    const args = 'jsonpath={.spec.template.spec.containers[0].args}';
    expect(JSON.parse(await kubectl('get', 'deployment', 'capd-controller-manager', ...place, '-o', args))).toContain(
      `--namespace=clusters-${instance}`,
    );
    expect(
      await kubectl(
        'get',
        'clusterrolebinding',
        `capd-manager-rolebinding-${instance}`,
        '-o',
        'jsonpath={.subjects[0].namespace}',
      ),
    ).toBe(`capd-system-${instance}`);
  }
  const traces = JSON.stringify([facts, await world.reported(), await world.log('nodes')]);
  expect(traces).not.toMatch(/of-(east|west)/);
  expect(await drift()).toEqual([]);
});

it('CO-3: an upgrade of one instance changes neither the credentials nor the release of the other', {
  timeout: 10 * minute,
}, async () => {
  const west = ['--namespace', 'capd-system-west', '-o', 'jsonpath={.metadata.resourceVersion}'];
  const versions = () =>
    Promise.all([
      kubectl('get', 'secret', 'docker-login', ...west),
      kubectl('get', 'deployment', 'capd-controller-manager', ...west),
    ]);
  const before = await versions();
  const metadata = releases.keep('kind: Metadata\nreleaseSeries: [{ major: 1, minor: 13, contract: v1beta2 }]\n');
  const newer = docker('east', {
    version: 'v1.13.7',
    metadata,
    source: releases.components('newerDocker', 'infrastructure', login),
  });
  expect(await settle([...trio('after', 'v1.11.1'), newer, docker('west')])).toMatchObject({ ok: true });
  expect(await versions()).toEqual(before);
  expect(facts.documents?.['capi.infrastructure-docker.east']?.version).toBe('component@v1.13.7');
  expect(facts.documents?.['capi.infrastructure-docker.west']?.version).toBe('component@v1.11.1');
  expect(await drift()).toEqual([]);
});

it('CO-13: a change by hand and a component that was deleted are found, and are gone after the next run', {
  timeout: 10 * minute,
}, async () => {
  const place = ['--namespace', 'capd-system-west'];
  await kubectl('delete', 'deployment', 'capd-controller-manager', ...place);
  const data = Buffer.from('by hand').toString('base64');
  await kubectl(
    'patch',
    'secret',
    'docker-login',
    '--namespace',
    'capd-system-east',
    '--type=merge',
    '-p',
    `{"data":{"password":"${data}"}}`,
  );
  const found = await drift();
  expect(found.map((message) => /capi\.[\w.-]+/.exec(message)?.[0]).sort()).toEqual([
    ...['capi.infrastructure-docker.east', 'capi.infrastructure-docker.west'],
  ]);
  expect(await settle(installed)).toMatchObject({ ok: true });
  expect(await drift()).toEqual([]);
});

it('CO-4: a password that was changed in Vault is found, and applied by the next run', {
  timeout: 10 * minute,
}, async () => {
  await vault.write('two', 'clouds/east', { password: 'rotated' });
  expect(await drift()).toEqual([expect.stringContaining('capi.infrastructure-docker.east')]);
  expect(await settle(installed)).toMatchObject({ ok: true });
  expect(await drift()).toEqual([]);
});

it('CO-1: a definition that does not know a stored version is refused, and nothing changes', {
  timeout: 10 * minute,
}, async () => {
  const name = 'dockerclusters.infrastructure.cluster.x-k8s.io';
  const path = 'jsonpath={.status.storedVersions}';
  const stored = JSON.parse(await kubectl('get', 'crd', name, '-o', path)) as readonly string[];
  const set = (versions: readonly string[]) =>
    kubectl(
      'patch',
      'crd',
      name,
      '--subresource=status',
      '--type=merge',
      '-p',
      JSON.stringify({ status: { storedVersions: versions } }),
    );
  const served = JSON.parse(await kubectl('get', 'crd', name, '-o', 'json')) as {
    spec: { versions: readonly { name: string }[] };
  };
  const old = { ...served.spec.versions[0], name: 'v1alpha3', served: false, storage: false };
  await kubectl(
    'patch',
    'crd',
    name,
    '--type=json',
    '-p',
    JSON.stringify([{ op: 'add', path: '/spec/versions/-', value: old }]),
  );
  await set([...stored, 'v1alpha3']);
  const result = await settle(installed);
  expect(result).toMatchObject({
    ok: false,
    error: { code: 'StoredVersionUnknown', message: expect.stringContaining('v1alpha3') },
  });
  await set(stored);
  expect(await settle(installed)).toMatchObject({ ok: true });
});

it('CO-1: an instance that leaves the plane is removed, and the other and the definitions stay', {
  timeout: 10 * minute,
}, async () => {
  expect(await settle(installed.filter(({ instance }) => instance !== 'west'))).toMatchObject({ ok: true });
  const deployments = await kubectl(
    'get',
    'deployments',
    '-A',
    '-o',
    'name',
    '--selector',
    'cluster.x-k8s.io/provider=infrastructure-docker',
  );
  expect(deployments.split('\n')).toHaveLength(1);
  expect(await definitions()).toContain(
    'customresourcedefinition.apiextensions.k8s.io/dockerclusters.infrastructure.cluster.x-k8s.io',
  );
  expect(Object.keys(facts.documents ?? {})).not.toContain('capi.infrastructure-docker.west');
  expect(await drift()).toEqual([]);
});
