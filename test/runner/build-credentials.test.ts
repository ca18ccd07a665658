/** How a runner gets the credentials of its build, keeps them valid, and who in the container finds them. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ownIdentity } from '#adapters/aws-identity.ts';
import { NoCredentials, openCredentials } from '#runner/build-credentials.ts';
import { buildIdentity } from '#runner/build-identity.ts';
import { identityIn, openCredentialsDoor, withoutIdentity } from '#runner/credentials-door.ts';

type Answer = (request: IncomingMessage, body: string) => { readonly status: number; readonly json: unknown };

const servers: { close(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  vi.useRealTimers();
});

/** A server that gives these answers, the last one again and again; `asked` are the bodies that came. */
async function answering(...answers: readonly Answer[]): Promise<{ url: string; asked: string[]; headers: string[] }> {
  const [asked, headers]: [string[], string[]] = [[], []];
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const part of request) body += String(part);
    const answer = answers[Math.min(asked.length, answers.length - 1)];
    asked.push(body);
    headers.push(String(request.headers.authorization));
    const { status, json } = answer?.(request, body) ?? { status: 500, json: {} };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/builds/credentials`, asked, headers };
}

const environment = { AWS_ACCESS_KEY_ID: 'BUILD', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'eu-central-1' };
let count = 0;
const keys =
  (validMs = 900_000): Answer =>
  () => {
    count += 1;
    const expiresAt = new Date(Date.now() + validMs).toISOString();
    return { status: 200, json: { accessKeyId: `K${count}`, secretAccessKey: 's', sessionToken: 't', expiresAt } };
  };
const fails =
  (status: number, detail: string): Answer =>
  () => ({ status, json: { detail } });
const quick = [1, 1, 1];

describe('the credentials of a build', () => {
  it('the request is signed for the API, and shows a token that no one else knows', async () => {
    const { url, asked, headers } = await answering(keys());
    await openCredentials(url, environment, quick);
    await openCredentials(url, environment, quick);
    expect(headers[0]).toMatch(/^AWS4-HMAC-SHA256 Credential=BUILD\/\d+\/eu-central-1\/execute-api\/aws4_request/);
    const tokens = asked.map((body) => JSON.parse(body).token);
    expect(tokens[0]).toMatch(/^[\w-]{43}$/);
    expect(tokens[0]).not.toBe(tokens[1]);
  });

  it('faults of services are retried with the same token, and then there are credentials', async () => {
    const { url, asked } = await answering(fails(503, 'busy'), fails(429, 'slow down'), keys());
    const source = await openCredentials(url, environment, quick);
    expect((await source()).accessKeyId).toBe(`K${count}`);
    expect(new Set(asked).size).toBe(1);
    expect(asked).toHaveLength(3);
  });

  it('a refusal is final, and the error has its reason', async () => {
    const { url, asked } = await answering(fails(403, 'the build x has its credentials already'));
    const opened = openCredentials(url, environment, quick);
    await expect(opened).rejects.toThrow('gave this build no credentials: 403 the build x has its credentials already');
    await expect(opened).rejects.toBeInstanceOf(NoCredentials);
    expect(asked).toHaveLength(1);
  });

  it('a place that never answers ends in a sentence after bounded tries', async () => {
    const { url, asked } = await answering(fails(500, ''));
    await expect(openCredentials(url, environment, quick)).rejects.toThrow('no credentials: 500');
    expect(asked).toHaveLength(4);
    await expect(openCredentials('http://127.0.0.1:9/x', environment, [])).rejects.toThrow('did not answer');
    await expect(openCredentials(url, {}, [])).rejects.toThrow('neither keys nor a place for them');
  });

  it('they are renewed with the same token when little time is left, once for all who ask, and kept while a renewal fails', async () => {
    const { url, asked } = await answering(keys(200_000), fails(503, 'busy'), keys());
    const source = await openCredentials(url, environment, []);
    const [first] = [`K${count}`];
    expect((await Promise.all([source(), source(), source()])).map(({ accessKeyId }) => accessKeyId)).toEqual([
      ...[first, first, first],
    ]);
    expect(asked).toHaveLength(2);
    expect((await source()).accessKeyId).not.toBe(first);
    expect(asked).toHaveLength(3);
    await source();
    expect(asked).toHaveLength(3);
    expect(new Set(asked).size).toBe(1);
  });

  it('the identity that a build starts with is read from its environment, or from the place that this names', async () => {
    await expect(buildIdentity(environment)).resolves.toEqual({ accessKeyId: 'BUILD', secretAccessKey: 'secret' });
    const { url, headers } = await answering(() => ({
      status: 200,
      json: { AccessKeyId: 'CONTAINER', SecretAccessKey: 's', Token: 't', Expiration: 'later' },
    }));
    const place = { AWS_CONTAINER_CREDENTIALS_FULL_URI: url, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'shown' };
    await expect(buildIdentity(place)).resolves.toEqual({
      accessKeyId: 'CONTAINER',
      secretAccessKey: 's',
      sessionToken: 't',
    });
    expect(headers).toEqual(['shown']);
  });
});

describe('the door for tools that need credentials', () => {
  const source = async () => ({ accessKeyId: 'K', secretAccessKey: 's', sessionToken: 't', expiresAt: 'later' });

  it('the environment names the door in place of the identity of the build, and who shows its token gets the credentials', async () => {
    const around: Record<string, string | undefined> = { ...environment, AWS_SESSION_TOKEN: 't', KUBELOOM_TABLE: 'x' };
    await openCredentialsDoor(source, around);
    expect(Object.keys(around).sort()).toEqual([
      'AWS_CONTAINER_AUTHORIZATION_TOKEN',
      'AWS_CONTAINER_CREDENTIALS_FULL_URI',
      'AWS_REGION',
      'KUBELOOM_TABLE',
    ]);
    await expect(buildIdentity(around)).resolves.toMatchObject({ accessKeyId: 'K', sessionToken: 't' });
    const { AWS_CONTAINER_CREDENTIALS_FULL_URI: url = '' } = around;
    expect((await fetch(url)).status).toBe(403);
    expect((await fetch(url, { headers: { authorization: 'guessed' } })).status).toBe(403);
  });

  it('what of the runner asks AWS who it is, for Vaults and other clouds, is in the session, too', async () => {
    const expiresAt = new Date(Date.now() + 900_000).toISOString();
    await openCredentialsDoor(async () => ({ ...(await source()), expiresAt }), process.env);
    expect((await ownIdentity()).keys).toMatchObject({ accessKeyId: 'K', sessionToken: 't' });
  });

  it('tools inherit no identity, and Terraform is given it', () => {
    const around = {
      ...environment,
      AWS_CONTAINER_CREDENTIALS_FULL_URI: 'u',
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'x',
      PATH: '/bin',
    };
    expect(withoutIdentity(around)).toEqual({ AWS_REGION: 'eu-central-1', PATH: '/bin' });
    expect(Object.keys(identityIn(around)).sort()).toEqual([
      'AWS_ACCESS_KEY_ID',
      'AWS_CONTAINER_AUTHORIZATION_TOKEN',
      'AWS_CONTAINER_CREDENTIALS_FULL_URI',
      'AWS_SECRET_ACCESS_KEY',
    ]);
  });
});
