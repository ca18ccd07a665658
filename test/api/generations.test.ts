/** The generations of a manifest as a client reads them: which documents there were, who changed what, and each of them. */
import { describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest, as } from './api-under-test.ts';
import { aManifest, manifestPath } from './documents.ts';
import { aRecord } from './records.ts';

async function apiWithThreeGenerations(): Promise<ApiUnderTest> {
  const under = apiUnderTest({ KUBELOOM_ADMINS: 'user:ann,user:bob' });
  await under.call('PUT', manifestPath, { body: aManifest({ compute: 2 }), ...as('ann') });
  await under.call('PUT', manifestPath, { body: aManifest({ compute: 3 }), ...as('bob') });
  await under.call('POST', `${manifestPath}/rollback`, { body: { to: 1 }, ...as('ann') });
  return under;
}

describe('GET …/generations', () => {
  it('generations are listed newest first, with who asked for each, why, and what it changed', async () => {
    const { call } = await apiWithThreeGenerations();
    const { status, json } = await call('GET', `${manifestPath}/generations`, as('ann'));
    expect(status).toBe(200);
    const at = expect.stringMatching(/^\d{4}-/);
    const count = 'nodePools.dynamic "compute".count';
    expect(json.items).toEqual([
      {
        ...{ generation: 3, current: true, at, by: 'ann', reason: 'rolled back to generation 1', rolledBackTo: 1 },
        changes: [`${count} 3 → 2`],
      },
      { generation: 2, current: false, at, by: 'bob', reason: 'changed', changes: [`${count} 2 → 3`] },
      { generation: 1, current: false, at, by: 'ann', reason: 'created', changes: null },
    ]);
  });

  it('a retry is no new generation, and a deletion is one', async () => {
    const { deps, call } = await apiWithThreeGenerations();
    const key = { namespace: 'team', name: 'shop' };
    const { lease } = (await deps.manifests.takeLease(key, 'x', { now: '1', dueAt: '2', expiresAt: '3' })) ?? {};
    await deps.manifests.settle(
      key,
      lease?.fence ?? 0,
      { generation: 3, attempt: 1 },
      'Failed',
      '2026-11-20T12:00:00Z',
    );
    expect((await call('POST', `${manifestPath}/retry`, as('bob'))).status).toBe(202);
    await call('DELETE', manifestPath, as('bob'));
    const items = (await call('GET', `${manifestPath}/generations`, as('ann'))).json.items as object[];
    expect(items).toHaveLength(4);
    expect(items[0]).toMatchObject({ generation: 4, by: 'bob', reason: 'deleted', changes: [] });
    expect(items[1]).toMatchObject({
      generation: 3,
      by: 'ann',
      reason: 'rolled back to generation 1',
      rolledBackTo: 1,
    });
  });

  it('a generation of an older release is listed without who and when', async () => {
    const { deps, call } = apiUnderTest();
    await deps.manifests.create(aRecord());
    const { json } = await call('GET', `${manifestPath}/generations`);
    expect(json.items).toEqual([{ generation: 1, current: true, changes: null }]);
  });

  it('generations of a missing manifest are 404', async () => {
    const { call } = apiUnderTest();
    for (const path of ['generations', 'generations/1'])
      expect(await call('GET', `${manifestPath}/${path}`)).toMatchObject({ status: 404, json: { code: 'NotFound' } });
  });
});

describe('GET …/generations/{generation}', () => {
  it('the document of the newest and of an earlier generation can be read', async () => {
    const { call } = await apiWithThreeGenerations();
    const countsOf = async (generation: number) => {
      const { json } = await call('GET', `${manifestPath}/generations/${generation}`, as('ann'));
      const { spec } = json.document as ReturnType<typeof aManifest>;
      return { ...json, document: spec.nodePools.dynamic.map(({ count }) => count) };
    };
    expect(await countsOf(2)).toMatchObject({ generation: 2, current: false, by: 'bob', document: [1, 3] });
    expect(await countsOf(3)).toMatchObject({ generation: 3, current: true, by: 'ann', document: [1, 2] });
  });

  it('a generation that is not kept is 404 and names those that are; a bad number is 400', async () => {
    const { call } = await apiWithThreeGenerations();
    const answer = await call('GET', `${manifestPath}/generations/9`, as('ann'));
    expect(answer.status).toBe(404);
    expect(answer.json.detail).toBe('generation 9 of manifest "shop" is not kept; these are: 3, 2, 1');
    for (const bad of ['0', 'x', '1.5'])
      expect((await call('GET', `${manifestPath}/generations/${bad}`, as('ann'))).status).toBe(400);
  });
});
