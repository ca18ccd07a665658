/** Who calls, by the token: what happens when the sources of tokens fail, change, or are configured wrongly. */
import { writeFile } from 'node:fs/promises';
import type { Logger } from 'aws-on-loopback/logger.ts';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { authorizer } from '#local/access/authorizer.ts';
import { parseOidcOptions } from '#local/access/oidc-options.ts';
import { addUser, usersFile } from '#local/users.ts';
import { type Issuer, startIssuer } from '#test/security/issuer-stand-in.ts';
import { temporaryDirectory } from './clients.ts';

const token = 'the-token-of-the-owner-of-the-platform';

function remembering(): Logger & { readonly lines: string[] } {
  const lines: string[] = [];
  const keep: Logger['info'] = (message, fields) => void lines.push(JSON.stringify({ message, ...fields }));
  return { lines, info: keep, warn: keep, error: keep };
}

/** With ann as a local user, and an issuer unless another is named. */
async function start({ issuerUrl }: { issuerUrl?: (issuer: Issuer) => string } = {}) {
  const directory = await temporaryDirectory();
  const issuer = await startIssuer();
  onTestFinished(() => issuer.close());
  const ann = await addUser(directory, { name: 'ann', groups: ['dev', 'ops'], now: new Date() });
  const logger = remembering();
  const oidc = { issuer: issuerUrl?.(issuer) ?? issuer.url, audiences: ['kubeloom'] };
  const ask = authorizer({ token, usersFile: usersFile(directory), oidc, logger });
  const bearer = (text: string) => ask(`Bearer ${text}`);
  return { directory, issuer, ann, logger, ask, bearer };
}

afterEach(() => void vi.useRealTimers());

describe('the platform’s own tokens', () => {
  it('a token is of the owner, or of a user with groups as API Gateway writes lists', async () => {
    const { bearer, ann, ask } = await start();
    expect(await bearer(token)).toMatchObject({ claims: { sub: 'local' } });
    expect(await bearer(ann.token)).toEqual({
      claims: { sub: 'local:ann', iss: 'kubeloom-local', groups: '[dev ops]' },
    });
    for (const header of [
      undefined,
      '',
      token,
      `Basic ${token}`,
      `Bearer ${token} ${token}`,
      'Bearer x',
      `bearer,${token}`,
    ])
      expect(await ask(header)).toEqual({ refused: expect.any(String) });
  });

  it('the token of the owner works when the users cannot be read, and the log has no secret', async () => {
    const { bearer, ann, directory, logger } = await start();
    await writeFile(usersFile(directory), `{"users": "${ann.token}"`);
    expect(await bearer(token)).toHaveProperty('claims');
    expect(await bearer(ann.token)).toHaveProperty('refused');
    expect(logger.lines.join()).toContain('is not a list of users');
    expect(logger.lines.join()).not.toContain(ann.token);
  });

  it('a token of the platform does not wait for an issuer that is away', async () => {
    const { bearer, ann, issuer } = await start();
    issuer.up = false;
    expect(await bearer(token)).toHaveProperty('claims');
    expect(await bearer(ann.token)).toHaveProperty('claims');
    expect(issuer.asked).toEqual([]);
  });
});

describe('tokens of an issuer', () => {
  it('a token is neither accepted nor refused while its keys are missing, with one request for them', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const { bearer, issuer, logger } = await start();
    const good = await issuer.token();
    issuer.up = false;
    for (let n = 0; n < 5; n += 1) expect(await bearer(good)).toHaveProperty('unavailable');
    expect(issuer.asked).toHaveLength(1);
    expect(logger.lines.join()).not.toContain(good);
    issuer.up = true;
    vi.advanceTimersByTime(5_100);
    expect(await bearer(good)).toMatchObject({ claims: { sub: 'ann', aud: 'kubeloom' } });
  });

  it('a token stays accepted while the issuer is away, as its keys are known', async () => {
    const { bearer, issuer } = await start();
    const good = await issuer.token();
    expect(await bearer(good)).toHaveProperty('claims');
    issuer.up = false;
    expect(await bearer(good)).toHaveProperty('claims');
  });

  it('a token with new keys is accepted, and with old ones refused, once the issuer changed them', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const { bearer, issuer } = await start();
    const old = await issuer.token();
    expect(await bearer(old)).toHaveProperty('claims');
    await issuer.rotate();
    const fresh = await issuer.token();
    expect(await bearer(fresh)).toHaveProperty('refused');
    vi.advanceTimersByTime(31_000);
    expect(await bearer(fresh)).toHaveProperty('claims');
    expect(await bearer(old)).toHaveProperty('refused');
  });

  it('a token is not accepted when the discovery document names another issuer', async () => {
    const { bearer, issuer } = await start({ issuerUrl: ({ url }) => url.replace('127.0.0.1', 'localhost') });
    const renamed = await issuer.token({ iss: issuer.url.replace('127.0.0.1', 'localhost') });
    expect(await bearer(renamed)).toHaveProperty('unavailable');
  });

  it('all claims are passed on as text, without ambiguous members of lists', async () => {
    const { bearer, issuer } = await start();
    const groups = ['dev', 'x admins', 'a,b', '[c]', ''];
    const given = { groups, email_verified: true, level: 3, address: { country: 'SK' }, name: 'Ann B' };
    expect(await bearer(await issuer.token(given))).toMatchObject({
      claims: { groups: '[dev]', email_verified: 'true', level: '3', address: '{"country":"SK"}', name: 'Ann B' },
    });
  });
});

describe('the settings of an issuer', () => {
  it.each([
    ['https://issuer.example', 'a, b', { issuer: 'https://issuer.example', audiences: ['a', 'b'] }],
    ['https://issuer.example/realms/x', 'a', { issuer: 'https://issuer.example/realms/x', audiences: ['a'] }],
    ['http://127.0.0.1:8080', 'a', { issuer: 'http://127.0.0.1:8080', audiences: ['a'] }],
    [undefined, undefined, undefined],
  ])('the issuer %s for %s is accepted', (issuer, audience, oidc) => {
    expect(parseOidcOptions(issuer, audience)).toEqual(oidc === undefined ? {} : { oidc });
  });

  it.each([
    ['http://issuer.example', 'a', 'https'],
    ['http://127.0.0.1.issuer.example', 'a', 'https'],
    ['issuer.example', 'a', 'https'],
    ['https://issuer.example?x=1', 'a', 'https'],
    ['file:///etc/passwd', 'a', 'https'],
    ['https://issuer.example', undefined, '--oidc-audience'],
    ['https://issuer.example', ' ,', '--oidc-audience'],
    [undefined, 'a', '--oidc-issuer'],
  ])('the issuer %s for %s is refused with a sentence', (issuer, audience, word) => {
    expect(() => parseOidcOptions(issuer, audience)).toThrow(word);
  });
});
