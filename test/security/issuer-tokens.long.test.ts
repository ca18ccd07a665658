/** Tokens of an OIDC issuer: which open the API and as whom; all others are refused with 401 and change nothing. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKeyPair, type JWTPayload, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aManifest } from '#test/api/documents.ts';
import { type Issuer, inSeconds, startIssuer } from './issuer-stand-in.ts';
import { platformUnderAttack } from './platform-under-attack.ts';

let issuer: Issuer;
let stranger: Issuer;
let dataDir: string;

// The API of a platform that lasts has a thread of its own, as users have it.
const attack = platformUnderAttack(async () => {
  issuer = await startIssuer();
  stranger = await startIssuer();
  dataDir = await mkdtemp(join(tmpdir(), 'kubeloom-oidc-'));
  return { inMemory: false, dataDir, oidc: { issuer: issuer.url, audiences: ['kubeloom', 'other-name'] } };
});

const callWith = (token: string, method = 'GET', path = '/v1/whoami', body?: object) =>
  attack.call(method, path, {
    headers: { authorization: `Bearer ${token}` },
    ...(body && { body: JSON.stringify(body) }),
  });

function binding(name: string, role: string, namespaces: readonly string[], subject: object) {
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'RoleBinding',
    metadata: { name },
    spec: { role, namespaces, subjects: [subject] },
  };
}
const give = async (document: ReturnType<typeof binding>): Promise<void> => {
  const path = `/v1/roles/${document.metadata.name}`;
  expect((await attack.call('PUT', path, { body: JSON.stringify(document) })).status).toBe(200);
};

beforeAll(async () => {
  // Whatever gets in as ann or as one of her group could change something.
  await give(binding('ann', 'operator', ['team'], { user: 'ann' }));
  await give(binding('platform', 'operator', ['team'], { claim: { name: 'groups', value: 'platform' } }));
  await attack.remember();
});
afterAll(async () => {
  await issuer.close();
  await stranger.close();
  await rm(dataDir, { recursive: true, force: true });
});

describe('a token of the issuer', () => {
  it.each(['RS256', 'ES256', 'PS256'] as const)('a token signed with %s opens the API for its subject', async (alg) => {
    const answer = await callWith(await issuer.token({ groups: ['dev', 'platform'] }, { alg }));
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        name: 'ann',
        kind: 'token',
        from: '127.0.0.1',
        ownApprovals: 'refused',
        grants: [
          { role: 'operator', namespaces: ['team'] },
          { role: 'operator', namespaces: ['team'] },
        ],
      },
    ]);
  });

  // Made when they are sent: the time between counts.
  it.each<[string, () => JWTPayload]>([
    ['one of several audiences', () => ({ aud: ['x', 'other-name'] })],
    ['no audience, but a client', () => ({ aud: undefined, client_id: 'kubeloom' }) as unknown as JWTPayload],
    ['an end half a minute ago', () => ({ exp: inSeconds(-30) })],
    ['a beginning in half a minute', () => ({ nbf: inSeconds(30) })],
  ])('a token with %s is accepted', async (_what, claims) => {
    expect((await callWith(await issuer.token(claims()))).status).toBe(200);
  });

  it('a token rarely leads to a request to the issuer, whatever it says', async () => {
    await callWith(await issuer.token());
    const before = issuer.asked.length;
    for (let n = 0; n < 20; n += 1) {
      expect((await callWith(await issuer.token({}, { kid: `made-up-${n}` }))).status).toBe(401);
      expect((await callWith(await issuer.token())).status).toBe(200);
    }
    expect(issuer.asked.length - before).toBeLessThanOrEqual(1);
  });
});

describe('refused tokens', () => {
  const forged: readonly (readonly [what: string, make: () => Promise<string>])[] = [
    ['another issuer', () => stranger.token()],
    ['another issuer that says it is ours', () => stranger.token({ iss: issuer.url })],
    ['an issuer that is ours up to a slash', () => issuer.token({ iss: `${issuer.url}/` })],
    ['no issuer', () => issuer.token({ iss: undefined } as unknown as JWTPayload)],
    ['the issuer of the platform’s own tokens', () => issuer.token({ iss: 'kubeloom-local' })],
    ['an end that is past', () => issuer.token({ exp: inSeconds(-120) })],
    ['no end', () => issuer.token({ exp: undefined } as unknown as JWTPayload)],
    ['an end that is no number', () => issuer.token({ exp: '9999999999' } as unknown as JWTPayload)],
    ['a beginning to come', () => issuer.token({ nbf: inSeconds(120) })],
    ['a making to come', () => issuer.token({ iat: inSeconds(120) })],
    ['another audience', () => issuer.token({ aud: 'kubeloom-2' })],
    ['an audience with ours in it', () => issuer.token({ aud: 'kubeloom other-name' })],
    ['no audience', () => issuer.token({ aud: undefined } as unknown as JWTPayload)],
    ['another audience and our client', () => issuer.token({ aud: 'x', client_id: 'kubeloom' })],
    [
      'no signature',
      async () => new UnsecuredJWT({ iss: issuer.url, aud: 'kubeloom', sub: 'ann' }).setExpirationTime('1h').encode(),
    ],
    ['the public key as the secret of HS256', async () => hs256(await issuer.publicKey())],
    ['a published key of a kind that is not on the list', () => issuer.token({}, { alg: 'EdDSA' })],
    ['an unknown key', () => issuer.token({}, { kid: 'stranger' })],
    ['no key named', () => issuer.token({}, { kid: null })],
    ['the key of another algorithm', () => issuer.token({}, { kid: 'ES256-1' })],
    [
      'a key of its own under our name',
      async () => issuer.token({}, { key: (await generateKeyPair('RS256')).privateKey }),
    ],
    ['a key that it brings along', bringingItsKey],
    ['a payload that was changed', () => changed(1)],
    ['a header that was changed', () => changed(0)],
    ['a signature that was changed', () => changed(2)],
    ['the signature of another token', swapped],
    ['the owner’s name as its subject', () => issuer.token({ sub: 'local' })],
    ['a local user’s name as its subject', () => issuer.token({ sub: 'local:ann' })],
    ['pieces that are nothing', async () => 'a.b.c'],
    ['too many pieces', async () => `${await issuer.token()}.x.y`],
  ];

  it.each(forged)('a token with %s is refused with 401 and changes nothing', async (_what, make) => {
    const token = await make();
    for (const [method, path, body] of [
      ['GET', '/v1/whoami', undefined],
      ['GET', '/v1/manifests/team/shop', undefined],
      ['PUT', '/v1/manifests/team/shop', aManifest({ compute: 5 })],
      ['DELETE', '/v1/manifests/team/shop', undefined],
      ['PUT', '/v1/roles/evil', binding('evil', 'admin', ['*'], { user: 'ann' })],
    ] as const) {
      const answer = await callWith(token, method, path, body);
      const text = await answer.text();
      expect([method, path, answer.status]).toEqual([method, path, 401]);
      expect(answer.headers.get('www-authenticate')).toContain('Bearer');
      expect(JSON.parse(text)).toMatchObject({ status: 401, code: 'Unauthorized' });
      expect(text).not.toContain(token);
    }
    await attack.unchanged();
  });

  function hs256(publicKey: string) {
    return issuer.token({}, { alg: 'HS256', kid: 'RS256-1', key: new TextEncoder().encode(publicKey) });
  }

  /** Its header says where the key is, and what it is. */
  async function bringingItsKey(): Promise<string> {
    const [header = '', payload = '', signature = ''] = (await stranger.token({ iss: issuer.url })).split('.');
    const known = JSON.parse(Buffer.from(header, 'base64url').toString()) as object;
    const more = { ...known, jku: `${stranger.url}/keys`, x5u: `${stranger.url}/keys` };
    return [Buffer.from(JSON.stringify(more)).toString('base64url'), payload, signature].join('.');
  }

  async function changed(place: 0 | 1 | 2): Promise<string> {
    const pieces = (await issuer.token({ sub: 'stranger' })).split('.');
    const bytes = Buffer.from(pieces[place] ?? '', 'base64url');
    const text = bytes.toString('utf8');
    if (place === 0) pieces[0] = Buffer.from(text.replace('RS256-1', 'RS256-1 ')).toString('base64url');
    if (place === 1) pieces[1] = Buffer.from(text.replace('stranger', 'ann')).toString('base64url');
    if (place === 2) {
      bytes[10] = (bytes[10] ?? 0) ^ 1;
      pieces[2] = bytes.toString('base64url');
    }
    return pieces.join('.');
  }

  async function swapped(): Promise<string> {
    const [one, other] = [await issuer.token({ sub: 'stranger' }), await issuer.token()];
    return [...other.split('.').slice(0, 2), one.split('.')[2]].join('.');
  }
});

describe('a valid token of a user without a role', () => {
  it.each<[string, JWTPayload]>([
    ['a subject that looks like a list with the owner in it', { sub: '[local]' }],
    ['a subject that looks like a list with ann in it', { sub: '[x ann]' }],
    ['the owner’s name in capitals', { sub: 'LOCAL' }],
    ['the owner’s name as one of several', { sub: ['local'] } as unknown as JWTPayload],
    [
      'a group with the name of a role’s group in it',
      { sub: 'eve', groups: ['x platform', 'y,platform', '[platform]'] },
    ],
    ['a name like a group', { sub: 'eve', name: '[platform]', teams: ['platform'] }],
    [
      'claims of the machinery',
      { sub: 'eve', constructor: 'x', __proto__x: 'y', toString: 'z', scope: 'kubeloom/admin' },
    ],
    ['a principal of AWS as its subject', { sub: 'arn:aws:iam::123456789012:role/admin' }],
  ])('a token with %s gets no role: 403', async (_what, claims) => {
    const token = await issuer.token(claims);
    const me = await callWith(token);
    expect([me.status, await me.json()]).toMatchObject([200, { kind: 'token', grants: [] }]);
    for (const [method, path, body] of [
      ['GET', '/v1/manifests/team/shop', undefined],
      ['PUT', '/v1/manifests/team/shop', aManifest({ compute: 5 })],
      ['GET', '/v1/roles', undefined],
    ] as const)
      expect([path, (await callWith(token, method, path, body)).status]).toEqual([path, 403]);
    await attack.unchanged();
  });
});
