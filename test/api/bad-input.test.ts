/** What no client should send gets a clean 4xx that says why, and changes nothing. */
import { describe, expect, it } from 'vitest';
import { apiUnderTest } from './api-under-test.ts';
import { aManifest, aSecret, aTemplateReference, manifestPath } from './documents.ts';

const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
  .split('')
  .map((letter, at) => `${letter}: &${letter} [${`*${'abcdefgh'[at]},`.repeat(9)}]`)
  .join('\n')}\n`;

const bodies: readonly (readonly [what: string, body: unknown, status: number, says: RegExp])[] = [
  ['10 MB', new Uint8Array(10_000_000).fill(32), 413, /1000000 bytes/],
  ['a body that is not UTF-8', new Uint8Array([0xff, 0xfe, 0x41]), 400, /UTF-8/],
  ['a YAML bomb', bomb, 400, /alias/i],
  ['a very deep list', '['.repeat(200_000), 400, /deep/],
  ['a very deep map in JSON', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`, 400, /deep/],
  ['broken YAML', 'a: [1, 2\nb: {', 400, /line/],
  ['nothing', '', 400, /no document/],
  ['only comments', '# nothing\n---\n# here\n', 400, /no document/],
  ['two documents', `${JSON.stringify(aManifest())}\n---\n${JSON.stringify(aManifest())}`, 400, /2 documents/],
  ['a number', '42', 422, /fault/],
  ['a list', '[]', 422, /fault/],
  ['another kind', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'shop' } }, 422, /fault/],
];

describe('bad input', () => {
  for (const [what, body, status, says] of bodies) {
    it(`the API answers ${status} to ${what}`, async () => {
      const api = apiUnderTest();
      const answer = await api.call('PUT', manifestPath, { body });
      expect(answer.status).toBe(status);
      expect(answer.headers['content-type']).toBe('application/problem+json');
      expect(answer.json.detail).toMatch(says);
      expect(api.deps.workflows.started).toEqual([]);
      expect(await api.deps.manifests.get({ namespace: 'team', name: 'shop' })).toBeUndefined();
    });
  }

  const paths = [
    '/v1/manifests/..%2f..%2fetc/passwd',
    '/v1/manifests/team/%2e%2e',
    '/v1/manifests/team/Shop',
    '/v1/manifests/team/sh%00op',
    '/v1/manifests/team/a%23b',
    '/v1/manifests/team/%F0%9F%9A%80',
    `/v1/manifests/team/${'a'.repeat(64)}`,
    '/v1/manifests/-team/shop',
    '/v1/manifests/team/shop%20',
  ];
  for (const path of paths) {
    it(`every method refuses the path ${path.slice(0, 60)}`, async () => {
      const api = apiUnderTest();
      const [, , , namespace = '', name = ''] = path.split('/').map(decodeURIComponent);
      const put = await api.call('PUT', path, { body: aManifest({ namespace, name }) });
      for (const answer of [put, await api.call('GET', path), await api.call('DELETE', path)]) {
        expect(answer.status).toBe(400);
        expect(answer.json.code).toBe('InvalidInput');
      }
      expect((await api.deps.manifests.list(undefined, 10)).items).toEqual([]);
    });
  }

  it('a path of logs that leads elsewhere is refused', async () => {
    const api = apiUnderTest();
    await api.deps.artifacts.putText('kubeconfigs/team/shop/web', 'secret');
    for (const rest of [
      'web-1/..%2f/infrastructure/1',
      'web-1/w00/..%2f../1',
      'web-1/w00/infrastructure/0',
      'web-1/w00/infrastructure/x',
    ]) {
      expect((await api.call('GET', `${manifestPath}/runs/shop-abcde-g1-a1/logs/${rest}`)).status).toBe(400);
    }
  });

  it('a name that is an odd object is answered without an internal fault', async () => {
    const odd = JSON.stringify({ ...aManifest(), metadata: { namespace: '%', name: '%' } }).replaceAll(
      '"%"',
      '{"toString":false,"valueOf":1,"length":-1}',
    );
    for (const [method, path] of [
      ['PUT', manifestPath],
      ['POST', `${manifestPath}/plan`],
    ] as const) {
      expect((await apiUnderTest().call(method, path, { body: odd })).status).toBeLessThan(500);
    }
  });

  it('a malformed cursor or limit is refused', async () => {
    const api = apiUnderTest();
    for (const query of ['limit=0', 'limit=1001', 'limit=many', 'next=%00', 'namespace=..']) {
      expect((await api.call('GET', `/v1/manifests?${query}`)).status).toBe(400);
    }
  });

  it('a number that is wrong in several ways is one fault, with the form to use', async () => {
    const path = `${manifestPath}/runs/r/logs/c/w00/nodes/99999999999999999999`;
    const { status, json } = await apiUnderTest().call('GET', path);
    expect([status, json.faults]).toEqual([400, [{ path: 'attempt', reason: 'must be a whole number from 1 on' }]]);
  });

  it('a document that is too large is refused with the largest possible size', async () => {
    const api = apiUnderTest();
    const reference = aTemplateReference();
    reference.spec.paths.playbooks = 'p'.repeat(150_000);
    const role = {
      apiVersion: 'kubeloom.dev/v1',
      kind: 'RoleBinding',
      metadata: { name: 'big' },
      spec: { role: 'viewer', namespaces: ['team'], subjects: [{ user: 'u'.repeat(150_000) }] },
    };
    for (const [path, body] of [
      ['/v1/templates/team/own-templates', reference],
      ['/v1/roles/big', role],
    ] as const) {
      const { status, json } = await api.call('PUT', path, { body });
      expect([status, json.faults]).toEqual([
        422,
        [
          expect.objectContaining({
            reason: expect.stringMatching(/^has 150\d{3} bytes, at most 100000 can be stored$/),
          }),
        ],
      ]);
    }
  });

  it.each([
    ['POST', `${manifestPath}/retry`, 10_000],
    ['POST', `${manifestPath}/drift`, 10_000],
    ['PUT', '/v1/secrets/team/big', 100_000],
    ['PUT', '/v1/roles/big', 200_000],
    ['PUT', '/v1/templates/team/big', 200_000],
  ])('a large body is refused by a route that takes none: %s %s', async (method, path, limit) => {
    const { status, json } = await apiUnderTest().call(method, path, { body: '#'.repeat(limit + 10) });
    expect([status, json.detail]).toEqual([413, expect.stringContaining(`${limit} bytes`)]);
  });

  it('a body full of faults is answered with 100 of a document and 1000 in all', async () => {
    const pools = Array.from({ length: 300 }, (_, at) => ({ name: `P ${at}` }));
    const document = { ...aManifest(), spec: { nodePools: { dynamic: pools } } };
    const body = Array.from({ length: 20 }, () => JSON.stringify(document)).join('\n---\n');
    const { status, json } = await apiUnderTest().call('POST', '/v1/validate', { body });
    const documents = json.documents as { faults: { reason: string }[] }[];
    expect([status, json.valid]).toEqual([200, false]);
    expect(documents[0]?.faults).toHaveLength(101);
    expect(documents[0]?.faults.at(-1)?.reason).toMatch(/^and \d+ more faults$/);
    expect(documents.flatMap(({ faults }) => faults).length).toBeLessThan(1100);
    expect(documents.at(-1)?.faults).toHaveLength(1);
  });

  it('each fault has line and column in the text that was sent', async () => {
    const body = 'apiVersion: kubeloom.dev/v1\nkind: InputManifest\nmetadata:\n  name: shop\nspec:\n  wrong: 1\n';
    for (const [method, path] of [
      ['PUT', manifestPath],
      ['POST', `${manifestPath}/plan`],
    ] as const) {
      const { json } = await apiUnderTest().call(method, path, { body });
      expect(json.faults).toEqual([expect.objectContaining({ path: 'spec.wrong', line: 6, column: 3 })]);
    }
  });

  it('a Secret that no tool could read is refused and not shown', async () => {
    const body = aSecret('odd', { token: 'kumquat\u0000lychee' });
    const { status, json, text } = await apiUnderTest().call('PUT', '/v1/secrets/team/odd', { body });
    expect([status, json.faults]).toEqual([422, [expect.objectContaining({ path: 'stringData.token' })]]);
    expect(text).not.toMatch(/kumquat|lychee/);
  });

  it('an internal fault reveals nothing but the request id', async () => {
    const api = apiUnderTest();
    await api.deps.manifests.create({ nonsense: true, namespace: 'team', name: 'shop' } as never);
    const broken = apiUnderTest(
      {},
      { manifests: { get: async () => Promise.reject(new Error('password=hunter2')) } as never },
    );
    const answer = await broken.call('GET', manifestPath);
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('hunter2');
    expect(answer.json.instance).toBe('request-1');
  });

  it('an unknown route is a 404 that names the OpenAPI document', async () => {
    const answer = await apiUnderTest().call('GET', '/v1/nonsense');
    expect(answer.status).toBe(404);
    expect(answer.json.detail).toContain('openapi.json');
  });
});
