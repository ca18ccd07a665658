/** API Gateway (HTTP API) in front of functions: routes, tokens, limits. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { contextOf, copyAsJson, type ServedFunction } from '../lambda/lambda-host.ts';
import { type Logger, messageOf } from '../logger.ts';
import { bodyWithin } from '../server/body-within.ts';
import type { Authorizer } from './authorization.ts';
import { sendResult, toEvent } from './http-event.ts';
import { matchRoute, type RoutePattern } from './match-route.ts';
import { GatewayProblem, plainRefusal, type Refuse } from './refusals.ts';

export interface GatewayRoute extends RoutePattern, ServedFunction {
  /** Answered without a token. */
  readonly anonymous?: boolean;
}

/** Why requests are refused for now. */
export interface GatewayTrouble {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  /** Reads still work. */
  readonly readable: boolean;
}

export interface GatewayOptions {
  readonly routes: readonly GatewayRoute[];
  readonly authorize: Authorizer;
  readonly logger: Logger;
  /** The present problem of what the functions need, if any. @default none */
  readonly trouble?: () => GatewayTrouble | undefined;
  /** Path of the route that reports every problem, also one that allows reading. @default none */
  readonly healthPath?: string;
  /** How requests are answered that reach no function, or get no answer of one. @default a message, as API Gateway does */
  readonly refuse?: Refuse;
  /** What the routes are of, for people. @default the API */
  readonly program?: string;
  /** Body of a request in bytes. @default 6 MB, what a function takes */
  readonly bodyLimit?: number;
  /** How long a function may take. @default 29 s */
  readonly timeoutMs?: number;
}

export function gatewayListener(options: GatewayOptions): RequestListener {
  const { routes, authorize, logger, trouble, healthPath, bodyLimit = 6 * 1024 * 1024, timeoutMs = 29_000 } = options;
  const { refuse: problem = plainRefusal, program = 'the API' } = options;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = urlOf(request.url ?? '/');
    if (url === null) return problem(response, 400, 'InvalidInput', 'the target of the request is not a path');
    const match = matchRoute(routes, request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET'), url.pathname);
    // Without a token a caller does not learn which routes exist.
    const anonymous = match !== undefined && 'route' in match && match.route.anonymous === true;
    const verdict = anonymous ? { claims: undefined } : await authorize(request.headers.authorization);
    if ('refused' in verdict)
      return problem(response, 401, 'Unauthorized', verdict.refused, {
        'www-authenticate': `Bearer realm="${program.toLowerCase()}"`,
      });
    if ('unavailable' in verdict)
      return problem(response, 503, 'ServiceUnavailable', verdict.unavailable, { 'retry-after': '5' });
    if (match === undefined) return problem(response, 404, 'NotFound', `there is no ${url.pathname}`);
    if ('allowed' in match)
      return problem(response, 405, 'MethodNotAllowed', `${url.pathname} has no ${request.method}`, {
        allow: match.allowed.join(', '),
      });
    const hindered = trouble?.();
    const reads = (request.method === 'GET' || request.method === 'HEAD') && match.route.path !== healthPath;
    if (hindered && !(reads && hindered.readable))
      return problem(response, hindered.status, hindered.code, hindered.detail, { connection: 'close' });
    const body = await bodyWithin(request, bodyLimit);
    if (!body)
      return problem(response, 413, 'PayloadTooLarge', `the body is larger than ${bodyLimit} bytes`, {
        connection: 'close',
      });
    const { route, pathParameters } = match;
    const routeKey = `${route.method} ${route.path}`;
    const event = toEvent({ request, url, body, routeKey, pathParameters, claims: verdict.claims });
    const result = await withinTime(
      route.handler(copyAsJson(event) as APIGatewayProxyEventV2, contextOf(route.operation, timeoutMs)),
      timeoutMs,
    );
    if (result === outOfTime)
      return problem(response, 504, 'Timeout', `${route.operation} took longer than ${timeoutMs / 1000} s`);
    sendResult(response, copyAsJson(result));
  };

  return async (request, response) => {
    try {
      await serve(request, response);
    } catch (error) {
      if (response.headersSent || request.socket.destroyed) return void response.destroy();
      if (error instanceof GatewayProblem) return problem(response, error.status, error.code, error.message);
      logger.error('a request failed', { route: `${request.method} ${request.url}`, cause: messageOf(error) });
      problem(response, 500, 'InternalFault', `a fault of ${program} itself; the log of the platform has the details`);
    }
  };
}

/** A path may begin with two slashes: what follows them is not a host. Null for a text that is neither path nor URL. */
function urlOf(target: string): URL | null {
  return URL.parse(target.startsWith('/') ? `http://127.0.0.1${target}` : target, 'http://127.0.0.1');
}

const outOfTime = Symbol('out of time');

async function withinTime<Result>(work: Promise<Result>, limitMs: number): Promise<Result | typeof outOfTime> {
  const { promise, resolve } = Promise.withResolvers<typeof outOfTime>();
  const timer = setTimeout(() => resolve(outOfTime), limitMs);
  work.catch(() => {});
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
