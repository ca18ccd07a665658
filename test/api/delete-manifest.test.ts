/** Deleting is a generation of its own: raced, protected and repeated like any other. */
import { describe, expect, it } from 'vitest';
import { apiUnderTest } from './api-under-test.ts';
import { aManifest, key, manifestPath } from './documents.ts';
import { aRecord } from './records.ts';

describe('DELETE of a manifest', () => {
  it('DELETE of a manifest starts a run and returns its id', async () => {
    const { deps, call } = apiUnderTest();
    await call('PUT', manifestPath, { body: aManifest() });
    const answer = await call('DELETE', manifestPath);
    expect(answer.status).toBe(202);
    expect(answer.json).toMatchObject({ generation: 2, attempt: 1, unchanged: false });
    expect(await deps.manifests.get(key)).toMatchObject({ deleting: true, status: 'Deleting', generation: 2 });
    expect(deps.workflows.started).toHaveLength(2);
  });

  it('a second DELETE of a manifest starts nothing, unless the deletion has failed', async () => {
    const { deps, call } = apiUnderTest();
    await deps.manifests.create(aRecord({ deleting: true, status: 'Deleting', generation: 4 }));
    const again = await call('DELETE', manifestPath);
    expect(again.status).toBe(200);
    expect(again.json).toMatchObject({ generation: 4, attempt: 1, unchanged: true });
    await deps.manifests.replace(aRecord({ deleting: true, status: 'Failed', generation: 4 }), {
      generation: 4,
      attempt: 1,
    });
    const once = await call('DELETE', manifestPath);
    expect(once.status).toBe(202);
    expect(once.json).toMatchObject({ generation: 4, attempt: 2 });
  });

  it('a protected manifest is not deleted, and the answer says how to lift the protection', async () => {
    const { deps, call } = apiUnderTest();
    await call('PUT', manifestPath, { body: aManifest({ deletionProtection: true }) });
    for (const headers of [undefined, { 'if-match': '*' }]) {
      const answer = await call('DELETE', manifestPath, headers && { headers });
      expect(answer.status).toBe(409);
      expect(answer.json).toMatchObject({ code: 'Protected', faults: [{ path: 'spec.deletionProtection' }] });
      expect(answer.json.detail).toContain('set it to false');
    }
    expect(await deps.manifests.get(key)).toMatchObject({ deleting: false, generation: 1 });
    await call('PUT', manifestPath, { body: aManifest({ deletionProtection: false }) });
    expect((await call('DELETE', manifestPath)).status).toBe(202);
  });

  it('DELETE and PUT are refused when the manifest was recreated since the tag was read', async () => {
    const before = apiUnderTest();
    await before.deps.manifests.create(aRecord({ uid: 'first' }));
    const headers = { 'if-match': String((await before.call('GET', manifestPath)).headers.etag) };
    const { deps, call } = apiUnderTest();
    await deps.manifests.create(aRecord({ uid: 'again' }));
    expect((await call('DELETE', manifestPath, { headers })).status).toBe(412);
    expect((await call('PUT', manifestPath, { headers, body: aManifest({ compute: 5 }) })).status).toBe(412);
  });

  it('DELETE is 404 for a missing manifest and 412 for a changed one', async () => {
    const { call } = apiUnderTest();
    expect((await call('DELETE', manifestPath)).status).toBe(404);
    await call('PUT', manifestPath, { body: aManifest() });
    const stale = await call('DELETE', manifestPath, { headers: { 'if-match': '"abcde-g7-a1"' } });
    expect(stale.status).toBe(412);
    expect(stale.json.current).toEqual({ generation: 1, attempt: 1 });
  });

  it('either DELETE or PUT wins when they arrive at the same time', async () => {
    const { deps, call } = apiUnderTest();
    await call('PUT', manifestPath, { body: aManifest() });
    const answers = await Promise.all([
      call('DELETE', manifestPath),
      call('PUT', manifestPath, { body: aManifest({ compute: 3 }) }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    expect((await deps.manifests.get(key))?.generation).toBe(2);
  });
});
