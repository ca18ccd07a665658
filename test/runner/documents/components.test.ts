/** Components of Cluster API in the nodes stage: their files, their Secrets, and what is refused before anything is touched. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, globalAgent, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { noFacts } from '#domain/cluster-state.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { type ComponentWorld, componentWorld, objects, sumOf } from '../component-world.ts';

let world: ComponentWorld;
let directory: string;
let server: Server;
let host: string;
const served = new Map<string, string>();
let requests: string[] = [];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'kubeloom-releases-'));
  const files = selfSigned(directory, 'releases');
  const [key, certificate] = [readFileSync(files.key), readFileSync(files.certificate, 'utf8')];
  server = createServer({ key, cert: certificate }, (request, response) => {
    requests.push(request.url ?? '');
    const content = served.get(request.url ?? '') ?? '';
    if (content.startsWith('to ')) response.writeHead(302, { location: content.slice(3) }).end();
    else response.writeHead(content === '' ? 404 : 200).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  globalAgent.options.ca = certificate;
});
afterAll(() => {
  delete globalAgent.options.ca;
  server.close();
  rmSync(directory, { recursive: true });
});

beforeEach(async () => {
  world = await componentWorld({ KUBELOOM_TEMPLATE_PRIVATE_HOSTS: host });
  requests = [];
  served.clear();
});
afterEach(() => world.close());

describe('files of releases', () => {
  test('CO-1: a file is fetched over https, through redirects, and its contract is in the facts', async () => {
    const text = objects('one');
    served.set('/a', `to https://${host}/b`);
    served.set('/b', text);
    const source = { url: `https://${host}/a`, sha256: sumOf(text) };
    expect(await world.apply([world.component('cluster-api', 'unused', { source })])).toMatchObject({ ok: true });
    expect(requests).toEqual(['/a', '/b']);
    expect((await world.facts()).documents?.['capi.cluster-api']).toMatchObject({
      version: 'component@v1.11.1',
      contract: 'v1beta2',
      objects: ['v1 Namespace one-system', 'v1 Secret one-system/login'],
    });
  });

  test.each([
    ['another content', '/a', 'something else', 'ComponentWrong', 'has the SHA-256'],
    ['no such file', '/b', objects('x'), 'ComponentUnreachable', 'answers HTTP 404'],
    ['a redirect without TLS', '/a', 'to http://127.0.0.1/b', 'ComponentUnreachable', 'a URL without TLS'],
    ['a redirect to a private host', '/a', 'to https://127.0.0.2:1/b', 'ComponentRefused', 'is in a private network'],
    ['redirects in a circle', '/a', 'to /a', 'ComponentUnreachable', 'more than 5 times'],
  ])('CO-1: %s is refused, and nothing is applied', async (_, path, content, code, message) => {
    served.set(path, content);
    const source = { url: `https://${host}/a`, sha256: sumOf(`wanted ${code} ${message}`) };
    const result = await world.apply([world.component('cluster-api', 'unused', { source })]);
    expect(result).toMatchObject({ ok: false, error: { code, message: expect.stringContaining(message) } });
    expect(world.given('applied')).toBe('');
  });
});

describe('secrets of components', () => {
  test('CO-4: the value of a Secret reaches the cluster, and no log, event, fact or result', async () => {
    await world.ports.secrets.put('user/team/login', { PASSWORD: 'correct-horse' });
    const document = world.component('cluster-api', objects('two'), { secret: 'team/login' });
    const result = await world.apply([document]);
    expect(result.ok).toBe(true);
    expect(world.given('applied')).toContain('correct-horse');
    const traces = [result, await world.facts(), await world.log('nodes'), await world.reported()];
    expect(JSON.stringify(traces)).not.toContain('correct-horse');
    const before = (await world.facts()).documents?.['capi.cluster-api']?.hash;
    await world.ports.secrets.put('user/team/login', { PASSWORD: 'battery-staple' });
    await world.apply([document]);
    expect((await world.facts()).documents?.['capi.cluster-api']?.hash).toBe(before);
    expect(world.given('applied')).toContain('battery-staple');
  });

  test('CO-4: a Secret that is gone stops the component before anything is applied', async () => {
    const result = await world.apply([world.component('cluster-api', objects('two'), { secret: 'team/gone' })]);
    expect(result).toMatchObject({ ok: false, error: { code: 'SecretMissing', class: 'credentials' } });
    expect(world.given('applied')).toBe('');
  });
});

describe('components that do not fit', () => {
  test('CO-1: a provider with a contract that the core does not work with is refused before anything is touched', async () => {
    const documents = [
      world.component('cluster-api', objects('core'), {}, 'v1beta1'),
      world.component('infrastructure-demo', objects('demo')),
    ];
    const result = await world.apply(documents);
    expect(result).toMatchObject({ ok: false, error: { code: 'ContractWrong', class: 'user' } });
    expect(result.error?.message).toContain(
      'capi.infrastructure-demo v1.11.1 has contract v1beta2, and capi.cluster-api v1.11.1 works with v1beta1',
    );
    expect(world.given('applied')).toBe('');
  });

  test('CO-1: a core of v1beta2 takes providers of v1beta1', async () => {
    const documents = [
      world.component('cluster-api', objects('core')),
      world.component('infrastructure-demo', objects('demo'), {}, 'v1beta1'),
    ];
    expect(await world.apply(documents)).toMatchObject({ ok: true, summary: { documentsApplied: 2 } });
  });

  test('CO-1: a release that the metadata does not know is refused', async () => {
    const document = { ...world.component('cluster-api', objects('core')), version: 'component@v1.13.0' };
    expect(await world.apply([document])).toMatchObject({ ok: false, error: { code: 'ContractUnknown' } });
  });

  test('CO-1: an older release than the one in the facts is refused before anything is touched', async () => {
    const installed = { version: 'component@v1.12.0', hash: '', objects: [] };
    const result = await world.apply([world.component('cluster-api', objects('core'))], {
      ...noFacts,
      documents: { 'capi.cluster-api': installed },
    });
    expect(result).toMatchObject({ ok: false, error: { code: 'ComponentDowngrade' } });
    expect(world.given('applied')).toBe('');
  });

  test('CO-1: an unchanged component needs no file, because its contract is known', async () => {
    const gone = { url: `https://${host}/gone`, sha256: 'b'.repeat(64) };
    const core = world.component('cluster-api', 'unused', { source: gone, metadata: gone });
    const applied = { version: core.version, hash: '', objects: [], contract: 'v1beta1' };
    const facts = { ...noFacts, documents: { [core.name]: applied } };
    const fits = world.component('infrastructure-demo', objects('demo'), {}, 'v1beta1');
    expect(await world.apply([core, fits], facts, [fits])).toMatchObject({ ok: true });
    expect(requests).toEqual([]);
    const other = world.component('infrastructure-demo', objects('demo'));
    expect(await world.apply([core, other], facts, [other])).toMatchObject({ error: { code: 'ContractWrong' } });
  });

  test('CO-1: objects of kinds that the cluster does not have are refused, unless their definition comes with them', async () => {
    const certificate =
      '---\napiVersion: cert-manager.io/v1\nkind: Issuer\nmetadata: { name: own, namespace: core-system }\n';
    const document = world.component('cluster-api', objects('core', certificate));
    expect(await world.apply([document])).toMatchObject({
      ok: false,
      error: { code: 'ComponentNeedsMore', message: expect.stringContaining('cert-manager.io/v1') },
    });
    writeFileSync(join(world.directory, 'versions'), 'cert-manager.io/v1\n');
    expect(await world.apply([document])).toMatchObject({ ok: true });
  });
});
