/** Documents in a cluster with any API server: they are applied, changed, compared, repaired and removed. */
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { waypointKeys } from '#contracts/stage.ts';
import type { DocumentState } from '#domain/cluster-documents.ts';
import type { ClusterFacts, ClusterState } from '#domain/cluster-state.ts';
import { DriftReport } from '#domain/drift.ts';
import { checkDocuments } from '#runner/drift/check-documents.ts';
import { aCheck, aDocument, prefix, type StageWorld, stageWorld } from '#test/runner/stage-world.ts';
import {
  classOf,
  definition,
  definitionOf,
  garden,
  inline,
  named,
  namespace,
  pondOf,
  ponds,
  settings,
} from './demo-objects.ts';
import { stateServedAt } from './served-state.ts';

export interface DocumentsCluster {
  /** Path of a program that speaks as kubectl. */
  readonly kubectl: string;
  /** Text of the kubeconfig of an administrator, as kubeadm has it. */
  kubeconfig(): string;
}

export function documentsContract(cluster: () => DocumentsCluster): void {
  let world: StageWorld;
  let facts: ClusterFacts;

  beforeEach(async () => {
    world = stageWorld();
    facts = { nodes: {}, loadBalancers: {}, simulated: [] };
    world.set('KUBELOOM_KUBECTL', cluster().kubectl);
    await world.ports.artifacts.putText('kubeconfigs/team/shop/shop-1234567', cluster().kubeconfig());
  });
  afterEach(async () => {
    for (const kind of ['configmaps', 'gardens']) await kubectl('delete', kind, '--all', '--namespace=demo');
    await kubectl('delete', 'crd', 'ponds.demo.example', '--ignore-not-found');
    await kubectl('delete', 'storageclass', 'demo-a', 'demo-b', 'demo-c', '--ignore-not-found');
    // No controller is there to take the protection off.
    await kubectl('patch', 'persistentvolume', 'pvc-1', '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
    await kubectl('delete', 'persistentvolume', 'pvc-1', '--ignore-not-found', '--wait=false');
    world.close();
  });

  function kubectl(...args: readonly string[]): Promise<string> {
    const file = join(world.directory, 'own.kubeconfig');
    writeFileSync(file, cluster().kubeconfig());
    return new Promise((resolve) => {
      const all = [`--kubeconfig=${file}`, '--request-timeout=30s', ...args];
      execFile(cluster().kubectl, all, { timeout: 60_000 }, (_, stdout, stderr) => resolve(stdout + stderr));
    });
  }

  /** The nodes stage from one list of documents to another. */
  async function settle(
    before: readonly DocumentState[],
    after: readonly DocumentState[],
    change: Partial<ClusterState> = {},
  ) {
    const [from, to] = [before, after].map((documents) =>
      stateServedAt(cluster().kubeconfig(), { documents: [...documents] }),
    );
    const documentsRemoved = before.map(({ name }) => name).filter((name) => !after.some((one) => one.name === name));
    const documents = after.map(({ name, version }) => ({ name, version }));
    const work = { patch: [], remove: [], maxUnavailable: 1, documents, documentsRemoved };
    const states = { before: { ...from, ...change } as ClusterState, target: to ?? null };
    await world.put(aDocument([{ stage: 'nodes', reasons: [], work }], { direction: 'settle', ...states }), facts);
    const result = await world.run('nodes');
    facts = await world.facts();
    return result;
  }

  /** Until the cluster no longer serves it, as another runner sees it: kubectl remembers for hours which kinds there are. */
  async function untilNotServed(version: string): Promise<void> {
    await expect.poll(() => kubectl('api-versions'), { timeout: 60_000 }).not.toContain(version);
    world.set('KUBECACHEDIR', join(world.directory, 'fresh-cache'));
  }

  async function drift(documents: readonly DocumentState[]) {
    await world.put(aCheck(stateServedAt(cluster().kubeconfig(), { documents: [...documents] }), facts));
    const result = await world.checkDrift([checkDocuments]);
    expect(result.error).toBeUndefined();
    return DriftReport.parse(JSON.parse((await world.ports.artifacts.getText(waypointKeys.drift(prefix))) ?? ''));
  }

  describe('documents in a cluster', () => {
    test('a definition, a namespace and objects of both are applied in one go and kept in the facts', async () => {
      const result = await settle([], [inline(garden, settings({ colour: 'red' }), definition, namespace)]);
      expect(result).toMatchObject({ ok: true, summary: { documentsApplied: 1 } });
      expect(facts.documents?.demo).toMatchObject({
        version: 'inline',
        objects: [
          'apiextensions.k8s.io/v1 CustomResourceDefinition gardens.demo.example',
          'v1 Namespace demo',
          'v1 ConfigMap demo/settings',
          'demo.example/v1 Garden demo/rose',
        ],
      });
      expect(await kubectl('get', 'configmap', 'settings', '-n', 'demo', '-o', 'jsonpath={.data.colour}')).toBe('red');
      expect(
        await kubectl('get', 'gardens', '-n', 'demo', '-l', 'kubeloom.dev/documents=demo', '-o', 'name'),
      ).toContain('rose');
    });

    test('an object without a namespace is applied to the namespace default, and found again there', async () => {
      const bare = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'bare' }, data: {} });
      await settle([], [inline(bare)]);
      expect(facts.documents?.demo?.objects).toEqual(['v1 ConfigMap default/bare']);
      await settle([inline(bare)], []);
      expect(await kubectl('get', 'configmap', 'bare', '-n', 'default')).toContain('not found');
    });

    test('a change is applied, fields of others stay, and what is no longer rendered is removed', async () => {
      const first = inline(namespace, settings({ colour: 'red', size: 'small' }), settings({}, 'second'));
      await settle([], [first]);
      await kubectl('patch', 'configmap', 'settings', '-n', 'demo', '--type=merge', '-p', '{"data":{"own":"kept"}}');
      const second = inline(namespace, settings({ colour: 'blue' }));
      expect((await settle([first], [second])).error).toBeUndefined();
      const data = await kubectl('get', 'configmap', 'settings', '-n', 'demo', '-o', 'jsonpath={.data}');
      expect(JSON.parse(data)).toEqual({ colour: 'blue', own: 'kept' });
      expect(await kubectl('get', 'configmap', 'second', '-n', 'demo')).toContain('not found');
    });

    test('an object that Kubeloom applied and another manager now owns is not removed', async () => {
      await settle([], [inline(namespace, settings({}, 'second'))]);
      await kubectl('label', 'configmap', 'second', '-n', 'demo', 'kubeloom.dev/documents-');
      await settle([inline(namespace, settings({}, 'second'))], []);
      expect(await kubectl('get', 'configmap', 'second', '-n', 'demo', '-o', 'name')).toBe('configmap/second\n');
    });

    test('documents that are no longer desired are removed; definitions and namespaces stay, and an event reports that', async () => {
      const all = inline(namespace, definition, garden, settings({ colour: 'red' }));
      await settle([], [all]);
      expect(await settle([all], [])).toMatchObject({ ok: true, summary: { documentsRemoved: 1 } });
      expect(facts.documents).toBeUndefined();
      expect(await kubectl('get', 'gardens,configmap', '-n', 'demo', '-o', 'name')).not.toMatch(/rose|settings/);
      expect(await kubectl('get', 'namespace', 'demo', '-o', 'name')).toBe('namespace/demo\n');
      expect((await world.reported()).join()).toContain('DocumentsKept: demo: ');
    });

    test('a change by hand is found as drift, and applying again repairs it', async () => {
      const documents = [inline(namespace, settings({ colour: 'red' }), settings({}, 'second'))];
      await settle([], documents);
      expect(await drift(documents)).toMatchObject({ items: [], unchecked: [] });
      await kubectl(
        'patch',
        'configmap',
        'settings',
        '-n',
        'demo',
        '--type=merge',
        '-p',
        '{"data":{"colour":"black"}}',
      );
      const { items } = await drift(documents);
      expect(items).toMatchObject([{ kind: 'document', where: { name: 'demo' }, repairable: true }]);
      expect(items[0]?.message).toContain('v1.ConfigMap.demo.settings');
      expect(items[0]?.message).not.toContain('second');
      await settle(documents, documents);
      expect((await drift(documents)).items).toEqual([]);
    });

    test('an object that was deleted by hand is found as drift', async () => {
      const documents = [inline(namespace, settings({ colour: 'red' }))];
      await settle([], documents);
      await kubectl('delete', 'configmap', 'settings', '-n', 'demo');
      expect((await drift(documents)).items).toHaveLength(1);
    });

    test('a kind that the cluster does not have is a fault that names it, and what was applied before is known', async () => {
      const result = await settle(
        [],
        [inline(namespace, 'apiVersion: none.example/v1\nkind: Nothing\nmetadata: { name: a }\n')],
      );
      expect(result.error).toMatchObject({ class: 'user', code: 'KindUnknown', resource: 'demo' });
      expect(facts.documents?.demo?.objects).toEqual(['v1 Namespace demo']);
    });

    test('a template is repeated for each value, and classes whose parameters change are replaced', async () => {
      world.file('kubernetes/classes/each-zone/class.yaml', classOf('2'));
      const classes = (...zone: string[]): DocumentState => ({
        name: 'classes',
        version: 'builtin@1',
        values: { zone },
      });
      await settle([], [classes('a', 'b')]);
      expect(await kubectl('get', 'storageclass', '-l', 'kubeloom.dev/documents=classes', '-o', 'name')).toBe(
        'storageclass.storage.k8s.io/demo-a\nstorageclass.storage.k8s.io/demo-b\n',
      );
      world.file('kubernetes/classes/each-zone/class.yaml', classOf('3'));
      expect((await settle([classes('a', 'b')], [classes('b', 'c')])).error).toBeUndefined();
      expect(await kubectl('get', 'storageclass', '-l', 'kubeloom.dev/documents=classes', '-o', 'name')).toBe(
        'storageclass.storage.k8s.io/demo-b\nstorageclass.storage.k8s.io/demo-c\n',
      );
      expect(await kubectl('get', 'storageclass', 'demo-b', '-o', 'jsonpath={.parameters.replicas}')).toBe('3');
      rmSync(join(world.templates, 'kubernetes'), { recursive: true });
    });

    test('storage is not switched off while volumes of it exist, and the failure lists their owners', async () => {
      const documents = [inline(namespace, settings({ colour: 'red' }))];
      await settle([], documents);
      const volume = {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: 'pvc-1' },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          csi: { driver: 'driver.longhorn.io', volumeHandle: 'pvc-1' },
          claimRef: { namespace: 'shop', name: 'data' },
        },
      };
      const file = join(world.directory, 'volume.json');
      writeFileSync(file, JSON.stringify(volume));
      await kubectl('apply', '--server-side', '--validate=false', '-f', file);
      const result = await settle(documents, [], { storage: 'longhorn' });
      expect(result.error).toMatchObject({ class: 'user', code: 'StorageInUse' });
      expect(result.error?.message).toContain('pvc-1 (shop/data)');
      expect(await kubectl('get', 'configmap', 'settings', '-n', 'demo', '-o', 'name')).toBe('configmap/settings\n');
    });
  });

  describe('documents whose objects move, or change their version', () => {
    test('an object that only changes its version stays', async () => {
      const of = (version: string) => [inline(namespace, ponds, pondOf(version))];
      await settle([], of('v1'));
      expect((await settle(of('v1'), of('v2'))).error).toBeUndefined();
      expect(await kubectl('get', 'ponds', '-n', 'demo', '-o', 'name')).toBe('pond.demo.example/koi\n');
      expect(facts.documents?.demo?.objects).toContain('demo.example/v2 Pond demo/koi');
    });

    test('an object of a kind that the cluster does not have any more does not keep others from being removed', async () => {
      const all = inline(namespace, ponds, pondOf('v1'), settings({ colour: 'red' }));
      await settle([], [all]);
      await kubectl('delete', 'crd', 'ponds.demo.example');
      await untilNotServed('demo.example/v2');
      expect((await settle([all], [inline(namespace)])).error).toBeUndefined();
      expect(await kubectl('get', 'configmap', 'settings', '-n', 'demo')).toContain('not found');
      expect(facts.documents?.demo?.objects).toEqual(['v1 Namespace demo']);
    });

    test('an object is removed in the version that the cluster still serves', async () => {
      const all = inline(namespace, ponds, pondOf('v2'));
      await settle([], [all]);
      const versions = JSON.parse(definitionOf('Pond', 'v1')).spec.versions;
      await kubectl('patch', 'crd', 'ponds.demo.example', '--type=merge', '-p', JSON.stringify({ spec: { versions } }));
      await untilNotServed('demo.example/v2');
      expect((await settle([all], [inline(namespace)])).error).toBeUndefined();
      expect(await kubectl('get', 'ponds', '-n', 'demo', '-o', 'name')).not.toContain('koi');
    });

    test('an object that moves from one document to another stays the same object', async () => {
      const uid = () => kubectl('get', 'configmap', 'settings', '-n', 'demo', '-o', 'jsonpath={.metadata.uid}');
      const moved = settings({ colour: 'red' });
      const before = [named('first', namespace, moved), named('second', settings({}, 'other'))];
      const after = [named('first', namespace), named('second', settings({}, 'other'), moved)];
      await settle([], before);
      const known = await uid();
      expect(known).toMatch(/^[0-9a-f-]{36}$/);
      expect((await settle(before, after)).error).toBeUndefined();
      expect(await uid()).toBe(known);
      expect(facts.documents?.first?.objects).toEqual(['v1 Namespace demo']);
    });
  });
}
