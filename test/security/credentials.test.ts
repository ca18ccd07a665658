/** A caller without a valid token learns nothing and changes nothing, whatever the route. */
import { describe, expect, it } from 'vitest';
import { routes } from '#functions/api/routes.ts';
import { aManifest } from '#test/api/documents.ts';
import { platformUnderAttack } from './platform-under-attack.ts';
import { rawRequest, sendRaw } from './raw-request.ts';

const attack = platformUnderAttack();

const wrong: readonly (readonly [what: string, header: (token: string) => string | undefined])[] = [
  ['no token', () => undefined],
  ['an empty token', () => 'Bearer '],
  ['a wrong token', (token) => `Bearer ${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`],
  ['a piece of the token', (token) => `Bearer ${token.slice(0, 8)}`],
  ['the token and more', (token) => `Bearer ${token}x`],
  ['the token and another', (token) => `Bearer ${token}, Bearer other`],
  ['another scheme', (token) => `Basic ${Buffer.from(`admin:${token}`).toString('base64')}`],
  ['the token without a scheme', (token) => token],
  ['an unsigned JWT that says admin', () => 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJsb2NhbCIsInNjb3BlIjoiYWRtaW4ifQ.'],
  ['a signature of AWS', () => 'AWS4-HMAC-SHA256 Credential=local/20261120/us-east-1/execute-api/aws4_request'],
];

describe('without the right token', () => {
  for (const [what, header] of wrong) {
    it(`a request with ${what} is 401 on every route and changes nothing`, async () => {
      const authorization = header(attack.platform.token);
      for (const route of routes.filter((one) => !one.anonymous)) {
        const target = route.path
          .replaceAll('{namespace}', 'team')
          .replaceAll('{name}', 'shop')
          .replaceAll(/\{\w+\}/g, 'w00');
        const body = route.method === 'PUT' || route.method === 'POST' ? JSON.stringify(aManifest({ compute: 5 })) : '';
        const headers = { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) };
        const answer = await sendRaw(attack.platform.apiUrl, rawRequest(route.method, target, { headers, body }));
        expect([route.operation, answer.status]).toEqual([route.operation, 401]);
        expect(answer.head.toLowerCase()).toContain('www-authenticate: bearer');
        expect(answer.body).not.toContain(attack.platform.token);
        expect(JSON.parse(answer.body)).toMatchObject({ code: 'Unauthorized', status: 401 });
      }
      await attack.unchanged();
    });
  }

  it('a token in the query or in a cookie is ignored', async () => {
    const { apiUrl, token } = attack.platform;
    const inQuery = await fetch(`${apiUrl}/v1/manifests?access_token=${token}&token=${token}`);
    const inCookie = await fetch(`${apiUrl}/v1/manifests`, {
      headers: { cookie: `token=${token}; authorization=Bearer ${token}` },
    });
    expect([inQuery.status, inCookie.status]).toEqual([401, 401]);
  });

  it('an answer without a token reveals no routes and no manifests', async () => {
    const texts = await Promise.all(
      ['/v1/manifests/team/shop', '/v1/manifests/team/nothing', '/v1/nonsense'].map(async (path) => {
        const { instance: _, ...problem } = (await (
          await fetch(`${attack.platform.apiUrl}${path}`)
        ).json()) as object & { instance: string };
        return JSON.stringify(problem);
      }),
    );
    expect(new Set(texts).size).toBe(1);
  });

  it('a method override does not turn a read into a write', async () => {
    const answer = await attack.call('GET', '/v1/manifests/team/shop', {
      headers: { 'x-http-method-override': 'DELETE' },
    });
    expect(answer.status).toBe(200);
    await attack.unchanged();
  });
});
