/** What other sites, other ports and other names of this machine cannot do with the console, and which files it serves. */
import { silentLogger } from 'aws-on-loopback/logger.ts';
import { describe, expect, it } from 'vitest';
import { authorizer } from '#local/access/authorizer.ts';
import { withConsole } from '#local/console/console-door.ts';
import { listening } from '#test/local/clients.ts';
import { consoleUnderTest, ownerToken } from './console-under-test.ts';
import { send } from './raw-http.ts';

describe('requests from elsewhere', () => {
  it('another site or another port that sends the cookie is refused before the API sees it (CSRF)', async () => {
    const { codeOf, signIn, call, seen } = await consoleUnderTest();
    const { both } = await signIn(await codeOf());
    const foreign: Readonly<Record<string, string>>[] = [
      { origin: 'https://evil.example' },
      { origin: 'http://127.0.0.1:1' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
    ];
    for (const headers of foreign)
      expect((await call('/v1/manifests/a/b', { ...both, ...headers }, 'DELETE')).status).toBe(403);
    expect(seen).toEqual([]);
  });

  it('a name of someone else that leads to this machine is refused (DNS rebinding)', async () => {
    const { codeOf, signIn, call } = await consoleUnderTest();
    const { both } = await signIn(await codeOf());
    for (const host of [
      'evil.example',
      '127.0.0.1.evil.example',
      'localhost.evil.example:80',
      '[::1]',
      'a@127.0.0.1',
    ]) {
      expect((await call('/console/', { host })).status).toBe(403);
      expect((await call('/v1/whoami', { ...both, host })).status).toBe(403);
    }
  });

  it('localhost leads to 127.0.0.1, because another user of the machine may listen at the other address of that name', async () => {
    const { codeOf, signIn, call, seen } = await consoleUnderTest();
    const { both } = await signIn(await codeOf());
    for (const [host, place] of [
      ['localhost', 'http://127.0.0.1'],
      ['localhost:9000', 'http://127.0.0.1:9000'],
    ] as const) {
      const led = await call('/console/?a=b', { host });
      expect([led.status, led.headers.location]).toEqual([307, `${place}/console/?a=b`]);
      for (const [path, method] of [
        ['/console/session', 'POST'],
        ['/console/session', 'DELETE'],
        ['/v1/whoami', 'GET'],
      ] as const)
        expect((await call(path, { ...both, host }, method)).status).toBe(403);
    }
    expect(seen).toEqual([]);
  });

  it('another site cannot sign a browser in or out', async () => {
    const { url, codeOf, signIn, call } = await consoleUnderTest();
    const origin = 'https://evil.example';
    const code = await codeOf();
    expect((await send(url, 'POST', '/console/session', { headers: { origin }, body: code })).status).toBe(403);
    const session = await signIn(code);
    expect((await call('/console/session', { ...session.both, origin }, 'DELETE')).status).toBe(403);
    expect((await call('/v1/whoami', session.both)).status).toBe(200);
  });

  it('no answer allows another origin anything', async () => {
    const { call, codeOf, signIn } = await consoleUnderTest();
    const { both } = await signIn(await codeOf());
    for (const path of ['/console/', '/v1/whoami', '/console/session']) {
      const { headers } = await call(path, { ...both, origin: 'https://evil.example' }, 'OPTIONS');
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe('files of the console', () => {
  it('the page allows only its own scripts and styles, no markup from strings, and no frame', async () => {
    const { call } = await consoleUnderTest();
    const { status, headers } = await call('/console/');
    const policy = String(headers['content-security-policy']);
    expect(status).toBe(200);
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ])
      expect(policy.split('; ')).toContain(part);
    expect(policy).not.toMatch(/unsafe|https?:|\*|data:/);
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-cache',
    });
  });

  it('a path leads to files of the console and to nothing else', async () => {
    const { call } = await consoleUnderTest();
    for (const path of [
      '../package.json',
      '..%2fpackage.json',
      'secret.key',
      'assets/../secret.key',
      '%00',
      'a'.repeat(5000),
    ])
      expect((await call(`/console/${path}`)).status).toBe(404);
    expect(await call('/console')).toMatchObject({ status: 308, headers: { location: '/console/' } });
    expect(await call('/console/', {}, 'PUT')).toMatchObject({ status: 405 });
  });
});

it('the settings next to the page say that a session is opened by a code', async () => {
  const { call } = await consoleUnderTest();
  const { status, text } = await call('/console/console.json');
  expect([status, JSON.parse(text)]).toEqual([200, { signIn: 'session' }]);
});

describe('a console that is not built', () => {
  async function unbuilt() {
    const builds: number[] = [];
    const build = async (): Promise<string> => {
      builds.push(1);
      throw new Error('the console cannot be built: no such file');
    };
    const authorize = authorizer({ token: ownerToken, logger: silentLogger });
    const find = async () => undefined;
    const { url } = await listening(withConsole(() => {}, { authorize, build, find, logger: silentLogger }));
    return { url, builds };
  }

  it('someone without a session neither starts a build nor learns about this machine', async () => {
    const { url, builds } = await unbuilt();
    const { status, text } = await send(url, 'GET', '/console/');
    expect([status, JSON.parse(text)]).toEqual([
      503,
      expect.objectContaining({ detail: expect.stringContaining('not built yet') }),
    ]);
    expect(builds).toEqual([]);
  });

  it('a fault of the build of the console is reported to the caller who requests a code, and the next request retries', async () => {
    const { url, builds } = await unbuilt();
    for (const _ of [1, 2]) {
      const { status, text } = await send(url, 'POST', '/console/codes', {
        headers: { authorization: `Bearer ${ownerToken}` },
      });
      expect([status, JSON.parse(text)]).toEqual([
        500,
        expect.objectContaining({ detail: expect.stringContaining('cannot be built') }),
      ]);
    }
    expect(builds.length).toBe(2);
  });
});
