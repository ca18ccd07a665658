/** What an API handler is given and what it returns; the wrapper in `middleware.ts` speaks API Gateway (payload v2). */
import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Problem } from '#contracts/api-bodies.ts';
import { PipelineError } from '#domain/errors.ts';
import type { AdmittedCaller } from './caller.ts';

export interface HttpRequest<Path, Query> {
  /** Path parameters, parsed. */
  readonly path: Path;
  /** Query parameters, parsed. */
  readonly query: Query;
  readonly caller: AdmittedCaller;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as bytes, at most the limit; empty when the request has no body. */
  readonly body: Uint8Array;
}

export interface HttpResponse {
  readonly status: number;
  /** Sent as JSON; leave it out for an empty body or for `text`. */
  readonly json?: unknown;
  readonly text?: string;
  /** Content type of `text`. @default text/plain; charset=utf-8 */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Tags of an `If-Match` or `If-None-Match` header; undefined when it is absent, `['*']` for any. */
export function entityTags(header: string | undefined): readonly string[] | undefined {
  if (header === undefined) return undefined;
  return header
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .filter(Boolean);
}

/** True when the header is absent or names the tag. */
export function tagAllowed(header: string | undefined, tag: string): boolean {
  const tags = entityTags(header);
  return tags === undefined || tags.includes('*') || tags.includes(tag);
}

/** The event's body as bytes. Throws `PayloadTooLarge`, before decoding anything. */
export function eventBody(event: APIGatewayProxyEventV2, limit: number): Uint8Array {
  const raw = event.body ?? '';
  const size = event.isBase64Encoded ? Math.floor((raw.length * 3) / 4) - 2 : Buffer.byteLength(raw);
  if (size > limit) {
    const message = `the body has more than ${limit} bytes, the limit of this installation`;
    throw new PipelineError('PayloadTooLarge', message, { details: { limit } });
  }
  return new Uint8Array(Buffer.from(raw, event.isBase64Encoded ? 'base64' : 'utf8'));
}

/** Header names in lower case, as HTTP means them. */
export function eventHeaders(event: APIGatewayProxyEventV2): Record<string, string> {
  const pairs = Object.entries(event.headers ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name.toLowerCase(), value] as const],
  );
  return Object.fromEntries(pairs);
}

/** Smaller answers are not worth it, in characters. */
const compressedFrom = 1400;

/** The answer as gzip when it is large and the client takes that: `accepted` is its `Accept-Encoding`. */
export function compressed(
  result: APIGatewayProxyStructuredResultV2,
  accepted = '',
): APIGatewayProxyStructuredResultV2 {
  const { body = '', headers } = result;
  if (body.length < compressedFrom || !/(^|,)\s*gzip\s*(,|$|;(?!\s*q=0(\.0*)?\s*(,|$)))/i.test(accepted)) return result;
  return {
    ...result,
    headers: { ...headers, 'content-encoding': 'gzip', vary: 'accept-encoding' },
    body: gzipSync(body, { level: 5 }).toString('base64'),
    isBase64Encoded: true,
  };
}

/** Texts of tools are never taken for pages or scripts by a browser that opens them. */
const asItIs = { 'x-content-type-options': 'nosniff' } as const;

/** Writes a handler's answer. */
export function toResult({
  status: statusCode,
  json,
  text,
  contentType = 'text/plain; charset=utf-8',
  headers: own,
}: HttpResponse): APIGatewayProxyStructuredResultV2 {
  const headers = { 'cache-control': 'no-cache', ...asItIs, ...own };
  if (json !== undefined)
    return { statusCode, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(json) };
  return text === undefined
    ? { statusCode, headers }
    : { statusCode, headers: { 'content-type': contentType, ...headers }, body: text };
}

/** Writes a problem. */
export function problemResult(problem: Problem): APIGatewayProxyStructuredResultV2 {
  const headers = { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...asItIs };
  return { statusCode: problem.status, headers, body: JSON.stringify(problem) };
}
