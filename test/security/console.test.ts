/** Sessions of the console: who gets in, how a session ends, and what never enters a log. */
import { describe, expect, it } from 'vitest';
import { codeSeconds, mostOfToken, sessionHours } from '#local/console/sessions.ts';
import { consoleUnderTest, otherToken, ownerToken } from './console-under-test.ts';
import { send } from './raw-http.ts';

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
    for (const secret of [code, cookie.split('=')[1] ?? '', key, ownerToken]) {
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

  it('the cookie alone, or the key alone, does not open a session', async () => {
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

  it('a session ends when its user signs out', async () => {
    const { codeOf, signIn, call } = await consoleUnderTest();
    const session = await signIn(await codeOf());
    const ended = await call('/console/session', session.both, 'DELETE');
    expect([ended.status, ended.headers['set-cookie']]).toEqual([204, [expect.stringContaining('Max-Age=0')]]);
    expect((await call('/v1/whoami', session.both)).status).toBe(401);
  });

  it('a sign-in address of someone else replaces a session only after its user confirms, and asking loses nothing', async () => {
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

  it('a user who opens many sessions loses the oldest of them, and other users lose none', async () => {
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
