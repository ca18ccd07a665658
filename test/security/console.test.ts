/** The console in front of the API: who gets in, and what other sites, other ports and other names of this machine cannot do. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { authorizer } from '#local/api-gateway/authorizer.ts';
import { gatewayListener } from '#local/api-gateway/gateway-listener.ts';
import { withConsole } from '#local/console/console-door.ts';
import { codeSeconds, consoleSessions, mostOfToken, sessionHours } from '#local/console/sessions.ts';
import { type Logger, silentLogger } from '#local/logger.ts';
import { listening } from '#test/local/clients.ts';
import { send } from './raw-http.ts';

const token = 'correct-horse-battery-staple';
const otherToken = 'tea-kettle-rain-umbrella';

async function consoleUnderTest() {
  const directory = await mkdtemp(join(tmpdir(), 'kubeloom-console-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await writeFile(join(directory, 'index.html'), '<!doctype html><title>Kubeloom</title>');
  await writeFile(join(directory, 'secret.key'), 'not a file of the console');
  const clock = { now: 1_000_000 };
  const seen: unknown[] = [];
  const logged: string[] = [];
  const line: Logger['info'] = (message, fields) => void logged.push(JSON.stringify({ message, ...fields }));
  const logger = { info: line, warn: line, error: line };
  const routes = [
    {
      ...{ method: 'ANY', path: '/v1/{all+}', operation: 'test' },
      handler: async (event: unknown) => {
        seen.push(event);
        if (JSON.stringify(event).includes('/v1/broken')) throw new Error('it broke');
        return { statusCode: 200, body: 'in' };
      },
    },
  ];
  const owner = authorizer({ token, logger });
  const other = authorizer({ token: otherToken, logger });
  const authorize = (given: string | undefined) => (given?.endsWith(otherToken) ? other(given) : owner(given));
  const api = gatewayListener({ routes, authorize, logger });
  const sessions = consoleSessions(() => clock.now);
  const build = async () => directory;
  const { url } = await listening(withConsole(api, { authorize, build, find: build, logger, sessions }));
  const host = new URL(url).host;
  const bearer = { authorization: `Bearer ${token}` };
  const codeOf = async (of = token): Promise<string> => {
    const headers = { authorization: `Bearer ${of}` };
    const { text } = await send(url, 'POST', '/console/codes', { headers });
    return (JSON.parse(text) as { code: string }).code;
  };
  const signIn = async (code: string, more: Readonly<Record<string, string>> = {}) => {
    const headers = { origin: `http://${host}`, ...more };
    const answer = await send(url, 'POST', '/console/session', { headers, body: code });
    const [cookie = ''] = answer.headers['set-cookie']?.[0]?.split(';') ?? [];
    const { key = '' } = answer.status === 201 ? (JSON.parse(answer.text) as { key: string }) : {};
    return { ...answer, cookie, key, both: { cookie, 'kubeloom-console-key': key } };
  };
  const call = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    send(url, method, path, { headers });
  return { url, host, clock, seen, logged, bearer, codeOf, signIn, call };
}

describe('a session of the console', () => {
  it('a code opens one session, and the session the API', async () => {
    const { codeOf, signIn, call, seen } = await consoleUnderTest();
    const code = await codeOf();
    const session = await signIn(code);
    expect(await call('/v1/whoami', session.both)).toMatchObject({ status: 200, text: 'in' });
    expect((await signIn(code)).status).toBe(401);
    const text = JSON.stringify(seen);
    for (const secret of [session.cookie.split('=')[1] ?? '', session.key, 'kubeloom-console-key'])
      expect(text).not.toContain(secret);
  });

  it('neither the code, the cookie and the key of a session nor its token are in a log, also when a request fails', async () => {
    const { codeOf, signIn, call, logged } = await consoleUnderTest();
    const code = await codeOf();
    const { cookie, key, both } = await signIn(code);
    const refused = [await signIn(code, both), await call('/v1/whoami', { cookie })];
    expect([...refused, await call('/v1/broken', both)]).toMatchObject([401, 401, 500].map((status) => ({ status })));
    expect((await call('/console/session', both, 'DELETE')).status).toBe(204);
    // The request that failed is there: this log is kept.
    expect(logged).toContainEqual(expect.stringContaining('it broke'));
    for (const secret of [code, cookie.split('=')[1] ?? '', key, token]) {
      expect(secret).toMatch(/^[\w-]{28,43}$/);
      expect(logged.join('\n')).not.toContain(secret);
    }
  });

  it('the cookie is out of reach of scripts and of other sites', async () => {
    const { codeOf, signIn } = await consoleUnderTest();
    const { headers } = await signIn(await codeOf());
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^kubeloom-console-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/),
    ]);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('neither the cookie alone nor the key alone is a session', async () => {
    const { codeOf, signIn, call } = await consoleUnderTest();
    const session = await signIn(await codeOf());
    const other = await signIn(await codeOf());
    const key = { 'kubeloom-console-key': session.key };
    const parts: Readonly<Record<string, string>>[] = [
      { cookie: session.cookie },
      key,
      { ...key, cookie: other.cookie },
      {},
    ];
    for (const headers of parts) expect((await call('/v1/whoami', headers)).status).toBe(401);
  });

  it('only the bearer of a token gets a code', async () => {
    const { url, call, codeOf, signIn } = await consoleUnderTest();
    expect((await call('/console/codes', {}, 'POST')).status).toBe(401);
    expect((await call('/console/codes', { authorization: 'Bearer wrong' }, 'POST')).status).toBe(401);
    const session = await signIn(await codeOf());
    expect((await send(url, 'POST', '/console/codes', { headers: session.both })).status).toBe(401);
  });

  it('a code and a session end, also when they are not used', async () => {
    const { codeOf, signIn, call, clock } = await consoleUnderTest();
    const late = await codeOf();
    const session = await signIn(await codeOf());
    clock.now += codeSeconds * 1000;
    expect((await signIn(late)).status).toBe(401);
    expect((await call('/v1/whoami', session.both)).status).toBe(200);
    clock.now += sessionHours * 3_600_000;
    expect((await call('/v1/whoami', session.both)).status).toBe(401);
  });

  it('who signs out has no session any more', async () => {
    const { codeOf, signIn, call } = await consoleUnderTest();
    const session = await signIn(await codeOf());
    const ended = await call('/console/session', session.both, 'DELETE');
    expect([ended.status, ended.headers['set-cookie']]).toEqual([204, [expect.stringContaining('Max-Age=0')]]);
    expect((await call('/v1/whoami', session.both)).status).toBe(401);
  });

  it('an address of someone else does not replace a session unless its user says so, and nothing is lost by asking', async () => {
    const { codeOf, signIn, call } = await consoleUnderTest();
    const mine = await signIn(await codeOf());
    const code = await codeOf(otherToken);
    expect([(await signIn(code, mine.both)).status, (await call('/v1/whoami', mine.both)).status]).toEqual([409, 200]);
    const theirs = await signIn(code, { ...mine.both, 'kubeloom-console-replace': 'yes' });
    expect([theirs.status, (await call('/v1/whoami', mine.both)).status]).toEqual([201, 401]);
  });

  it('a new session of the same user ends the one that the browser had', async () => {
    const { codeOf, signIn, call } = await consoleUnderTest();
    const first = await signIn(await codeOf());
    const second = await signIn(await codeOf(), first.both);
    expect((await call('/v1/whoami', first.both)).status).toBe(401);
    expect((await call('/v1/whoami', second.both)).status).toBe(200);
  });

  it('who asks for many sessions loses the oldest of them, and no one else loses one', async () => {
    const { codeOf, signIn, call } = await consoleUnderTest();
    const other = await signIn(await codeOf(otherToken));
    const first = await signIn(await codeOf());
    const codes = await Promise.all(Array.from({ length: mostOfToken + 1 }, () => codeOf()));
    expect((await signIn(codes[0] ?? '')).status).toBe(401);
    for (const code of codes.slice(1)) expect((await signIn(code)).status).toBe(201);
    expect((await call('/v1/whoami', first.both)).status).toBe(401);
    expect((await call('/v1/whoami', other.both)).status).toBe(200);
  });

  it('a token in the header needs no session and works as ever', async () => {
    const { call, bearer } = await consoleUnderTest();
    expect(
      (await call('/v1/whoami', { ...bearer, host: 'kubeloom.internal', origin: 'https://else.where' })).status,
    ).toBe(200);
  });
});

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
      ...{ 'x-frame-options': 'DENY', 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' },
      ...{ 'cross-origin-opener-policy': 'same-origin', 'cache-control': 'no-cache' },
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
    const authorize = authorizer({ token, logger: silentLogger });
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

  it('what a fault of the build says reaches who asks for a code, and the next one tries again', async () => {
    const { url, builds } = await unbuilt();
    for (const _ of [1, 2]) {
      const { status, text } = await send(url, 'POST', '/console/codes', {
        headers: { authorization: `Bearer ${token}` },
      });
      expect([status, JSON.parse(text)]).toEqual([
        500,
        expect.objectContaining({ detail: expect.stringContaining('cannot be built') }),
      ]);
    }
    expect(builds.length).toBe(2);
  });
});
