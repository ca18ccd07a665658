/** Inventories of machine groups over the API: planned in numbers, stored, explained; what is refused. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseDocuments } from '#documents/parse-documents.ts';
import { documentName } from '#domain/documents/validate-documents.ts';
import { isMap } from '#domain/json.ts';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.ts';

type Fields = Readonly<Record<string, unknown>>;
const folder = new URL('../../examples/inventory-machines/', import.meta.url);
const example = readdirSync(folder)
  .sort()
  .flatMap((file) => [...parseDocuments(readFileSync(new URL(file, folder), 'utf8')).documents]) as Fields[];
const base = '/v1/inventory/machines';
const pathOf = (document: unknown) => {
  const { name } = documentName(document);
  return `${base}/documents/${isMap(document) ? document.kind : ''}/${encodeURIComponent(name)}`;
};
const put = (api: ApiUnderTest, document: unknown) => api.call('PUT', pathOf(document), { body: document });
const plan = async (api: ApiUnderTest, ...documents: unknown[]) =>
  (await api.call('POST', `${base}/plan`, { body: documents.map((one) => JSON.stringify(one)).join('\n---\n') })).json;
const withValues = (name: string, values: Fields): Fields => {
  const found = example.find((document) => documentName(document).name === name);
  const spec = found?.spec as Fields | undefined;
  return { ...found, spec: { ...spec, values: { ...(spec?.values as Fields | undefined), ...values } } };
};
const larger = withValues('prod', {
  groups: { web: { size: 3, serverType: 'small' }, batch: { size: 1, serverType: 'large' } },
});

async function filled(): Promise<ApiUnderTest> {
  const api = apiUnderTest();
  for (const document of example) expect((await put(api, document)).json.faults ?? []).toEqual([]);
  return api;
}
const stored = async ({ deps }: ApiUnderTest, name: string) =>
  (await deps.manifests.get({ namespace: 'machines', name }))?.document as Fields | undefined;

describe('an inventory of machine groups', () => {
  it('issue 15, 1: an InventoryCluster of a template for machine groups is stored as MachineGroups, and its run starts like any other', async () => {
    const api = await filled();
    const { json } = await api.call('GET', '/v1/manifests/machines/shop-ams2');
    expect(json).toMatchObject({
      generation: 1,
      status: 'Pending',
      document: {
        kind: 'MachineGroups',
        spec: {
          groups: { web: { size: 4, providerSpec: { region: 'amsterdam' } }, batch: { size: 1, update: 'surge' } },
        },
      },
    });
    const { clusters } = (await api.call('GET', base)).json;
    expect(clusters).toMatchObject([
      { cluster: 'shop-ams2', state: 'current' },
      { cluster: 'shop-fra1', state: 'current' },
    ]);
  });

  it('issue 15, 3: its plan counts machines, before it is stored and for a change', async () => {
    const all = await plan(apiUnderTest(), ...example);
    expect(all).toMatchObject({
      depend: 2,
      changes: 2,
      refused: 0,
      faults: [],
      totals: { clusters: { added: 2 }, nodes: { added: 8 } },
    });
    const api = await filled();
    expect(await plan(api, larger)).toMatchObject({
      depend: 2,
      changes: 1,
      overrides: 1,
      refused: 0,
      clusters: [
        { cluster: 'shop-ams2', impact: 'overrides' },
        { cluster: 'shop-fra1', impact: 'changes', changes: ['groups.web.size 2 → 3'] },
      ],
    });
    expect(await stored(api, 'shop-fra1')).toMatchObject({ spec: { groups: { web: { size: 2 } } } });
  });

  it('machine groups are behind a changed layer until they are applied', async () => {
    const api = await filled();
    expect((await put(api, larger)).json).toMatchObject({ behind: ['shop-fra1'], refused: [] });
    expect((await api.call('POST', `${base}/clusters/shop-fra1/apply`)).status).toBe(202);
    expect(await stored(api, 'shop-fra1')).toMatchObject({ spec: { groups: { web: { size: 3 } } } });
    expect((await api.call('POST', `${base}/clusters/shop-fra1/apply`)).status).toBe(200);
  });

  it('a fault of machine groups is reported at its place in the generated document', async () => {
    const broken = withValues('prod', {
      groups: { web: { size: 0, serverType: 'small' }, batch: { size: 1, serverType: 'large' } },
    });
    const planned = await plan(await filled(), broken);
    expect(planned).toMatchObject({ changes: 0, refused: 1 });
    const rows = planned.clusters as { cluster: string; faults: Fields[] }[];
    expect(rows.find(({ cluster }) => cluster === 'shop-fra1')?.faults).toMatchObject([
      { path: 'spec.groups.web.size' },
    ]);
  });

  it('issue 15, 2: each value names its layer, also where it is written in another form, and defaults are named', async () => {
    const api = await filled();
    const at = async (path: string) => {
      const url = `/v1/manifests/machines/shop-ams2/explain?path=${encodeURIComponent(path)}`;
      return (await api.call('GET', url)).json;
    };
    expect(await at('spec.groups.web.size')).toMatchObject({
      inventory: true,
      behind: false,
      values: [
        { value: 4, template: 'machines@1', sources: [{ name: 'shop-ams2', overrode: [{ name: 'prod', value: 2 }] }] },
      ],
    });
    expect(await at('spec.groups.web.boot')).toMatchObject({
      values: [
        {
          from: 'layer',
          sources: [
            { name: 'prod', value: 'boot.0' },
            { name: 'prod', value: 'boot.1' },
          ],
        },
      ],
    });
    expect(await at('spec.groups.web.openPorts[0].port')).toMatchObject({ values: [{ value: 80, from: 'template' }] });
    expect(await at('spec.groups.batch.update')).toMatchObject({ values: [{ value: 'surge', from: 'default' }] });
  });

  it('issue 15, 2: MachineGroups that a person submitted are explained with their defaults', async () => {
    const api = await filled();
    await api.call('DELETE', `${base}/documents/InventoryCluster/shop-fra1`);
    const { json } = await api.call('GET', '/v1/manifests/machines/shop-fra1/explain');
    const rows = json.values as { path: string; from: string }[];
    const from = (path: string) => rows.find((row) => row.path === path)?.from;
    expect(json).toMatchObject({ inventory: false });
    expect(['spec.groups.web.size', 'spec.groups.web.update', 'spec.network'].map(from)).toEqual([
      'manifest',
      'default',
      'default',
    ]);
  });
});
