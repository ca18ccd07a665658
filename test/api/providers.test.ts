/** Provider instances and templates as a client lists them: names and places, never values. */
import { describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest, as } from './api-under-test.ts';
import { aManifest, aTemplateReference } from './documents.ts';

const binding = (user: string, namespace: string) => ({
  apiVersion: 'kubeloom.dev/v1',
  kind: 'RoleBinding',
  metadata: { name: user },
  spec: { role: 'operator', namespaces: [namespace], subjects: [{ user }] },
});

async function apiWithTwoNamespaces(): Promise<ApiUnderTest> {
  const under = apiUnderTest({ KUBELOOM_ADMINS: 'user:ann' });
  const { call, deps } = under;
  await deps.secrets.put('user/team/hetzner', { credentials: 'planted-value' });
  const { spec, ...shop } = aManifest();
  const cloud = { name: 'cloud', providerType: 'hetzner', secretRef: { name: 'hetzner', namespace: 'team' } };
  const bodies = [{ ...shop, spec: { ...spec, providers: [...spec.providers, cloud] } }];
  const others = [aManifest({ namespace: 'other', name: 'crm' })];
  for (const body of [...bodies, ...others]) {
    const { namespace, name } = body.metadata;
    expect((await call('PUT', `/v1/manifests/${namespace}/${name}`, { body, ...as('ann') })).status).toBe(202);
  }
  await call('PUT', '/v1/roles/bob', { body: binding('bob', 'other'), ...as('ann') });
  return under;
}

describe('GET /v1/providers', () => {
  it('provider instances are listed with their types, and the pools that use them, and names of Secrets, never values', async () => {
    const { call } = await apiWithTwoNamespaces();
    const { status, json } = await call('GET', '/v1/providers', as('ann'));
    expect(status).toBe(200);
    const sim = { name: 'sim-1', type: 'sim', secrets: [], templates: [], pools: 2, regions: ['anywhere'] };
    expect(json.items).toEqual([
      { namespace: 'other', manifest: 'crm', ...sim },
      { namespace: 'team', manifest: 'shop', ...sim },
      {
        namespace: 'team',
        manifest: 'shop',
        name: 'cloud',
        type: 'hetzner',
        templates: [],
        pools: 0,
        regions: [],
        secrets: [{ namespace: 'team', name: 'hetzner' }],
      },
    ]);
    expect(JSON.stringify(json)).not.toContain('planted-value');
  });

  it('a caller sees the provider instances of its namespaces only', async () => {
    const { call } = await apiWithTwoNamespaces();
    const { json } = await call('GET', '/v1/providers', as('bob'));
    expect((json.items as { manifest: string }[]).map(({ manifest }) => manifest)).toEqual(['crm']);
  });
});

describe('GET /v1/templates/{namespace}', () => {
  it('templates are listed by namespace', async () => {
    const { call } = apiUnderTest();
    for (const name of ['own', 'another']) {
      const body = { ...aTemplateReference(), metadata: { name, namespace: 'team' } };
      expect((await call('PUT', `/v1/templates/team/${name}`, { body })).status).toBe(200);
    }
    const names = ['another', 'own'].map((name) => ({ namespace: 'team', name }));
    expect((await call('GET', '/v1/templates/team')).json).toEqual({ items: names });
    expect((await call('GET', '/v1/templates/other')).json).toEqual({ items: [] });
  });
});
