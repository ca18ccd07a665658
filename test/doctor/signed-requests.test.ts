/** What the command line sends to an API in AWS: signed as AWS checks it, and never where a token is. */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { apiClient } from '#cli/api-client.ts';
import { regionOfApi } from '#client/send-request.ts';

const secret = 'not-a-real-one';
const seen: { request: IncomingMessage; body: string }[] = [];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    seen.push({ request, body });
    response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
  });
});
let apiUrl = '';

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((done) => server.close(done)));
beforeEach(() => {
  seen.length = 0;
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', secret);
  vi.stubEnv('AWS_SESSION_TOKEN', '');
});
afterEach(() => vi.unstubAllEnvs());

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** The signature made anew from the request as it arrived, by the published rules of Signature Version 4. */
function signatureOf({ request, body }: (typeof seen)[number]): string {
  const [, scope = '', names = ''] =
    /Credential=AKIDEXAMPLE\/([^,]+), SignedHeaders=([^,]+),/.exec(request.headers.authorization ?? '') ?? [];
  const url = new URL(request.url ?? '', apiUrl);
  const query = [...url.searchParams].map((pair) => pair.map(encodeURIComponent).join('=')).sort();
  const headers = names.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
  const canonical = [request.method, url.pathname, query.join('&'), headers.join(''), names, hash(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, hash(canonical)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>((inner, part) => hmac(inner, part), `AWS4${secret}`);
  return hmac(key, text).toString('hex');
}

describe('requests to an API in AWS', () => {
  it('a request to an API in AWS is signed as AWS checks it, reads and writes', async () => {
    vi.stubEnv('KUBELOOM_API_REGION', 'eu-central-1');
    const api = apiClient({ apiUrl, token: undefined });
    await expect(api.listManifests({ namespace: 'team a' })).rejects.toThrow();
    await expect(
      api.putManifest({ namespace: 'a', name: 'b' }, { kind: 'InputManifest' }, { 'If-Match': '"3"' }),
    ).rejects.toThrow();
    expect(seen).toHaveLength(2);
    for (const one of seen) {
      const given = /Signature=([0-9a-f]{64})$/.exec(one.request.headers.authorization ?? '')?.[1];
      expect(given).toBe(signatureOf(one));
      expect(one.request.headers.authorization).toContain('/eu-central-1/execute-api/aws4_request');
    }
    expect(seen[1]?.request.headers['if-match']).toBe('"3"');
  });

  it('a request with a token carries the token alone', async () => {
    vi.stubEnv('KUBELOOM_API_REGION', 'eu-central-1');
    await expect(apiClient({ apiUrl, token: 'a-token' }).getVersion()).rejects.toThrow();
    expect(seen[0]?.request.headers.authorization).toBe('Bearer a-token');
  });
});

it('a platform on this machine gets no signature', async () => {
  await expect(apiClient({ apiUrl, token: undefined }).getVersion()).rejects.toThrow();
  expect(seen[0]?.request.headers.authorization).toBeUndefined();
});

it('the region is that of the host name', () => {
  expect(regionOfApi('https://abc123.execute-api.eu-central-1.amazonaws.com')).toBe('eu-central-1');
  expect(regionOfApi('https://abc123.execute-api.eu-central-1.amazonaws.com.evil.example')).toBeUndefined();
  expect(regionOfApi('http://127.0.0.1:7700')).toBeUndefined();
});
