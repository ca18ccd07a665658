/** The console in front of the API: who gets in, and what other sites, other ports and other names of this machine cannot do. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { authorizer } from '#local/api-gateway/authorizer.ts';
import { gatewayListener } from '#local/api-gateway/gateway-listener.ts';
import { withConsole } from '#local/console/console-door.ts';
import { codeSeconds, consoleSessions, sessionHours } from '#local/console/sessions.ts';
import { silentLogger } from '#local/logger.ts';
import { listening } from '#test/local/clients.ts';

const token = 'correct-horse-battery-staple';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** With headers that `fetch` would not let through: Host, Origin, Cookie. */
function send(
  url: string,
  method: string,
  path: string,
  { headers = {}, body = '' }: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const sent = httpRequest({ hostname, port, method, path, headers, agent: false }, (response) => {
      let text = '';
      response.on('data', (piece: Buffer) => {
        text += piece.toString();
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function consoleUnderTest() {
  const directory = await mkdtemp(join(tmpdir(), 'kubeloom-console-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await writeFile(join(directory, 'index.html'), '<!doctype html><title>Kubeloom</title>');
  await writeFile(join(directory, 'secret.key'), 'not a file of the console');
  const clock = { now: 1_000_000 };
  const seen: unknown[] = [];
  const routes = [
    {
      ...{ method: 'ANY', path: '/v1/{all+}', operation: 'test' },
      handler: async (event: unknown) => {
        seen.push(event);
        return { statusCode: 200, body: 'in' };
      },
    },
  ];
  const authorize = authorizer({ token, logger: silentLogger });
  const api = gatewayListener({ routes, authorize, logger: silentLogger });
  const sessions = consoleSessions(() => clock.now);
  const build = async () => directory;
  const { url } = await listening(withConsole(api, { authorize, build, logger: silentLogger, sessions }));
  const host = new URL(url).host;
  const bearer = { authorization: `Bearer ${token}` };
  const codeOf = async (): Promise<string> => {
    const { text } = await send(url, 'POST', '/console/codes', { headers: bearer });
    return (JSON.parse(text) as { code: string }).code;
  };
  const signIn = async (code: string) => {
    const answer = await send(url, 'POST', '/console/session', { headers: { origin: `http://${host}` }, body: code });
    const [cookie = ''] = answer.headers['set-cookie']?.[0]?.split(';') ?? [];
    const { key = '' } = answer.status === 201 ? (JSON.parse(answer.text) as { key: string }) : {};
    return { ...answer, cookie, key, both: { cookie, 'kubeloom-console-key': key } };
  };
  const call = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    send(url, method, path, { headers });
  return { url, host, clock, seen, bearer, codeOf, signIn, call };
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
    expect((await call('/console/', { host: 'localhost:9000' })).status).toBe(200);
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

it('what a fault of the build says reaches who opens the console, and the next one tries again', async () => {
  const tries: number[] = [];
  const build = async (): Promise<string> => {
    tries.push(1);
    throw new Error('the console cannot be built: no such file');
  };
  const authorize = authorizer({ token, logger: silentLogger });
  const { url } = await listening(withConsole(() => {}, { authorize, build, logger: silentLogger }));
  for (const _ of [1, 2]) {
    const { status, text } = await send(url, 'GET', '/console/');
    expect([status, JSON.parse(text)]).toEqual([
      500,
      expect.objectContaining({ detail: expect.stringContaining('built') }),
    ]);
  }
  expect(tries.length).toBe(2);
});
