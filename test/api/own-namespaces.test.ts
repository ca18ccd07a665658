/** What someone with roles in some namespaces sees of lists: all of theirs, page by page, as if there were no others. */
import { describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest, type Call } from './api-under-test.ts';
import { aRecord } from './records.ts';

const ann: Call['as'] = { jwt: { claims: { sub: 'ann' } } };
const root: Call['as'] = { jwt: { claims: { sub: 'root' } } };

async function apiWhereAnnViews(...namespaces: readonly string[]): Promise<ApiUnderTest> {
  const api = apiUnderTest({ KUBELOOM_ADMINS: 'user:root' });
  for (const namespace of ['a', 'b', 'c', 'd']) {
    for (const name of ['one', 'two', 'three']) await api.deps.manifests.create(aRecord({ namespace, name }));
  }
  const body = {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'RoleBinding',
    metadata: { name: 'ann' },
    spec: { role: 'viewer', namespaces, subjects: [{ user: 'ann' }] },
  };
  expect((await api.call('PUT', '/v1/roles/ann', { body, as: root })).status).toBe(200);
  return api;
}

async function pagesOf(api: ApiUnderTest, limit: number, as: Call['as']): Promise<readonly (readonly string[])[]> {
  const pages: string[][] = [];
  let next: string | undefined;
  do {
    const cursor = next === undefined ? '' : `&next=${encodeURIComponent(next)}`;
    const { json, status } = await api.call('GET', `/v1/manifests?limit=${limit}${cursor}`, { as });
    expect(status).toBe(200);
    pages.push((json.items as { namespace: string; name: string }[]).map((one) => `${one.namespace}/${one.name}`));
    next = json.next as string | undefined;
  } while (next !== undefined);
  return pages;
}

describe('manifests of some namespaces', () => {
  it.each([1, 2, 3, 4, 200])(
    'pages of %i manifests are full, with nothing twice and nothing missing',
    async (limit) => {
      const api = await apiWhereAnnViews('d', 'b', 'empty', 'b');
      const pages = await pagesOf(api, limit, ann);
      expect(pages.flat().toSorted()).toEqual(['b/one', 'b/three', 'b/two', 'd/one', 'd/three', 'd/two']);
      expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
    },
  );

  it('a caller with a role in all namespaces sees all manifests', async () => {
    const api = await apiWhereAnnViews('b', '*');
    expect((await pagesOf(api, 5, ann)).flat()).toHaveLength(12);
  });

  it('a listing continues after a role was removed between two pages', async () => {
    const api = await apiWhereAnnViews('b', 'd');
    const first = await api.call('GET', '/v1/manifests?limit=2', { as: ann });
    const other = { user: 'someone' };
    const body = {
      apiVersion: 'kubeloom.dev/v1',
      kind: 'RoleBinding',
      metadata: { name: 'ann' },
      spec: { role: 'viewer', namespaces: ['d'], subjects: [{ user: 'ann' }, other] },
    };
    await api.call('PUT', '/v1/roles/ann', { body, as: root });
    const second = await api.call('GET', `/v1/manifests?limit=5&next=${first.json.next}`, { as: ann });
    expect((second.json.items as { namespace: string }[]).map(({ namespace }) => namespace)).toEqual(['d', 'd', 'd']);
  });

  it('a cursor of another listing is refused', async () => {
    const api = await apiWhereAnnViews('b');
    const { next } = (await api.call('GET', '/v1/manifests?limit=1', { as: root })).json;
    const answer = await api.call('GET', `/v1/manifests?next=${next}`, { as: ann });
    expect(answer.status).toBe(400);
    expect(answer.json.detail).toContain('not a cursor');
  });
});
