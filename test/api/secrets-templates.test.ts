/** Secrets go in and never come out; templates come back as they were; neither is deleted while it is needed. */
import { describe, expect, it } from 'vitest';
import type { ClusterState } from '#domain/cluster-state.ts';
import { apiUnderTest } from './api-under-test.ts';
import { aManifest, aSecret, aTemplateReference, manifestPath } from './documents.ts';
import { aClusterRecord, aRecord, aState } from './records.ts';

const secret = '/v1/secrets/team/hetzner';
const template = '/v1/templates/team/own-templates';

function hetznerManifest() {
  const document = aManifest();
  Object.assign(document.spec.providers[0] ?? {}, {
    providerType: 'hetzner',
    secretRef: { namespace: 'team', name: 'hetzner' },
    templatesRef: { name: 'own-templates' },
  });
  return document;
}

describe('secrets', () => {
  it('a Secret is stored, and only its name and the names of its fields are returned', async () => {
    const { deps, call } = apiUnderTest();
    const put = await call('PUT', secret, { body: aSecret() });
    expect(put.json).toEqual({ namespace: 'team', name: 'hetzner', keys: ['credentials'], warnings: [] });
    expect(await deps.secrets.get('user/team/hetzner')).toEqual({ credentials: 'x'.repeat(64) });
    await call('PUT', '/v1/secrets/other/b', { body: { ...aSecret(), metadata: { name: 'b' } } });
    expect((await call('GET', '/v1/secrets')).json.items).toHaveLength(2);
    const listed = await call('GET', '/v1/secrets?namespace=team');
    expect(listed.json.items).toEqual([{ namespace: 'team', name: 'hetzner' }]);
    expect(listed.text).not.toContain('xxx');
  });

  it('a Secret that Kubeloom keeps for itself is not listed', async () => {
    const { deps, call } = apiUnderTest();
    await deps.secrets.put('ssh/team/shop/web/pool', { privatekey: 'k' });
    expect((await call('GET', '/v1/secrets')).json.items).toEqual([]);
  });

  it('a Secret with a typo is refused with "did you mean", and its value is not repeated', async () => {
    const { deps, call } = apiUnderTest();
    const { stringData, ...rest } = aSecret('hetzner', { credentials: 'topsecretvalue' });
    const answer = await call('PUT', secret, { body: { ...rest, strinData: stringData } });
    expect(answer.status).toBe(422);
    expect(answer.json.faults).toEqual([expect.objectContaining({ fix: 'did you mean stringData?' })]);
    expect(answer.text).not.toContain('topsecretvalue');
    expect(await deps.secrets.exists('user/team/hetzner')).toBe(false);
  });

  it('a Secret must keep the fields that a stored manifest needs', async () => {
    const { call } = apiUnderTest({ KUBELOOM_TEMPLATE_SOURCES: 'recorded' });
    await call('PUT', secret, { body: aSecret() });
    await call('PUT', template, { body: aTemplateReference() });
    expect((await call('PUT', manifestPath, { body: hetznerManifest() })).status).toBe(202);
    const answer = await call('PUT', secret, { body: aSecret('hetzner', { credential: 'y'.repeat(64) }) });
    expect(answer.status).toBe(422);
    expect(answer.json.faults).toEqual([expect.objectContaining({ path: 'stringData.credentials' })]);
  });

  it('a Secret is deleted when nothing needs it', async () => {
    const { deps, call } = apiUnderTest({ KUBELOOM_TEMPLATE_SOURCES: 'recorded' });
    await call('PUT', secret, { body: aSecret() });
    await call('PUT', template, { body: aTemplateReference() });
    await call('PUT', manifestPath, { body: hetznerManifest() });
    const used = await call('DELETE', secret);
    expect(used.status).toBe(409);
    expect(used.json.detail).toContain('team/shop');
    expect((await call('DELETE', template)).status).toBe(409);
    await deps.secrets.put('user/team/spare', {});
    expect((await call('DELETE', '/v1/secrets/team/spare')).status).toBe(204);
    expect((await call('DELETE', '/v1/secrets/team/spare')).status).toBe(404);
  });
});

/** As if its machines had been made with the Secret. */
function withSecret(state: ClusterState, secret: string): ClusterState {
  const pools = state.pools.map((pool) =>
    pool.source.kind === 'dynamic'
      ? { ...pool, source: { ...pool.source, provider: { ...pool.source.provider, secret } } }
      : pool,
  );
  return { ...state, pools };
}

describe('a Secret that is stored', () => {
  it('a long-lived key is answered with the way without one, and is not repeated', async () => {
    const { call } = apiUnderTest();
    const values = { accesskey: 'AKIAIOSFODNN7EXAMPLE', secretkey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
    const answer = await call('PUT', '/v1/secrets/team/aws', { body: aSecret('aws', values) });
    expect(answer.status).toBe(200);
    expect(answer.json.warnings).toEqual([expect.objectContaining({ fix: expect.stringContaining('rolearn') })]);
    expect(answer.text).not.toMatch(/AKIA|wJalr/);
  });

  it('a Secret larger than the store allows is refused with the limit', async () => {
    const { deps, call } = apiUnderTest();
    const answer = await call('PUT', secret, { body: aSecret('hetzner', { credentials: 'ü'.repeat(5000) }) });
    expect(answer.status).toBe(422);
    expect(answer.json.faults).toEqual([
      expect.objectContaining({ reason: 'the fields have 10018 bytes together, at most 8192 can be stored' }),
    ]);
    expect(await deps.secrets.exists('user/team/hetzner')).toBe(false);
  });

  it('a Secret with the token of templates in use is not deleted, and keeps its token', async () => {
    const { deps, call } = apiUnderTest({ KUBELOOM_TEMPLATE_SOURCES: 'recorded' });
    await call('PUT', secret, { body: aSecret() });
    await call('PUT', '/v1/secrets/team/git', { body: aSecret('git', { token: 'abc' }) });
    const reference = aTemplateReference();
    Object.assign(reference.spec, { auth: { secretRef: { namespace: 'team', name: 'git' } } });
    await call('PUT', template, { body: reference });
    expect((await call('PUT', manifestPath, { body: hetznerManifest() })).status).toBe(202);
    const gone = await call('DELETE', '/v1/secrets/team/git');
    expect([gone.status, gone.json.detail]).toEqual([409, expect.stringContaining('team/shop')]);
    const emptied = await call('PUT', '/v1/secrets/team/git', { body: aSecret('git', { user: 'x' }) });
    expect(emptied.status).toBe(422);
    expect(await deps.secrets.get('user/team/git')).toEqual({ token: 'abc' });
  });

  it('a Secret is kept while machines made with it exist, whatever the document says now', async () => {
    const { deps, call } = apiUnderTest();
    await call('PUT', secret, { body: aSecret() });
    await deps.manifests.create(aRecord({ status: 'Failed' }));
    await deps.clusters.put(aClusterRecord({ current: withSecret(aState(['compute-00']), 'team/hetzner') }));
    const refused = await call('DELETE', secret);
    expect([refused.status, refused.json.detail]).toEqual([409, expect.stringContaining('team/shop')]);
    expect(await deps.secrets.exists('user/team/hetzner')).toBe(true);
  });
});

describe('templates', () => {
  it('a template reference is stored, read and deleted', async () => {
    const { call } = apiUnderTest();
    expect((await call('GET', template)).status).toBe(404);
    expect((await call('PUT', template, { body: aTemplateReference() })).status).toBe(200);
    expect((await call('GET', template)).json).toMatchObject({ spec: { commit: 'v1.0.0' } });
    expect((await call('DELETE', template)).status).toBe(204);
    expect((await call('DELETE', template)).status).toBe(404);
  });

  it('a template reference is refused with all faults, a missing Secret with the token too', async () => {
    const { call } = apiUnderTest();
    const body = aTemplateReference('other');
    Object.assign(body.spec, { auth: { secretRef: { namespace: 'team', name: 'token' } } });
    const answer = await call('PUT', template, { body });
    expect(answer.status).toBe(422);
    const paths = (answer.json.faults as { path: string }[]).map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['metadata.name', 'spec.auth.secretRef']));
  });
});
