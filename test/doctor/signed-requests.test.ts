/** What the command line sends to an API in AWS: signed as AWS checks it, and never where a token is. */
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { cliClient } from '#cli/connection/api-client.ts';
import { regionOfApi } from '#client/send-request.ts';
import { temporaryDirectory } from '#test/local/clients.ts';
import { signatureOf } from './signature.ts';

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

describe('requests to an API in AWS', () => {
  it('a request to an API in AWS is signed as AWS checks it, reads and writes', async () => {
    vi.stubEnv('KUBELOOM_API_REGION', 'eu-central-1');
    const api = cliClient({ apiUrl, token: undefined });
    await expect(api.listManifests({ namespace: 'team a' })).rejects.toThrow();
    await expect(
      api.putManifest({ namespace: 'a', name: 'b' }, { kind: 'InputManifest' }, { 'If-Match': '"3"' }),
    ).rejects.toThrow();
    expect(seen).toHaveLength(2);
    for (const one of seen) {
      const given = /Signature=([0-9a-f]{64})$/.exec(one.request.headers.authorization ?? '')?.[1];
      expect(given).toBe(signatureOf(one.request, one.body, secret));
      expect(one.request.headers.authorization).toContain('/eu-central-1/execute-api/aws4_request');
    }
    expect(seen[1]?.request.headers['if-match']).toBe('"3"');
  });

  it('a request with a token carries the token alone', async () => {
    vi.stubEnv('KUBELOOM_API_REGION', 'eu-central-1');
    await expect(cliClient({ apiUrl, token: 'a-token' }).getVersion()).rejects.toThrow();
    expect(seen[0]?.request.headers.authorization).toBe('Bearer a-token');
  });
});

it('a signer that is created later uses credentials that were changed in the file meanwhile', async () => {
  const directory = await temporaryDirectory();
  const file = join(directory, 'credentials');
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', file);
  vi.stubEnv('AWS_CONFIG_FILE', join(directory, 'config'));
  vi.stubEnv('KUBELOOM_API_REGION', 'eu-central-1');
  const keys: (string | undefined)[] = [];
  for (const key of ['AKIDFIRST', 'AKIDSECOND']) {
    await writeFile(file, `[default]\naws_access_key_id = ${key}\naws_secret_access_key = ${secret}\n`);
    await expect(cliClient({ apiUrl, token: undefined }).getVersion()).rejects.toThrow();
    keys.push(/Credential=(\w+)/.exec(seen.at(-1)?.request.headers.authorization ?? '')?.[1]);
  }
  expect(keys).toEqual(['AKIDFIRST', 'AKIDSECOND']);
});

it('a platform on this machine gets no signature', async () => {
  await expect(cliClient({ apiUrl, token: undefined }).getVersion()).rejects.toThrow();
  expect(seen[0]?.request.headers.authorization).toBeUndefined();
});

it('the region is that of the host name', () => {
  expect(regionOfApi('https://abc123.execute-api.eu-central-1.amazonaws.com')).toBe('eu-central-1');
  expect(regionOfApi('https://abc123.execute-api.eu-central-1.amazonaws.com.evil.example')).toBeUndefined();
  expect(regionOfApi('http://127.0.0.1:7700')).toBeUndefined();
});
