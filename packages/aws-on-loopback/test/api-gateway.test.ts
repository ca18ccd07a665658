/** The API Gateway of one machine: tokens, routes, limits, and events as functions get them. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type { Authorizer } from '../src/api-gateway/authorization.ts';
import { type GatewayOptions, type GatewayRoute, gatewayListener } from '../src/api-gateway/gateway-listener.ts';
import { silentLogger } from '../src/logger.ts';
import { listening } from './clients.ts';

const token = 'correct-horse-battery-staple';
type Handler = (event: APIGatewayProxyEventV2) => unknown;

const route = (method: string, path: string, handler: Handler, anonymous?: true): GatewayRoute => ({
  method,
  path,
  operation: 'test',
  ...(anonymous && { anonymous }),
  handler: async (event) => handler(event),
});
const authorize: Authorizer = async (given) =>
  given === `Bearer ${token}` ? { claims: { sub: 'owner' } } : { refused: 'the token is not known here' };
const echo: Handler = (event) => event;

async function start(routes: readonly GatewayRoute[], more: Partial<GatewayOptions> = {}) {
  const { url } = await listening(gatewayListener({ routes, authorize, logger: silentLogger, ...more }));
  return (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } });
}
const eventOf = async (response: Response): Promise<APIGatewayProxyEventV2> =>
  (await response.json()) as APIGatewayProxyEventV2;

describe('the local API Gateway', () => {
  it('a function receives path, query, headers, cookies and body in format 2.0', async () => {
    const call = await start([route('PUT', '/v1/things/{namespace}/{name}', echo)]);
    const event = await eventOf(
      await call('/v1/things/default/a%2Fb?x=1&x=2&y', {
        method: 'PUT',
        body: '{"a":"ä"}',
        headers: { 'content-type': 'application/json', cookie: 'a=1; b=2', 'If-Match': '"3"' },
      }),
    );
    expect(event).toMatchObject({
      version: '2.0',
      routeKey: 'PUT /v1/things/{namespace}/{name}',
      rawPath: '/v1/things/default/a%2Fb',
      rawQueryString: 'x=1&x=2&y',
      queryStringParameters: { x: '1,2', y: '' },
      cookies: ['a=1', 'b=2'],
      pathParameters: { namespace: 'default', name: 'a/b' },
      body: '{"a":"ä"}',
      isBase64Encoded: false,
      headers: { 'if-match': '"3"' },
      requestContext: { http: { method: 'PUT', path: '/v1/things/default/a%2Fb' }, authorizer: { jwt: {} } },
    });
  });

  it('a body that is no text is encoded, whatever its type says', async () => {
    const call = await start([route('POST', '/a', echo)]);
    const bytes = new Uint8Array([0xff, 0xfe, 0x00]);
    for (const type of ['application/octet-stream', 'text/plain']) {
      const response = await call('/a', { method: 'POST', body: bytes, headers: { 'content-type': type } });
      expect(await eventOf(response)).toMatchObject({ isBase64Encoded: true, body: '//4A' });
    }
  });

  it('a literal path wins over a variable, and a variable over a greedy one', async () => {
    const call = await start([
      route('GET', '/{all+}', () => 'greedy'),
      route('GET', '/a/{b}', () => 'variable'),
      route('GET', '/a/b', () => 'literal'),
    ]);
    const answers = await Promise.all(['/a/b', '/a/c', '/a/b/c'].map(async (path) => (await call(path)).text()));
    expect(answers).toEqual(['literal', 'variable', 'greedy']);
  });

  it('the token opens all routes, and anonymous routes are open to all', async () => {
    const call = await start([route('GET', '/closed', () => 'in'), route('GET', '/open', () => 'in', true)]);
    const wrong = { headers: { authorization: `Bearer ${token}x` } };
    expect((await call('/closed')).status).toBe(200);
    expect((await call('/open', wrong)).status).toBe(200);
    const refused = await call('/closed', wrong);
    expect([refused.status, refused.headers.get('content-type')]).toEqual([401, 'application/json']);
    expect(await refused.json()).toEqual({ message: 'the token is not known here' });
    expect((await call('/no/such/path', wrong)).status).toBe(401);
    expect((await call('/no/such/path')).status).toBe(404);
    const wrongMethod = await call('/closed', { method: 'DELETE' });
    expect([wrongMethod.status, wrongMethod.headers.get('allow')]).toEqual([405, 'GET']);
  });

  it('a body that is too large is refused, announced or not', async () => {
    const call = await start([route('POST', '/a', () => 'in')], { bodyLimit: 1000 });
    expect((await call('/a', { method: 'POST', body: 'x'.repeat(1000) })).status).toBe(200);
    const announced = await call('/a', { method: 'POST', body: 'x'.repeat(1001) });
    expect([announced.status, await announced.json()]).toEqual([
      413,
      { message: 'the body is larger than 1000 bytes' },
    ]);
    const stream = new Blob(['x'.repeat(1001)]).stream();
    const unannounced = await call('/a', { method: 'POST', body: stream, duplex: 'half' } as RequestInit);
    expect(unannounced.status).toBe(413);
  });

  it('a function that exceeds its time limit is a 504', async () => {
    const call = await start([route('GET', '/a', () => new Promise(() => {}))], { timeoutMs: 20 });
    expect((await call('/a')).status).toBe(504);
  });

  it('the answer is what the function returns, with no word of what it threw', async () => {
    const call = await start([
      route('GET', '/full', () => ({ statusCode: 201, headers: { etag: '"1"' }, cookies: ['a=1'], body: 'text' })),
      route('GET', '/bytes', () => ({ statusCode: 200, body: '//4A', isBase64Encoded: true })),
      route('GET', '/same', () => ({ statusCode: 304, headers: { etag: '"1"' } })),
      route('GET', '/broken', () => {
        throw new Error('password=hunter2');
      }),
    ]);
    const full = await call('/full');
    expect([full.status, full.headers.get('etag'), full.headers.getSetCookie(), await full.text()]).toEqual([
      ...[201, '"1"', ['a=1'], 'text'],
    ]);
    expect(new Uint8Array(await (await call('/bytes')).arrayBuffer())).toEqual(new Uint8Array([0xff, 0xfe, 0x00]));
    expect((await call('/same')).status).toBe(304);
    const broken = await call('/broken');
    expect([broken.status, await broken.text()]).toEqual([500, expect.not.stringContaining('hunter2')]);
  });
});
