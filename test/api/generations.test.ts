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
        generation: 3,
        current: true,
        at,
        by: 'ann',
        reason: 'rolled back to generation 1',
        rolledBackTo: 1,
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

  it('a generation of an older release is listed without author and time', async () => {
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

describe('GET …/generations/{generation}/diff', () => {
  const diffOf = async ({ call }: ApiUnderTest, place: string) =>
    call('GET', `${manifestPath}/generations/${place}`, as('ann'));

  it('a generation is compared with the one before it, in words and line by line', async () => {
    const under = await apiWithThreeGenerations();
    const { status, json } = await diffOf(under, '2/diff');
    expect(status).toBe(200);
    expect(json).toMatchObject({ from: 1, to: 2, changes: ['nodePools.dynamic "compute".count 2 → 3'] });
    const changed = String(json.diff)
      .split('\n')
      .filter((line) => /^[-+]/.test(line));
    expect(changed).toEqual([
      '--- team/shop (generation 1)',
      '+++ team/shop (generation 2)',
      expect.stringMatching(/^- +count: 2$/),
      expect.stringMatching(/^\+ +count: 3$/),
    ]);
  });

  it('two generations with the same document have no difference', async () => {
    const under = await apiWithThreeGenerations();
    expect((await diffOf(under, '3/diff?from=1')).json).toEqual({ from: 1, to: 3, changes: [], diff: '' });
  });

  it('a comparison with a generation that is not kept is 404 and names those that are', async () => {
    const under = await apiWithThreeGenerations();
    for (const place of ['1/diff', '2/diff?from=9', '9/diff']) {
      const { status, json } = await diffOf(under, place);
      expect([place, status, json.detail]).toEqual([place, 404, expect.stringMatching(/these are: 3, 2, 1$/)]);
    }
  });

  it('a Secret shows neither in a difference nor in a document: both have its name only', async () => {
    const under = apiUnderTest();
    await under.deps.secrets.put('user/team/hetzner', { credentials: 'planted-value' });
    const secretRef = { namespace: 'team', name: 'hetzner' };
    for (const compute of [2, 3]) {
      const { spec, ...manifest } = aManifest({ compute });
      const providers = [...spec.providers, { name: 'cloud', providerType: 'hetzner', secretRef }];
      const { status } = await under.call('PUT', manifestPath, { body: { ...manifest, spec: { ...spec, providers } } });
      expect(status).toBe(202);
    }
    const answers = await Promise.all(['1', '2', '2/diff', '2/diff?from=1'].map((place) => diffOf(under, place)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(JSON.stringify(answers)).not.toContain('planted-value');
  });
});
