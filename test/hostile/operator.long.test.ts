/** Passes of the operator between an API server of Kubernetes and an API of Kubeloom that both lie, over HTTP. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiClient } from '#client/api-client.ts';
import { kubernetesApi } from '#operator/kubernetes-api.ts';
import { Operator } from '#operator/operator.ts';
import { resources } from '#operator/resources.ts';
import { sampled } from '#test/sampled.ts';
import { brokenJson, liesAbout, obeyedInJson } from './lies.ts';
import { type LyingServer, lyingServer, type Spoken } from './lying-server.ts';
import { silentCanary } from './silent-canary.ts';

const canary = silentCanary();
let cluster: LyingServer;
let kubeloom: LyingServer;
beforeEach(async () => {
  [cluster, kubeloom] = await Promise.all([lyingServer(), lyingServer()]);
});
afterEach(() => Promise.all([cluster.close(), kubeloom.close()]));

const object = {
  metadata: {
    name: 'shop',
    namespace: 'team',
    uid: '0b5c8a52-6a3e-4a3b-9d2e-0f4a2b8c7d61',
    resourceVersion: '5',
    generation: 1,
    finalizers: ['kubeloom.dev/finalizer'],
    annotations: { 'kubeloom.dev/on-delete': 'orphan' },
  },
  spec: { providers: [] },
  status: { submitted: 'x', runId: 'shop-u1-g1-a1', conditions: [] },
};
const listOf = (...items: readonly unknown[]) => ({ metadata: { resourceVersion: '7' }, items });
const listPath = '/apis/kubeloom.dev/v1/inputmanifests';
const good = { ...object, metadata: { ...object.metadata, name: 'good', uid: '1b5c8a52-6a3e-4a3b-9d2e-0f4a2b8c7d62' } };
const manifest = {
  namespace: 'team',
  name: 'shop',
  generation: 1,
  attempt: 1,
  status: 'Done',
  deleting: false,
  paused: false,
  runId: 'shop-u1-g1-a1',
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
  progress: null,
  clusters: [],
};
const accepted = { ...manifest, unchanged: false, warnings: [], links: {} };

/** Both sides as they would be, but for these answers; what the operator says and writes meanwhile. */
async function pass(change: { readonly cluster?: Record<string, Spoken>; readonly kubeloom?: Record<string, Spoken> }) {
  const empty = { body: JSON.stringify(listOf()) };
  const lists = resources.map(({ group, version, plural }) => [`GET /apis/${group}/${version}/${plural}`, empty]);
  const written = { body: JSON.stringify(good) };
  cluster.answers = {
    ...Object.fromEntries(lists),
    [`GET ${listPath}`]: { body: JSON.stringify(listOf(object, good)) },
    'GET /api/v1/secrets': empty,
    ...Object.fromEntries(
      ['shop', 'good'].flatMap((name) =>
        ['GET', 'PUT', 'PATCH'].flatMap((method) =>
          ['', '/status'].map((part) => [
            `${method} /apis/kubeloom.dev/v1/namespaces/team/inputmanifests/${name}${part}`,
            name === 'good' ? written : { body: JSON.stringify(object) },
          ]),
        ),
      ),
    ),
    ...change.cluster,
  };
  kubeloom.answers = {
    'GET /v1/manifests': { body: JSON.stringify({ items: [] }) },
    'PUT /v1/manifests/team/shop': { status: 202, body: JSON.stringify(accepted) },
    'PUT /v1/manifests/team/good': { status: 202, body: JSON.stringify({ ...accepted, name: 'good' }) },
    ...change.kubeloom,
  };
  const said: string[] = [];
  const kubernetes = kubernetesApi({ server: cluster.url, token: async () => 'planted-token', timeoutMs: 5000 });
  const operator = new Operator(
    {
      kubernetes,
      api: apiClient({ apiUrl: kubeloom.url, token: 'planted-token', timeoutMs: 5000 }),
      now: () => new Date(0),
      log: (message, fields) => said.push(JSON.stringify({ message, ...fields })),
    },
    { namespaces: undefined, ownNamespaceOnly: false, retryRefusedMs: 300_000 },
  );
  cluster.asked.length = 0;
  kubeloom.asked.length = 0;
  const failure = await operator.pass().then(
    () => undefined,
    (error: Error) => error,
  );
  operator.stop();
  kubernetes.close();
  const asked = [...cluster.asked, ...kubeloom.asked].map(({ line }) => line);
  return { failure, said, asked, put: asked.filter((line) => line.startsWith('PUT /v1/')) };
}

/** Every request is one that an honest world would see, and its log is text without a token. */
function expectHarmless({ failure, said, asked }: Awaited<ReturnType<typeof pass>>, title: string): void {
  for (const line of asked)
    expect(line, title).toMatch(
      /^[A-Z]+ \/(?:apis\/[a-z.]+\/v\w+|api\/v1|v1)(?:\/(?!\.\.?(?:\/|\?|$))[A-Za-z0-9][\w.-]*)*(?:\?[\w=&.%+-]*)?$/,
    );
  const words = [...said, JSON.stringify(String(failure?.message ?? ''))].map((text) => text.replaceAll('\\n', ''));
  for (const text of words) {
    expect(text, title).not.toMatch(obeyedInJson);
    expect(text.length, title).toBeLessThan(5000);
    expect(text, title).not.toContain('planted-token');
  }
}

describe('the operator', () => {
  it('the operator gives both objects to Kubeloom in an honest world', async () => {
    const honest = await pass({});
    expect([honest.failure, honest.said]).toEqual([undefined, []]);
    expect(honest.put).toEqual(['PUT /v1/manifests/team/shop', 'PUT /v1/manifests/team/good']);
  });

  it('the operator sends the requests that it always sends, and logs words, whatever the list of objects says', async () => {
    const lies = [
      ...liesAbout(listOf(object), canary.file).map(({ title, value }) => ({
        title,
        body: JSON.stringify(value) ?? '',
      })),
      ...Object.entries(brokenJson).map(([title, body]) => ({ title, body })),
    ];
    for (const { title, body } of sampled(lies, { oneOf: 4, from: 1 }))
      expectHarmless(await pass({ cluster: { [`GET ${listPath}`]: { body } } }), title);
  });

  it('an object that is answered in another form fails alone, and the others are given to Kubeloom', async () => {
    const path = '/apis/kubeloom.dev/v1/namespaces/team/inputmanifests/shop';
    for (const { title, value } of sampled(liesAbout(object, canary.file), { oneOf: 8, from: 3 })) {
      const lie = { body: JSON.stringify(value) ?? '' };
      const { put, ...all } = await pass({ cluster: { [`GET ${path}`]: lie, [`PUT ${path}/status`]: lie } });
      expectHarmless({ put, ...all }, title);
      expect(put, title).toContain('PUT /v1/manifests/team/good');
    }
  });

  it('whatever Kubeloom answers, nothing of it is obeyed or written elsewhere', async () => {
    const page = { items: [manifest] };
    for (const { title, value } of sampled(liesAbout(page, canary.file), { oneOf: 4, from: 2 }))
      expectHarmless(await pass({ kubeloom: { 'GET /v1/manifests': { body: JSON.stringify(value) ?? '' } } }), title);
    const refusal = {
      type: 'x',
      title: 'x',
      status: 422,
      detail: 'x',
      instance: 'r',
      code: 'InvalidManifest',
      faults: [{ path: 'a', reason: 'b', fix: 'c' }],
    };
    const proposed = { ...refusal, status: 409, code: 'ApprovalRequired', details: { plan: 'a1' } };
    for (const honest of [refusal, proposed]) {
      for (const { title, value } of sampled(liesAbout(honest, canary.file), { oneOf: 4, from: 0 })) {
        const lie = { status: honest.status, body: JSON.stringify(value) ?? '' };
        expectHarmless(await pass({ kubeloom: { 'PUT /v1/manifests/team/shop': lie } }), title);
      }
    }
  });
});
