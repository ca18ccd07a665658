/** Accepting a manifest: what is stored and started, when nothing is, and who wins a race. */
import { describe, expect, it } from 'vitest';
import type { ClusterPlan } from '#domain/plan.ts';
import type { FakeDeps } from '#test/fakes/fake-deps.ts';
import { RecordedWorkflows } from '#test/fakes/fake-deps.ts';
import { groupsWith, leaf } from '#test/machine-groups/groups.ts';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.ts';
import { aManifest, aSecret, aStaticManifest, key, manifestPath } from './documents.ts';
import { aClusterRecord, aState } from './records.ts';

async function settled(api: ApiUnderTest, status: 'Done' | 'Failed'): Promise<void> {
  const term = {
    now: '2026-11-20T12:00:00.000Z',
    dueAt: '2026-11-20T12:30:00.000Z',
    expiresAt: '2026-11-20T13:00:00.000Z',
  };
  const taken = await api.deps.manifests.takeLease(key, 'owner', term);
  if (!taken) throw new Error('the lease is held');
  await api.deps.manifests.settle(key, taken.lease.fence, taken.record, status, term.now);
}

describe('PUT of a new manifest', () => {
  it('PUT of a new manifest stores the first generation, queues its run and starts it', async () => {
    const api = apiUnderTest();
    const answer = await api.call('PUT', manifestPath, { body: aManifest() });
    expect(answer.status).toBe(202);
    expect(answer.json).toMatchObject({ ...key, generation: 1, attempt: 1, unchanged: false });
    const runId = String(answer.json.runId);
    expect(runId).toMatch(/^shop-[a-z0-9]{5}-g1-a1$/);
    expect(answer.headers.etag).toBe('"a0001-g1-a1"');
    expect(api.deps.workflows.started).toEqual([{ runId, input: key }]);
    expect(await api.deps.runs.get(key, runId)).toMatchObject({ status: 'Queued', reason: 'created' });
    expect(await api.deps.manifests.get(key)).toMatchObject({ status: 'Pending', runId, deleting: false });
  });

  it('PUT accepts YAML, and takes a missing namespace from the path', async () => {
    const api = apiUnderTest();
    const { namespace: _, ...metadata } = aManifest().metadata;
    const yaml = `# a comment\n${JSON.stringify({ ...aManifest(), metadata })}\n`;
    const answer = await api.call('PUT', manifestPath, { body: yaml, headers: { 'content-type': 'application/yaml' } });
    expect(answer.status).toBe(202);
    expect((await api.deps.manifests.get(key))?.document).toMatchObject({ metadata: { namespace: 'team' } });
  });

  it('PUT warns of what is legal and unwise', async () => {
    const answer = await apiUnderTest().call('PUT', manifestPath, { body: aManifest() });
    expect(answer.json.warnings).toEqual([expect.objectContaining({ path: expect.stringContaining('clusters[0]') })]);
  });

  it('PUT is accepted when its run cannot start, and the scheduler starts it later', async () => {
    class BrokenWorkflows extends RecordedWorkflows {
      override async startReconcile(): Promise<string> {
        throw new Error('Step Functions is away');
      }
    }
    const api = apiUnderTest({}, { workflows: new BrokenWorkflows() });
    expect((await api.call('PUT', manifestPath, { body: aManifest() })).status).toBe(202);
    expect(await api.deps.manifests.due('2026-11-20T12:02:00.000Z', 10)).toHaveLength(1);
  });
});

describe('PUT of a manifest that is stored', () => {
  it('PUT of the same document starts nothing while its run continues or after it is done', async () => {
    const api = apiUnderTest();
    await api.call('PUT', manifestPath, { body: aManifest() });
    const running = await api.call('PUT', manifestPath, { body: aManifest() });
    const { json } = await api.call('POST', `${manifestPath}/plan`);
    const [plan] = json.clusters as readonly ClusterPlan[];
    const current = plan?.waypoints.at(-1)?.target ?? null;
    await api.deps.clusters.put(aClusterRecord({ status: 'Converged', cluster: current?.id ?? '', current }));
    await settled(api, 'Done');
    const done = await api.call('PUT', manifestPath, { body: aManifest() });
    for (const answer of [running, done]) {
      expect(answer.status).toBe(200);
      expect(answer.json).toMatchObject({ unchanged: true, generation: 1, attempt: 1 });
    }
    expect(api.deps.workflows.started).toHaveLength(1);
  });

  it('PUT of the same document starts a new attempt when its last run failed', async () => {
    const api = apiUnderTest();
    await api.call('PUT', manifestPath, { body: aManifest() });
    await settled(api, 'Failed');
    const answer = await api.call('PUT', manifestPath, { body: aManifest() });
    expect(answer.status).toBe(202);
    expect(answer.json).toMatchObject({ generation: 1, attempt: 2, unchanged: false });
    expect(api.deps.workflows.started).toHaveLength(2);
  });

  it('PUT of a changed document makes the next generation, and keeps uid and creation time', async () => {
    const api = apiUnderTest();
    await api.call('PUT', manifestPath, { body: aManifest() });
    const before = await api.deps.manifests.get(key);
    const answer = await api.call('PUT', manifestPath, { body: aManifest({ compute: 3 }) });
    expect(answer.json).toMatchObject({ generation: 2, attempt: 1 });
    expect(answer.headers.etag).toBe('"a0001-g2-a1"');
    const { uid, createdAt } = before ?? {};
    expect(await api.deps.manifests.get(key)).toMatchObject({ uid, createdAt, generation: 2 });
  });
});

describe('concurrent PUTs', () => {
  it('one of several PUTs of the same document starts a run, and the others are unchanged', async () => {
    const api = apiUnderTest();
    const put = () => api.call('PUT', manifestPath, { body: aManifest() });
    const answers = await Promise.all(Array.from({ length: 5 }, put));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 202]);
    expect(answers.filter(({ json }) => json.unchanged === true)).toHaveLength(4);
    expect(api.deps.workflows.started).toHaveLength(1);
  });

  it('one of two creations wins, and the other is answered with what is stored', async () => {
    const api = apiUnderTest();
    const answers = await Promise.all([
      api.call('PUT', manifestPath, { body: aManifest({ compute: 2 }) }),
      api.call('PUT', manifestPath, { body: aManifest({ compute: 3 }) }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    const loser = answers.find(({ status }) => status === 409);
    expect(loser?.json).toMatchObject({ code: 'VersionConflict', current: { generation: 1, attempt: 1 } });
    expect(api.deps.workflows.started).toHaveLength(1);
  });

  it('one of many changes wins; the others get 412 with If-Match, else 409', async () => {
    const api = apiUnderTest();
    await api.call('PUT', manifestPath, { body: aManifest() });
    const headers = { 'if-match': '"a0001-g1-a1"' };
    const answers = await Promise.all(
      [3, 4, 5, 6].map((compute, at) =>
        api.call('PUT', manifestPath, { body: aManifest({ compute }), ...(at % 2 === 0 && { headers }) }),
      ),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    for (const [at, answer] of answers.entries()) {
      if (answer.status === 202) continue;
      expect(answer.status).toBe(at % 2 === 0 ? 412 : 409);
      expect(answer.json.current).toEqual({ generation: 2, attempt: 1 });
    }
    expect(api.deps.workflows.started).toHaveLength(2);
  });

  it('PUT with an outdated If-Match is 412 with the current generation', async () => {
    const api = apiUnderTest();
    const none = await api.call('PUT', manifestPath, { body: aManifest(), headers: { 'if-match': '"a0001-g1-a1"' } });
    expect(none.status).toBe(412);
    await api.call('PUT', manifestPath, { body: aManifest() });
    await api.call('PUT', manifestPath, { body: aManifest({ compute: 3 }) });
    const old = await api.call('PUT', manifestPath, { body: aManifest(), headers: { 'if-match': '"a0001-g1-a1"' } });
    expect(old.status).toBe(412);
    expect(old.json.current).toEqual({ generation: 2, attempt: 1 });
    const exact = await api.call('PUT', manifestPath, {
      body: aManifest({ compute: 4 }),
      headers: { 'if-match': '"a0001-g2-a1"' },
    });
    expect(exact.status).toBe(202);
  });

  it('PUT with If-None-Match * only creates', async () => {
    const api = apiUnderTest();
    const headers = { 'if-none-match': '*' };
    expect((await api.call('PUT', manifestPath, { body: aManifest(), headers })).status).toBe(202);
    expect((await api.call('PUT', manifestPath, { body: aManifest({ compute: 3 }), headers })).status).toBe(412);
  });
});

describe('two writers of one name', () => {
  it('KA-1: of two creations at the same time one is accepted and the other is refused, and one run starts', async () => {
    const api = apiUnderTest();
    const headers = { 'if-none-match': '*' };
    const answers = await Promise.all(
      [2, 3].map((size) => {
        const document = groupsWith({ web: { ...leaf, size } });
        const body = { ...document, metadata: { name: key.name, namespace: key.namespace } };
        return api.call('PUT', manifestPath, { body, headers });
      }),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 412]);
    expect(api.deps.workflows.started).toHaveLength(1);
  });
});

describe('refused manifests', () => {
  const faultsOf = async (api: ApiUnderTest, body: unknown): Promise<{ path: string; reason: string }[]> => {
    const answer = await api.call('PUT', manifestPath, { body });
    expect(answer.status).toBe(422);
    expect(answer.json.code).toBe('InvalidManifest');
    return answer.json.faults as { path: string; reason: string }[];
  };
  const untouched = async (deps: FakeDeps): Promise<void> => {
    expect(deps.workflows.started).toEqual([]);
    expect((await deps.manifests.list(undefined, 10)).items).toEqual([]);
  };

  it('every fault is listed at once, a mismatch of path and document too, and nothing starts', async () => {
    const api = apiUnderTest();
    const body = structuredClone(aManifest({ name: 'other', version: '1.2.3' }));
    Object.assign(body.spec, { nodePoools: {} });
    Object.assign(body.spec.nodePools.dynamic[0] ?? {}, { count: -1 });
    const paths = (await faultsOf(api, body)).map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        'metadata.name',
        'spec.nodePoools',
        'spec.nodePools.dynamic[0].count',
        'spec.kubernetes.clusters[0].version',
      ]),
    );
    await untouched(api.deps);
  });

  it('a missing Secret or template is refused by its place, whatever its name is', async () => {
    const api = apiUnderTest();
    const body = aManifest();
    const secretRef = { namespace: 'team', name: 'hetzner' };
    const strange = { namespace: '../..', name: 'a b' };
    Object.assign(body.spec.providers[0] ?? {}, { providerType: 'hetzner', secretRef, templatesRef: { name: 'gone' } });
    body.spec.providers.push({ name: 'gcp-1', providerType: 'gcp', secretRef: strange } as never);
    const reasons = (await faultsOf(api, body)).map(({ path }) => path);
    expect(reasons).toEqual(
      expect.arrayContaining([
        'spec.providers[0].secretRef',
        'spec.providers[0].templatesRef',
        'spec.providers[1].secretRef',
      ]),
    );
    await api.call('PUT', '/v1/secrets/team/hetzner', { body: aSecret() });
    expect((await faultsOf(api, body)).map(({ path }) => path)).not.toContain('spec.providers[0].secretRef');
  });

  it('a machine that another manifest uses is refused, and that manifest is named', async () => {
    const api = apiUnderTest();
    const ssh = aSecret('ssh', { privatekey: '-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----' });
    expect((await api.call('PUT', '/v1/secrets/team/ssh', { body: ssh })).status).toBe(200);
    const first = await api.call('PUT', '/v1/manifests/team/first', { body: aStaticManifest('first', '192.0.2.7') });
    expect(first.status).toBe(202);
    const faults = await faultsOf(api, aStaticManifest('shop', '192.0.2.7'));
    expect(faults).toEqual([
      expect.objectContaining({
        path: 'spec.nodePools.static[0].nodes[0].endpoint',
        reason: expect.stringContaining('team/first'),
      }),
    ]);
    expect((await api.call('PUT', manifestPath, { body: aStaticManifest('shop', '192.0.2.8') })).status).toBe(202);
  });

  it('a change that cannot be planned from the current state is one fault for each place', async () => {
    const api = apiUnderTest();
    await api.call('PUT', manifestPath, { body: aManifest() });
    await settled(api, 'Failed');
    const existing = { ...aState(['compute-00']), kubernetesVersion: '1.36.0', network: '10.9.0.0/24' };
    await api.deps.clusters.put(aClusterRecord({ status: 'Converged', current: existing }));
    const faults = await faultsOf(api, aManifest());
    expect(faults.map(({ path }) => path).sort()).toEqual([
      'spec.kubernetes.clusters[0].network',
      'spec.kubernetes.clusters[0].version',
    ]);
    expect(api.deps.workflows.started).toHaveLength(1);
  });
});
