/** HTTP requests as API Gateway passes them to a function (HTTP API, payload format 2.0), and its answers back. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { account } from '../names.ts';
import type { Claims } from './authorization.ts';

export interface MatchedRequest {
  readonly request: IncomingMessage;
  readonly url: URL;
  readonly body: Buffer;
  /** `GET /v1/things/{name}` */
  readonly routeKey: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** Absent on routes that anyone may call. */
  readonly claims: Claims | undefined;
}

const textType = /^(text\/|application\/(json|[\w.-]+\+json|xml|javascript|x-www-form-urlencoded))/;

export function toEvent({
  request,
  url,
  body,
  routeKey,
  pathParameters,
  claims,
}: MatchedRequest): APIGatewayProxyEventV2 {
  const { cookie, ...others } = request.headers;
  const headers = Object.entries(others).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : value]);
  // As in AWS by its type; and by its bytes, which a string would not hold when they are not UTF-8.
  const asText = textType.test(request.headers['content-type'] ?? 'text/') && isUtf8(body);
  const now = new Date();
  const query = queryOf(url.searchParams);
  return {
    version: '2.0',
    routeKey,
    rawPath: url.pathname,
    rawQueryString: url.search.slice(1),
    ...(cookie !== undefined && { cookies: cookie.split('; ') }),
    headers: Object.fromEntries(headers),
    ...(Object.keys(query).length > 0 && { queryStringParameters: query }),
    ...(Object.keys(pathParameters).length > 0 && { pathParameters }),
    requestContext: {
      accountId: account,
      apiId: 'local',
      domainName: request.headers.host ?? '127.0.0.1',
      domainPrefix: 'local',
      http: {
        method: request.method ?? 'GET',
        path: url.pathname,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? '',
        userAgent: request.headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey,
      stage: '$default',
      time: now.toISOString(),
      timeEpoch: now.getTime(),
      ...(claims && { authorizer: { jwt: { claims, scopes: [] } } }),
    },
    ...(body.length > 0 && { body: body.toString(asText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !asText,
  } as APIGatewayProxyEventV2;
}

/** Sends what a function returned; a value without `statusCode` is the body of a 200, as in AWS. */
export function sendResult(response: ServerResponse, result: unknown): void {
  const isResponse = typeof result === 'object' && result !== null && 'statusCode' in result;
  const answer: APIGatewayProxyStructuredResultV2 = isResponse
    ? (result as APIGatewayProxyStructuredResultV2)
    : {
        statusCode: 200,
        headers: { 'content-type': 'application/json' },
        body: typeof result === 'string' ? result : JSON.stringify(result),
      };
  const body = Buffer.from(answer.body ?? '', answer.isBase64Encoded ? 'base64' : 'utf8');
  const headers = Object.entries(answer.headers ?? {}).map(([name, value]) => [name, String(value)]);
  response.writeHead(answer.statusCode ?? 200, {
    ...Object.fromEntries(headers),
    ...(answer.cookies && { 'set-cookie': answer.cookies }),
    ...(answer.statusCode !== 304 && answer.statusCode !== 204 && { 'content-length': body.length }),
  });
  response.end(body);
}

function queryOf(parameters: URLSearchParams): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, value] of parameters) query[name] = name in query ? `${query[name]},${value}` : value;
  return query;
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
