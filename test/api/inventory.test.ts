/** Inventories over the API: what is stored, what starts a run, what a plan and an explanation say. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseDocuments } from '#documents/parse-documents.ts';
import { documentName } from '#domain/documents/validate-documents.ts';
import { inventoryAnnotation } from '#domain/inventory/resolve-cluster.ts';
import { isMap } from '#domain/json.ts';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.ts';

const folder = new URL('../../examples/inventory/', import.meta.url);
const example = readdirSync(folder)
  .sort()
  .flatMap((file) => [...parseDocuments(readFileSync(new URL(file, folder), 'utf8')).documents]);

type Spec = Readonly<Record<string, unknown>>;
function one(kind: string, name: string, change: (spec: Spec) => Spec = (spec) => spec) {
  const found = example.find(
    (document) => isMap(document) && document.kind === kind && documentName(document).name === name,
  );
  if (!isMap(found) || !isMap(found.spec)) throw new Error(`the example has no ${kind} ${name}`);
  return { ...found, spec: change(found.spec) };
}
const pathOf = (document: unknown) => {
  const { name } = documentName(document);
  return `/v1/inventory/fleet/documents/${isMap(document) ? document.kind : ''}/${encodeURIComponent(name)}`;
};
const put = (api: ApiUnderTest, document: unknown) => api.call('PUT', pathOf(document), { body: document });
const newer = one('InventoryLayer', 'prod', (spec) => ({
  ...spec,
  values: { ...(spec.values as Spec), kubernetes: { version: '1.36.0' } },
}));
const body = (...documents: unknown[]) => documents.map((document) => JSON.stringify(document)).join('\n---\n');

async function filled(): Promise<ApiUnderTest> {
  const api = apiUnderTest();
  for (const document of example) expect((await put(api, document)).json.faults ?? []).toEqual([]);
  return api;
}
const versionIn = async ({ deps }: ApiUnderTest, name: string) => {
  const stored = await deps.manifests.get({ namespace: 'fleet', name });
  return (stored?.document as { spec: { kubernetes: { clusters: { version: string }[] } } } | undefined)?.spec
    .kubernetes.clusters[0]?.version;
};

describe('an inventory', () => {
  it('CO-5: a cluster of a few lines becomes a whole manifest, which is stored and started like any other', async () => {
    const api = await filled();
    const { json } = await api.call('GET', '/v1/manifests/fleet/acme-fra1');
    expect(json).toMatchObject({
      generation: 1,
      status: 'Pending',
      document: { metadata: { annotations: { [inventoryAnnotation]: 'acme-fra1' } } },
    });
    const { nodePools } = (json.document as { spec: { nodePools: { dynamic: object[] } } }).spec;
    expect(nodePools.dynamic).toMatchObject([
      { name: 'control', count: 3 },
      {
        name: 'web',
        count: 3,
        providerSpec: { region: 'frankfurt' },
        labels: { environment: 'prod', customer: 'acme', site: 'fra1' },
      },
    ]);
    const { items } = (await api.call('GET', '/v1/manifests/fleet/acme-fra1/generations')).json as { items: object[] };
    expect(items).toMatchObject([{ reason: 'made from InventoryCluster acme-fra1', by: 'tester' }]);
  });

  it('CO-10, BEAT-3: a changed layer starts nothing: the answer names the clusters that are behind it, and they change when they are applied', async () => {
    const api = await filled();
    const stored = await put(api, newer);
    expect(stored.json).toMatchObject({
      generation: 2,
      unchanged: false,
      behind: ['acme-ams2', 'acme-fra1'],
      refused: [],
    });
    expect(await versionIn(api, 'acme-fra1')).toBe('1.35.2');
    const { clusters } = (await api.call('GET', '/v1/inventory/fleet')).json as { clusters: object[] };
    expect(clusters).toMatchObject([
      { cluster: 'acme-ams2', state: 'behind' },
      { cluster: 'acme-fra1', state: 'behind', changes: ['kubernetes.clusters "acme-fra1".version 1.35.2 → 1.36.0'] },
      { cluster: 'globex-test', state: 'current' },
    ]);
    expect((await api.call('POST', '/v1/inventory/fleet/clusters/acme-fra1/apply')).status).toBe(202);
    expect(await versionIn(api, 'acme-fra1')).toBe('1.36.0');
    expect(await versionIn(api, 'acme-ams2')).toBe('1.35.2');
    expect((await api.call('POST', '/v1/inventory/fleet/clusters/acme-fra1/apply')).status).toBe(200);
    expect((await put(api, newer)).json).toMatchObject({ generation: 2, unchanged: true, behind: [] });
  });

  it('CO-12: a stored version of a template never changes, and the next version is a document of its own', async () => {
    const api = await filled();
    const changed = one('InventoryTemplate', 'standard@1', (spec) => ({ ...spec, parts: {}, document: { spec: {} } }));
    expect((await put(api, changed)).json).toMatchObject({
      code: 'InvalidManifest',
      faults: [{ path: 'spec.version' }],
    });
    const second = { ...changed, spec: { ...changed.spec, version: 2 } };
    expect((await put(api, second)).json).toMatchObject({ name: 'standard@2', generation: 1, behind: [] });
  });

  it('a manifest that is made from the inventory cannot be changed by hand until its InventoryCluster is deleted', async () => {
    const api = await filled();
    const path = '/v1/manifests/fleet/acme-fra1';
    const { document } = (await api.call('GET', path)).json;
    const byHand = { ...(document as object), metadata: { name: 'acme-fra1', namespace: 'fleet' } };
    const refused = await api.call('PUT', path, { body: byHand });
    expect(refused.json).toMatchObject({ status: 409, code: 'InUse' });
    expect(refused.json.detail).toContain('is made from the InventoryCluster of its name; change its values or layers');
    expect((await api.call('DELETE', pathOf(one('InventoryCluster', 'acme-fra1')))).status).toBe(204);
    expect((await api.call('PUT', path, { body: byHand })).status).toBe(202);
  });

  it('an InventoryCluster takes over a hand-written manifest of its name only if that manifest allows it', async () => {
    const api = await filled();
    const cluster = one('InventoryCluster', 'globex-test');
    await api.call('DELETE', pathOf(cluster));
    const path = '/v1/manifests/fleet/globex-test';
    const { document } = (await api.call('GET', path)).json;
    const metadata = { name: 'globex-test', namespace: 'fleet' };
    await api.call('PUT', path, { body: { ...(document as object), metadata } });
    const refused = await put(api, cluster);
    expect(refused.json).toMatchObject({ status: 409, code: 'InUse' });
    expect(refused.json.detail).toContain('add the annotation kubeloom.dev/inventory-cluster: globex-test');
    expect(
      await api.deps.inventory.get({ namespace: 'fleet', kind: 'InventoryCluster', name: 'globex-test' }),
    ).toBeUndefined();
    await api.call('PUT', path, {
      body: {
        ...(document as object),
        metadata: { ...metadata, annotations: { [inventoryAnnotation]: 'globex-test' } },
      },
    });
    expect((await put(api, cluster)).status).toBe(200);
  });

  it('documents that clusters need are not deleted', async () => {
    const api = await filled();
    for (const document of [one('InventoryLayer', 'prod'), one('InventoryTemplate', 'standard@1')]) {
      expect((await api.call('DELETE', pathOf(document))).json).toMatchObject({ code: 'InUse' });
    }
  });

  it('a layer that its level may not set, and a cluster that does not resolve, are refused with every fault', async () => {
    const api = await filled();
    const site = one('InventoryLayer', 'fra1', (spec) => ({ ...spec, values: { kubernetes: { version: '1.34.0' } } }));
    expect((await put(api, site)).json.faults).toMatchObject([{ path: 'spec.values.kubernetes.version' }]);
    const cluster = one('InventoryCluster', 'acme-fra1', (spec) => ({
      ...spec,
      template: 'standrad@1',
      layers: { environment: 'prd' },
    }));
    expect((await put(api, cluster)).json.faults).toMatchObject([
      { fix: 'did you mean prod?' },
      { fix: 'did you mean standard@1?' },
    ]);
  });
});

describe('the plan of an inventory', () => {
  it('CO-10: every dependant is counted, with what its clusters would do; nothing is stored', async () => {
    const api = await filled();
    const own = one('InventoryCluster', 'acme-ams2', (spec) => ({
      ...spec,
      values: { kubernetes: { version: '1.35.2' } },
    }));
    await put(api, own);
    const plan = await api.call('POST', '/v1/inventory/fleet/plan', { body: body(newer) });
    expect(plan.json).toMatchObject({ depend: 2, changes: 1, overrides: 1, refused: 0, faults: [] });
    expect(plan.json.clusters).toMatchObject([
      { cluster: 'acme-ams2', impact: 'overrides', totals: null },
      { cluster: 'acme-fra1', impact: 'changes', changes: ['kubernetes.clusters "acme-fra1".version 1.35.2 → 1.36.0'] },
    ]);
    expect(await versionIn(api, 'acme-fra1')).toBe('1.35.2');
    expect((await api.call('GET', pathOf(newer))).json).toMatchObject({ generation: 1 });
  });

  it('BEAT-2: a change that skips a minor version of Kubernetes backwards is refused before any cluster is touched', async () => {
    const api = await filled();
    const older = one('InventoryLayer', 'prod', (spec) => ({
      ...spec,
      values: { ...(spec.values as Spec), kubernetes: { version: '0.9.0' } },
    }));
    const plan = await api.call('POST', '/v1/inventory/fleet/plan', { body: body(older) });
    expect(plan.json).toMatchObject({ depend: 2, changes: 0, refused: 2 });
  });

  it('a whole inventory that is not stored yet is planned as one', async () => {
    const plan = await apiUnderTest().call('POST', '/v1/inventory/fleet/plan', { body: body(...example) });
    expect(plan.json).toMatchObject({
      depend: 3,
      changes: 3,
      refused: 0,
      faults: [],
      totals: { clusters: { added: 3 } },
    });
  });
});

describe('an explanation', () => {
  it('BEAT-3: a Secret that a layer names leaks through inheritance into no plan, explanation or manifest', async () => {
    const api = await filled();
    await api.deps.secrets.put('user/fleet/cloud', { token: 'hidden-value' });
    const layer = one('InventoryLayer', 'sim-a', (spec) => {
      const { provider, ...values } = spec.values as Spec;
      const secretRef = { name: 'cloud', namespace: 'fleet' };
      return { ...spec, values: { ...values, provider: { ...(provider as Spec), secretRef } } };
    });
    const plan = await api.call('POST', '/v1/inventory/fleet/plan', { body: body(layer) });
    await put(api, layer);
    const answers = [plan, await api.call('GET', '/v1/manifests/fleet/acme-fra1/explain')];
    expect(answers[1]?.text).toContain('cloud');
    expect(plan.json).toMatchObject({ refused: 0 });
    for (const { text } of answers) expect(text).not.toContain('hidden-value');
  });

  it('CO-8: explain shows the layer, generation and author of a value and what it overrode; an unset value is a default', async () => {
    const api = await filled();
    const at = async (path: string) =>
      (await api.call('GET', `/v1/manifests/fleet/acme-ams2/explain?path=${encodeURIComponent(path)}`)).json;
    expect(await at('pools.web.count')).toMatchObject({
      inventory: true,
      behind: false,
      values: [
        {
          path: 'pools.web.count',
          value: 5,
          from: 'layer',
          sources: [
            {
              kind: 'InventoryCluster',
              name: 'acme-ams2',
              generation: 1,
              by: 'tester',
              overrode: [
                { name: 'acme', value: 3 },
                { name: 'prod', value: 2 },
              ],
            },
          ],
        },
      ],
    });
    expect(await at('spec.nodePools.dynamic[1].count')).toMatchObject({
      values: [{ value: 5, template: 'standard@1', sources: [{ value: 'pools.web.count' }] }],
    });
    expect(await at('spec.kubernetes.clusters[0].network')).toMatchObject({ values: [{ from: 'templateDefault' }] });
    expect(await at('spec.kubernetes.clusters[0].protect')).toMatchObject({
      values: [{ value: false, from: 'default' }],
    });
  });

  it('a manifest that a person submitted is explained too, with its defaults', async () => {
    const api = await filled();
    await api.call('DELETE', pathOf(one('InventoryCluster', 'acme-fra1')));
    const { json } = await api.call('GET', '/v1/manifests/fleet/acme-fra1/explain?path=spec.kubernetes.clusters[0]');
    const rows = json.values as { path: string; from: string }[];
    const from = (field: string) => rows.find(({ path }) => path === `spec.kubernetes.clusters[0].${field}`)?.from;
    expect(json).toMatchObject({ inventory: false, behind: false, by: 'tester' });
    expect([from('version'), from('protect'), from('installationProxy.mode')]).toEqual([
      'manifest',
      'default',
      'default',
    ]);
  });
});
