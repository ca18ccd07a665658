/** Asking without doing: a plan and a verdict change nothing. */
import { describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.ts';
import { aManifest, aSecret, aStaticManifest, aTemplateReference, key, manifestPath } from './documents.ts';

interface Plan {
  readonly cluster: string;
  readonly waypoints: readonly {
    readonly direction: string;
    readonly stages: readonly { reasons: readonly string[] }[];
  }[];
}

async function untouched(api: ApiUnderTest, generation: number | undefined): Promise<void> {
  expect((await api.deps.manifests.get(key))?.generation).toBe(generation);
  expect(api.deps.workflows.started).toHaveLength(generation ?? 0);
}

describe('POST …/plan', () => {
  it('a plan shows the waypoints of a manifest that is not stored, with reasons', async () => {
    const api = apiUnderTest();
    const answer = await api.call('POST', `${manifestPath}/plan`, { body: aManifest() });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ ...key, hasWork: true, faults: [] });
    const [plan] = answer.json.clusters as Plan[];
    expect(plan?.waypoints.map(({ direction }) => direction)).toEqual(['grow']);
    expect(plan?.waypoints[0]?.stages.every(({ reasons }) => reasons.length > 0)).toBe(true);
    await untouched(api, undefined);
  });

  it('a plan makes machine names that DNS accepts of a pool name with capitals and _', async () => {
    const body = JSON.stringify(aManifest()).replaceAll(/"compute"(?!:)/g, '"Web_GPU"');
    const answer = await apiUnderTest().call('POST', `${manifestPath}/plan`, { body });
    expect(answer.json).toMatchObject({ hasWork: true, faults: [] });
    const text = JSON.stringify(answer.json.clusters);
    expect(text).toMatch(/"web-gpu-[a-z0-9]{7}-02"/);
    expect(text).not.toMatch(/Web_GPU-/);
  });

  it('a plan shows no host name that the run would not choose: it is chosen when the name is made', async () => {
    const { spec, ...manifest } = aManifest();
    const [control] = spec.nodePools.dynamic;
    const front = (dns: object) => ({
      roles: [{ name: 'web', protocol: 'tcp', port: 443, targetPort: 30443, targetPools: ['compute'] }],
      clusters: [{ name: 'front', roles: ['web'], targetedK8s: 'web', pools: ['edge'], dns }],
    });
    const nodePools = { dynamic: [...spec.nodePools.dynamic, { ...control, name: 'edge' }] };
    const planOf = async (dns: object) => {
      const loadBalancers = front({ dnsZone: 'example.com', provider: 'sim-1', ...dns });
      const body = { ...manifest, spec: { ...spec, nodePools, loadBalancers } };
      const { json } = await apiUnderTest().call('POST', `${manifestPath}/plan`, { body });
      expect(json.faults).toEqual([]);
      return JSON.stringify(json);
    };
    const chosen = await planOf({});
    expect(chosen).toContain('<new name for front>.example.com: the name is made');
    expect(chosen).not.toMatch(/\b[a-z0-9]{17}\.example\.com/);
    expect(await planOf({ hostname: 'shop' })).toContain('shop.example.com: the name is made');
  });

  it('a plan with an empty body is of the stored manifest', async () => {
    const api = apiUnderTest();
    await api.call('PUT', manifestPath, { body: aManifest() });
    const stored = await api.call('POST', `${manifestPath}/plan`);
    expect(stored.json).toMatchObject({ hasWork: true, faults: [] });
    await untouched(api, 1);
  });

  it('a plan without a body and without a stored manifest is 404', async () => {
    expect((await apiUnderTest().call('POST', `${manifestPath}/plan`)).status).toBe(404);
  });

  it('a plan has the faults of a document, as PUT has', async () => {
    const api = apiUnderTest();
    const answer = await api.call('POST', `${manifestPath}/plan`, {
      body: aManifest({ name: 'other', version: '1.2.3' }),
    });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ hasWork: false, clusters: [] });
    expect((answer.json.faults as { path: string }[]).map(({ path }) => path)).toEqual([
      'metadata.name',
      'spec.kubernetes.clusters[0].version',
    ]);
  });

  it('a plan treats Secrets in the same request as stored', async () => {
    const api = apiUnderTest();
    const manifest = aStaticManifest(key.name, '192.0.2.7');
    const alone = await api.call('POST', `${manifestPath}/plan`, { body: manifest });
    expect(JSON.stringify(alone.json.faults)).toContain('team/ssh');
    const secret = { kind: 'Secret', metadata: { namespace: 'team', name: 'ssh' } };
    const body = [secret, manifest].map((part) => JSON.stringify(part)).join('\n---\n');
    const together = await api.call('POST', `${manifestPath}/plan`, { body });
    expect(together.json).toMatchObject({ hasWork: true, faults: [], totals: { nodes: { added: 1, removed: 0 } } });
  });

  it('a plan of a deletion shows what is removed, without orphans, and of which version', async () => {
    const api = apiUnderTest();
    await api.call('PUT', manifestPath, { body: aManifest() });
    const answer = await api.call('POST', `${manifestPath}/plan?delete=true`);
    expect(answer.json).toMatchObject({ etag: expect.stringMatching(/g1-a1"$/), faults: [] });
    const all = await api.call('POST', `${manifestPath}/plan?delete=true&orphan=all`);
    expect(all.json).toMatchObject({ hasWork: false, clusters: [] });
    expect((await api.call('POST', `${manifestPath}/plan?delete=true`, { body: aManifest() })).status).toBe(400);
    await untouched(api, 1);
  });
});

describe('POST /v1/validate', () => {
  it('validate checks several documents of one body together', async () => {
    const api = apiUnderTest({ KUBELOOM_TEMPLATE_SOURCES: 'recorded' });
    const manifest = aManifest();
    const secretRef = { namespace: 'team', name: 'hetzner' };
    Object.assign(manifest.spec.providers[0] ?? {}, {
      providerType: 'hetzner',
      secretRef,
      templatesRef: { name: 'own-templates' },
    });
    const body = [manifest, aSecret(), aTemplateReference()].map((part) => JSON.stringify(part)).join('\n---\n');
    const answer = await api.call('POST', '/v1/validate', { body });
    expect(answer.status).toBe(200);
    expect(answer.json.valid).toBe(true);
    const kinds = (answer.json.documents as { kind: string }[]).map(({ kind }) => kind);
    expect(kinds).toEqual(['InputManifest', 'Secret', 'TemplateGitReference']);
    await untouched(api, undefined);
  });

  it('validate reports the faults of each document, with its place', async () => {
    const typo = { ...aSecret(), strinData: {} };
    const body = [aManifest({ version: '1.2.3' }), typo, { kind: 'Pod' }]
      .map((part) => JSON.stringify(part))
      .join('\n---\n');
    const { json } = await apiUnderTest().call('POST', '/v1/validate', { body });
    const documents = json.documents as { index: number; kind: string | null; faults: { fix: string }[] }[];
    expect(json.valid).toBe(false);
    expect(documents.map(({ index, kind }) => [index, kind])).toEqual([
      [0, 'InputManifest'],
      [1, 'Secret'],
      [2, null],
    ]);
    expect(documents.every(({ faults }) => faults.length > 0)).toBe(true);
  });

  it('validate checks the items of a kind: List one by one, each fault with its path and line', async () => {
    const manifest = JSON.stringify(aManifest({ version: '1.2.3' }));
    const secret = JSON.stringify(aSecret());
    const body = `apiVersion: v1\nkind: List\nitems:\n- ${secret}\n- ${manifest}\n`;
    const { json } = await apiUnderTest().call('POST', '/v1/validate', { body });
    expect(json.documents).toMatchObject([
      { index: 0, kind: 'Secret', faults: [] },
      { index: 1, kind: 'InputManifest', faults: [{ path: 'spec.kubernetes.clusters[0].version', line: 5 }] },
    ]);
  });

  it('validate checks that a Secret has what the stored manifests need', async () => {
    const api = apiUnderTest();
    const secret = (fields: object) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'team', name: 'ssh' },
      stringData: fields,
    });
    const { generateKeyPairSync } = await import('node:crypto');
    const { privateKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
    const stored = await api.call('PUT', '/v1/secrets/team/ssh', { body: secret({ privatekey: pem }) });
    expect(stored.status).toBe(200);
    await api.call('PUT', manifestPath, { body: aStaticManifest(key.name, '192.0.2.7') });
    const { json } = await api.call('POST', '/v1/validate', { body: secret({ privatekey: 'no key' }) });
    expect(json).toMatchObject({ valid: false, documents: [{ faults: [{ path: 'stringData.privatekey' }] }] });
  });
});
