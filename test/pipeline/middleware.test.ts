/** The wrappers of handlers: what reaches a handler, and what its errors become for Step Functions and for HTTP. */
import { gunzipSync } from 'node:zlib';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { PipelineError } from '#domain/errors.ts';
import { httpHandler, taskHandler } from '#functions/middleware.ts';
import { useDeps } from '#functions/wire.ts';
import { fakeDeps } from '#test/fakes/fake-deps.ts';

beforeEach(() => {
  useDeps(fakeDeps({ KUBELOOM_MAX_BODY_BYTES: '20' }));
  process.env.KUBELOOM_LOG = 'none';
});
afterEach(() => vi.restoreAllMocks());

function request(change: Partial<APIGatewayProxyEventV2> = {}, method = 'GET'): APIGatewayProxyEventV2 {
  const http = { method, path: '/v1/x', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' };
  const context = {
    accountId: '0',
    apiId: 'a',
    domainName: 'd',
    domainPrefix: 'd',
    requestId: 'r-1',
    routeKey: 'GET /v1/x',
  };
  const requestContext = { ...context, http, stage: '$default', time: '', timeEpoch: 0 };
  const event = { version: '2.0', routeKey: 'GET /v1/x', rawPath: '/v1/x', rawQueryString: '', headers: {} };
  return { ...event, requestContext, isBase64Encoded: false, ...change };
}

const bodyOf = (result: { readonly body?: string }): Record<string, unknown> => JSON.parse(result.body ?? '{}');

describe('taskHandler', () => {
  const Input = z.object({ name: z.string() });

  it('taskHandler passes the parsed input and the ports', async () => {
    const handler = taskHandler(Input, [], async ({ name }, deps) => `${name} ${deps.config.KUBELOOM_TABLE}`);
    expect(await handler({ name: 'shop', other: 1 })).toBe('shop kubeloom');
  });

  it('taskHandler names every fault of an input at once', async () => {
    const handler = taskHandler(z.object({ a: z.string(), b: z.number() }), [], async () => 1);
    await expect(handler({})).rejects.toMatchObject({
      name: 'InvalidInput',
      message: expect.stringMatching(/a: .*; b: /),
    });
  });

  it('taskHandler keeps the names of our errors and replaces all others by one of ours', async () => {
    const throwing = (error: unknown) => taskHandler(Input, [], () => Promise.reject(error))({ name: 'x' });
    await expect(throwing(new PipelineError('LeaseLost', 'gone'))).rejects.toMatchObject({ name: 'LeaseLost' });
    await expect(throwing(new TypeError('x is undefined'))).rejects.toMatchObject({ name: 'InternalFault' });
    const throttled = Object.assign(new Error('slow down'), {
      name: 'ThrottlingException',
      $retryable: { throttling: true },
    });
    await expect(throwing(throttled)).rejects.toMatchObject({ name: 'ServiceUnavailable' });
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    await expect(throwing(refused)).rejects.toMatchObject({ name: 'ServiceUnavailable' });
    for (const name of [
      'ThrottlingException',
      'TooManyRequestsException',
      'ProvisionedThroughputExceededException',
      'TimeoutError',
    ]) {
      const asked = Object.assign(new Error('Rate exceeded'), { name, $metadata: { httpStatusCode: 400 } });
      await expect(throwing(asked), name).rejects.toMatchObject({ name: 'ServiceUnavailable' });
    }
    const wrong = Object.assign(new Error('no'), { name: 'ValidationException', $metadata: { httpStatusCode: 400 } });
    await expect(throwing(wrong)).rejects.toMatchObject({ name: 'InternalFault' });
  });

  it('taskHandler writes one log line a call, with the run and without the payload', async () => {
    process.env.KUBELOOM_LOG = 'all';
    const lines: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
    const handler = taskHandler(z.unknown(), [], async () => ({ secret: 'hunter2' }));
    await handler(
      { run: { runId: 'shop-g1', cluster: 'web-1' }, password: 'hunter3' },
      { functionName: 'plan-cluster' },
    );
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'info',
      function: 'plan-cluster',
      runId: 'shop-g1',
      cluster: 'web-1',
      outcome: 'ok',
    });
    expect(lines.join()).not.toMatch(/hunter/);
  });
});

describe('a large answer', () => {
  const json = { text: 'word '.repeat(1000) };
  const handler = httpHandler({ access: 'anonymous' }, async () => ({ status: 200, json }));
  const answerTo = (accepted?: string) =>
    handler(request(accepted === undefined ? {} : { headers: { 'Accept-Encoding': accepted } }));

  it.each(['gzip', 'br, gzip;q=0.8', 'deflate,GZIP'])('%s: it is sent as gzip', async (accepted) => {
    const { body = '', headers, isBase64Encoded } = await answerTo(accepted);
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(isBase64Encoded).toBe(true);
    expect(body.length).toBeLessThan(200);
    expect(JSON.parse(gunzipSync(Buffer.from(body, 'base64')).toString())).toEqual(json);
  });

  it.each([undefined, 'br', 'gzip;q=0', 'br, gzip;q=0.0', 'gzipped'])('%s is passed on unchanged', async (accepted) => {
    const answer = await answerTo(accepted);
    expect(bodyOf(answer)).toEqual(json);
    expect(answer.isBase64Encoded).toBeUndefined();
  });
});

describe('httpHandler', () => {
  it('httpHandler passes path, query, headers and body', async () => {
    const options = {
      access: 'anonymous' as const,
      params: z.object({ name: z.string() }),
      query: z.object({ limit: z.coerce.number() }),
    };
    const handler = httpHandler(options, async ({ path, query, headers, body }) => ({
      status: 200,
      json: { ...path, ...query, type: headers['content-type'], text: Buffer.from(body).toString() },
    }));
    const headers = { 'Content-Type': 'application/YAML; charset=utf-8' };
    const event = request(
      { headers, pathParameters: { name: 'shop' }, queryStringParameters: { limit: '3' }, body: 'a: 1' },
      'PUT',
    );
    const result = await handler(event);
    expect(bodyOf(result)).toEqual({ name: 'shop', limit: 3, type: 'application/YAML; charset=utf-8', text: 'a: 1' });
  });

  it('httpHandler refuses a body above the limit before it is read, plain or base64', async () => {
    const handler = httpHandler({ access: 'anonymous' }, async () => ({ status: 200 }));
    const plain = await handler(request({ body: 'x'.repeat(21) }, 'PUT'));
    const encoded = await handler(
      request({ body: Buffer.from('x'.repeat(40)).toString('base64'), isBase64Encoded: true }, 'PUT'),
    );
    expect([plain.statusCode, encoded.statusCode]).toEqual([413, 413]);
    expect(bodyOf(plain)).toMatchObject({ code: 'PayloadTooLarge', status: 413, instance: 'r-1' });
  });

  it('httpHandler answers errors as problem+json with their status', async () => {
    const throwing = (error: unknown, headers = {}) =>
      httpHandler({ access: 'anonymous' }, () => Promise.reject(error))(request({ headers }));
    const missing = await throwing(new PipelineError('NotFound', 'there is no manifest "x"'));
    expect(missing).toMatchObject({ statusCode: 404, headers: { 'content-type': 'application/problem+json' } });
    expect(bodyOf(missing)).toMatchObject({
      detail: 'there is no manifest "x"',
      code: 'NotFound',
      type: 'urn:kubeloom:error:NotFound',
    });
    const conflict = new PipelineError('VersionConflict', 'changed', { details: { generation: 3, attempt: 1 } });
    expect(await throwing(conflict)).toMatchObject({ statusCode: 409 });
    expect(await throwing(conflict, { 'If-Match': '"g2-a1"' })).toMatchObject({ statusCode: 412 });
  });

  it('httpHandler shows nothing of an internal fault except where to look', async () => {
    const result = await httpHandler({ access: 'anonymous' }, () => Promise.reject(new Error('password=hunter2')))(
      request(),
    );
    expect(result.statusCode).toBe(500);
    expect(result.body).not.toContain('hunter2');
    expect(bodyOf(result).detail).toContain('r-1');
  });
});
