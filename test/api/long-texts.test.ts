/** A document whose texts are as long as a body may be: what the API answers stays short, and still says where and what to do. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDocuments } from '#documents/parse-documents.ts';
import { type Answer, apiUnderTest } from './api-under-test.ts';
import { aManifest, aSecret, aStaticManifest, aTemplateReference, manifestPath } from './documents.ts';

/** Longer than an answer may be, and short enough for hundreds of bodies. */
const long = 'x'.repeat(30_000);
/** Characters of an answer. */
const mostOfAnswer = 20_000;

const examples = join(import.meta.dirname, '../../examples');
const inExamples = readdirSync(examples, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) => parseDocuments(readFileSync(join(examples, file), 'utf8')).documents);
const all = [aManifest(), aStaticManifest('metal', '198.51.100.7'), aSecret(), aTemplateReference(), ...inExamples];
/** One of each kind, the largest. */
const documents = Object.entries(Object.groupBy(all as readonly { kind: string }[], ({ kind }) => kind)).map(
  ([kind, some = []]) =>
    [kind, some.toSorted((a, b) => JSON.stringify(b).length - JSON.stringify(a).length)[0]] as const,
);

/** The document with one text after the other made long, and one key. */
function* lengthened(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return yield typeof value === 'string' ? `${value}${long}` : long;
  for (const [key, inner] of Object.entries(value)) {
    const put = (by: unknown) =>
      Array.isArray(value) ? value.map((one, at) => (String(at) === key ? by : one)) : { ...value, [key]: by };
    for (const changed of lengthened(inner)) yield put(changed);
  }
  if (!Array.isArray(value)) yield { ...value, [long.slice(0, 399)]: 1 };
}

function expectShort({ status, text }: Answer, what: string): void {
  expect(status, what).toBeLessThan(500);
  expect(text.length, `${what}: ${text.slice(0, 2000)}`).toBeLessThan(mostOfAnswer);
}

describe('long texts', () => {
  it.each(documents)('%s: whichever text of it is long, the answer of validate is not', async (_, document) => {
    const api = apiUnderTest();
    for (const body of lengthened(document))
      expectShort(await api.call('POST', '/v1/validate', { body }), JSON.stringify(body).replaceAll(long, '…'));
  });

  it('two documents of the same long name are both reported, each with the beginning of it', async () => {
    const name = 'a'.repeat(400_000);
    const twins = [aSecret(), aSecret()].map((secret) => ({ ...secret, metadata: { name } }));
    const body = twins.map((one) => JSON.stringify(one)).join('\n---\n');
    const answer = await apiUnderTest().call('POST', '/v1/validate', { body });
    expectShort(answer, 'twins');
    expect(answer.json.documents).toHaveLength(2);
    for (const { name } of answer.json.documents as { name: string }[]) expect(name).toMatch(/^a+…a+$/);
    expect(answer.text).toContain('is in these documents twice');
    expect(answer.text).toContain('remove or rename one of them');
  });

  it('a document in a request of its own is refused with short words', async () => {
    const paths: Readonly<Record<string, string>> = {
      InputManifest: manifestPath,
      Secret: '/v1/secrets/team/hetzner',
      TemplateGitReference: '/v1/templates/team/own-templates',
      RoleBinding: '/v1/roles/ops',
      GitSource: '/v1/git-sources/team/clusters',
      Notification: '/v1/notifications/team/alerts',
    };
    const api = apiUnderTest();
    for (const [kind, document] of documents) {
      const path = paths[kind] ?? `/v1/inventory/team/documents/${kind}/shop`;
      for (const body of lengthened({ ...document, extra: 1 })) {
        const answer = await api.call('PUT', path, { body });
        expect(answer.status, kind).toBeGreaterThanOrEqual(400);
        expectShort(answer, `${kind}: ${JSON.stringify(body).replaceAll(long, '…')}`);
      }
    }
  });

  it('so are bodies of other requests, and names in paths, queries and headers', async () => {
    const api = apiUnderTest();
    await api.call('PUT', '/v1/secrets/team/hetzner', { body: aSecret() });
    await api.call('PUT', manifestPath, { body: aManifest() });
    const keys = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`unknown-${at}`, at]));
    for (const verb of ['retry', 'drift', 'rollback', 'scale', 'replace', 'approve', 'plan'])
      for (const body of [keys, { reason: long, nodes: [long], generation: long, pools: { [long.slice(0, 399)]: 1 } }])
        expectShort(await api.call('POST', `${manifestPath}/${verb}`, { body }), verb);
    for (const path of ['plan', 'rollouts'])
      for (const body of [keys, { name: long, why: long }, Array.from({ length: 3000 }, () => long.slice(0, 200))])
        expectShort(await api.call('POST', `/v1/inventory/team/${path}`, { body }), path);
    const headers = { 'if-match': long, 'kubeloom-plan': long };
    expectShort(await api.call('PUT', manifestPath, { body: aManifest(), headers }), 'headers');
    expectShort(await api.call('GET', `/v1/manifests/team/${long}`), 'path');
    expectShort(await api.call('GET', `/v1/manifests?limit=${long}&next=${long}&namespace=${long}`), 'query');
  });
});
