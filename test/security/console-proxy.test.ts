/** `kubeloom console` for an API in AWS: requests of the browser become the caller's own, and no one else's do. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from 'aws-on-loopback/logger.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { signerOf } from '#client/aws-signer.ts';
import { startConsoleProxy } from '#local/console/console-proxy.ts';
import { send } from './raw-http.ts';
import { type ApiAnswer, region, sessionTokenOf, startSignedApi } from './signed-api.ts';

const forbidden = { type: 'x', title: 'Forbidden', status: 403, detail: 'no role', instance: 'i', code: 'Forbidden' };

async function proxyUnderTest(key = 'AKIDALICE') {
  const directory = await mkdtemp(join(tmpdir(), 'kubeloom-console-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await writeFile(join(directory, 'index.html'), '<!doctype html><title>Kubeloom</title>');
  const api = await startSignedApi((route): ApiAnswer => {
    if (route.includes('/v1/secret')) return { status: 403, body: forbidden };
    if (route.includes('/v1/unchanged')) return { status: 304, headers: { etag: '"7"' } };
    if (route.includes('/v1/elsewhere')) return { status: 302, headers: { location: 'https://evil.example/' } };
    return {
      status: 200,
      body: { in: true },
      headers: { etag: '"1"', 'set-cookie': 'a=b', 'kubeloom-next-offset': '3' },
    };
  });
  api.secrets.set('AKIDALICE', 'secret-of-alice').set('AKIDNEXT', 'the-next-secret');
  const using = { key, missing: false };
  const renewals: string[] = [];
  const onRenewal = { use: key };
  const proxy = await startConsoleProxy({
    apiUrl: api.url,
    port: 0,
    context: 'prod',
    build: async () => directory,
    logger: silentLogger,
    asCaller: (...request) => {
      if (using.missing) throw new Error('the API in AWS requires signed requests, and there are no credentials');
      const secretAccessKey = api.secrets.get(using.key) ?? 'wrong';
      return signerOf(region, { accessKeyId: using.key, secretAccessKey, sessionToken: sessionTokenOf(using.key) })(
        ...request,
      );
    },
    renew: () => {
      renewals.push(using.key);
      using.key = onRenewal.use;
    },
  });
  onTestFinished(() => proxy.close());
  const host = new URL(proxy.url).host;
  const signIn = async (code = proxy.code()) => {
    const answer = await send(proxy.url, 'POST', '/console/session', {
      headers: { origin: `http://${host}` },
      body: code,
    });
    const [cookie = ''] = answer.headers['set-cookie']?.[0]?.split(';') ?? [];
    const { key: own = '' } = answer.status === 201 ? (JSON.parse(answer.text) as { key: string }) : {};
    return { status: answer.status, both: { cookie, 'kubeloom-console-key': own } };
  };
  const call = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET', body = '') =>
    send(proxy.url, method, path, { headers, body });
  return { api, proxy, host, using, onRenewal, renewals, signIn, call };
}

describe('what the browser asks', () => {
  it('each request is signed as the caller, with its query and body, and has nothing of the session in it', async () => {
    const { api, signIn, call } = await proxyUnderTest();
    const { both } = await signIn();
    const document = JSON.stringify({ kind: 'InputManifest' });
    const headers = {
      ...both,
      'content-type': 'application/json',
      'if-match': '"3"',
      'kubeloom-plan': 'p1',
      referer: 'x',
    };
    expect(await call('/v1/manifests?limit=200&namespace=team', both)).toMatchObject({
      status: 200,
      text: '{"in":true}',
      headers: { etag: '"1"', 'kubeloom-next-offset': '3', 'x-content-type-options': 'nosniff' },
    });
    expect((await call('/v1/manifests/a/b', headers, 'PUT', document)).status).toBe(200);
    expect(api.refusals).toEqual([]);
    expect(api.seen.map(({ route, body }) => [route, body])).toEqual([
      ['GET /v1/manifests?limit=200&namespace=team', ''],
      ['PUT /v1/manifests/a/b', document],
    ]);
    expect(api.seen[1]?.headers).toMatchObject({ 'if-match': '"3"', 'kubeloom-plan': 'p1' });
    const text = JSON.stringify(api.seen);
    for (const own of [both['kubeloom-console-key'], both.cookie.split('=')[1] ?? '', 'kubeloom-console', 'referer'])
      expect(text).not.toContain(own);
  });

  it('an answer without change stays one, and cookies of the API do not reach the browser', async () => {
    const { signIn, call } = await proxyUnderTest();
    const { both } = await signIn();
    expect(await call('/v1/unchanged', { ...both, 'if-none-match': '"7"' })).toMatchObject({ status: 304, text: '' });
    expect((await call('/v1/manifests', both)).headers['set-cookie']).toBeUndefined();
  });

  it('a role that is missing is the answer of the API, and no reason to look for other credentials', async () => {
    const { signIn, call, renewals } = await proxyUnderTest();
    const { both } = await signIn();
    const { status, text } = await call('/v1/secret', both);
    expect([status, JSON.parse(text), renewals]).toEqual([403, forbidden, []]);
  });

  it('the proxy only contacts the API, whatever the path is, and follows no redirect', async () => {
    const { api, signIn, call } = await proxyUnderTest();
    const { both } = await signIn();
    for (const path of [
      '/',
      '/v2/x',
      '/v1/../admin',
      '/v1/%2e%2e/admin',
      '//evil.example/v1/x',
      'http://evil.example/v1/x',
    ])
      expect((await call(path, both)).status, path).toBe(404);
    expect(api.seen).toEqual([]);
    expect(await call('/v1/elsewhere', both)).toMatchObject({
      status: 502,
      text: expect.stringContaining('redirects'),
    });
  });
});

describe('credentials of the caller', () => {
  it('temporary credentials that have ended are found again, and the request is sent with them', async () => {
    const { api, signIn, call, onRenewal, renewals } = await proxyUnderTest();
    const { both } = await signIn();
    onRenewal.use = 'AKIDNEXT';
    api.expired.add('AKIDALICE');
    expect((await call('/v1/manifests/a/b', both, 'DELETE')).status).toBe(200);
    expect([renewals, api.refusals.length, api.seen.length]).toEqual([['AKIDALICE'], 1, 1]);
  });

  it('credentials that AWS refuses are named as the reason, with what to do, once for each request', async () => {
    const { api, signIn, call } = await proxyUnderTest('AKIDUNKNOWN');
    const { both } = await signIn();
    const { status, text } = await call('/v1/manifests', both);
    expect([status, JSON.parse(text)]).toEqual([
      502,
      expect.objectContaining({
        detail: expect.stringMatching(/security token included in the request is invalid.*aws sso login/),
      }),
    ]);
    expect([api.seen, api.refusals.length]).toEqual([[], 2]);
  });

  it('a browser learns that credentials are missing, and continues as soon as they exist', async () => {
    const { signIn, call, using } = await proxyUnderTest();
    const { both } = await signIn();
    using.missing = true;
    expect(await call('/v1/manifests', both)).toMatchObject({
      status: 502,
      text: expect.stringContaining('there are no credentials'),
    });
    using.missing = false;
    expect((await call('/v1/manifests', both)).status).toBe(200);
  });
});

describe('others on this machine and on the web', () => {
  it('a request without a session is not signed, and no one is given a code', async () => {
    const { api, call, signIn, proxy } = await proxyUnderTest();
    for (const authorization of [undefined, 'Bearer x', 'AWS4-HMAC-SHA256 Credential=a/b'])
      expect((await call('/v1/manifests', authorization === undefined ? {} : { authorization })).status).toBe(401);
    expect((await call('/console/codes', {}, 'POST')).status).toBe(401);
    expect((await call('/console/codes', { authorization: 'Bearer x' }, 'POST')).status).toBe(401);
    const code = proxy.code();
    expect([(await signIn(code)).status, (await signIn(code)).status]).toEqual([201, 401]);
    expect([api.seen, api.refusals]).toEqual([[], []]);
  });

  it('other sites, other ports and other names of this machine cannot use a session (CSRF, DNS rebinding)', async () => {
    const { api, call, signIn } = await proxyUnderTest();
    const { both } = await signIn();
    const foreign: Readonly<Record<string, string>>[] = [
      { origin: 'https://evil.example' },
      { origin: 'http://127.0.0.1:1' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' },
      { host: 'evil.example' },
      { host: 'localhost' },
    ];
    for (const headers of foreign)
      expect((await call('/v1/manifests/a/b', { ...both, ...headers }, 'DELETE')).status).toBe(403);
    for (const part of ['cookie', 'kubeloom-console-key'] as const)
      expect((await call('/v1/manifests', { [part]: both[part] })).status).toBe(401);
    expect([api.seen, api.refusals]).toEqual([[], []]);
  });

  it('the page of the proxy cannot be framed, and no answer gives access to another origin', async () => {
    const { call } = await proxyUnderTest();
    const page = await call('/console/');
    expect(page.headers).toMatchObject({
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    });
    for (const path of ['/console/', '/v1/manifests']) {
      const { headers } = await call(path, { origin: 'https://evil.example' }, 'OPTIONS');
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

it('the settings next to the page name the context, so that commands that are copied reach the same installation', async () => {
  const { call } = await proxyUnderTest();
  const { status, text } = await call('/console/console.json');
  expect([status, JSON.parse(text)]).toEqual([200, { signIn: 'session', context: 'prod' }]);
});
