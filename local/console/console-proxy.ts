/**
 * The console of an installation elsewhere, on 127.0.0.1: its pages are served here, and what they ask the API is sent on as the caller's
 * own requests, signed or with a token. The browser has a session of this process and no credentials; the door is that of the platform.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Authorizer } from 'aws-on-loopback/api-gateway/authorization.ts';
import { type Logger, messageOf } from 'aws-on-loopback/logger.ts';
import { bodyWithin } from 'aws-on-loopback/server/body-within.ts';
import { type LoopbackServer, listenOnLoopback } from 'aws-on-loopback/server/loopback-server.ts';
import { problem, problemTypes } from '../access/gateway-problem.ts';
import { withConsole } from './console-door.ts';
import { consoleSessions } from './sessions.ts';

type Headers = Readonly<Record<string, string>>;
/** The headers with those by which the API knows the caller. Throws a sentence where there are no credentials. */
export type AsCaller = (method: string, url: URL, headers: Headers, body?: string) => Promise<Headers>;

export interface ConsoleProxyOptions {
  readonly apiUrl: string;
  readonly asCaller: AsCaller;
  /** The API did not accept the credentials: others are to be found for the next request. */
  readonly renew: () => void;
  /** Directory of the built files. */
  readonly build: () => Promise<string>;
  /** Context of the command line. @default the one that is in use */
  readonly context?: string | undefined;
  /** 0: any. */
  readonly port: number;
  readonly logger: Logger;
}

export interface ConsoleProxy extends LoopbackServer {
  /** Opens the console once. */
  code(): string;
}

/** Throws when the port is taken, or the console cannot be built. */
export async function startConsoleProxy(options: ConsoleProxyOptions): Promise<ConsoleProxy> {
  const directory = await options.build();
  const sessions = consoleSessions();
  // Secret of this process: only its sessions show it.
  const token = randomBytes(32).toString('base64url');
  const authorize: Authorizer = async (given = '') =>
    isSame(given, `Bearer ${token}`)
      ? { claims: {} }
      : { refused: 'open the address that `kubeloom console` prints; it works once' };
  const files = async () => directory;
  const api = passedOn({ ...options, authorize });
  const door = withConsole(api, { ...options, authorize, sessions, build: files, find: files });
  return { ...(await listenOnLoopback(door, options.port, problemTypes)), code: () => sessions.codeFor(token) };
}

const bodyLimit = 6 * 1024 * 1024;
/** The parts of a request that the API understands; the browser has no say in who the caller is. */
const sentOn = /^(accept|content-type|if-match|if-none-match|kubeloom-(?!console-)[\w-]+)$/;
const sentBack = /^(content-type|cache-control|etag|location|retry-after|allow|kubeloom-[\w-]+)$/;

function passedOn({
  apiUrl,
  asCaller,
  renew,
  authorize,
  logger,
}: ConsoleProxyOptions & { readonly authorize: Authorizer }): RequestListener {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const verdict = await authorize(request.headers.authorization);
    if ('refused' in verdict) return problem(response, 401, 'Unauthorized', verdict.refused);
    const url = targetOf(apiUrl, request.url ?? '/');
    if (!url) return problem(response, 404, 'NotFound', 'only what is below /v1/ is passed on');
    const body = (await bodyWithin(request, bodyLimit))?.toString();
    if (body === undefined)
      return problem(response, 413, 'PayloadTooLarge', `the body is larger than ${bodyLimit} bytes`, {
        connection: 'close',
      });
    const method = request.method ?? 'GET';
    const send = async (): Promise<Response> => {
      const headers = await asCaller(method, url, headersFor(request), body === '' ? undefined : body);
      return fetch(url, { method, headers, redirect: 'manual', ...(body !== '' && { body }) });
    };
    let answer = await send();
    if (await isGatewayRefusal(answer)) {
      // Nothing was done: the gateway refused it. Credentials may have been replaced meanwhile.
      renew();
      answer = await send();
    }
    const answered = await answer.clone().text();
    if (await isGatewayRefusal(answer))
      return problem(response, 502, 'ServiceUnavailable', refusalText(apiUrl, answered));
    if (answer.status >= 300 && answer.status < 400 && answer.status !== 304)
      return problem(response, 502, 'ServiceUnavailable', `${apiUrl} is not an API of Kubeloom: it redirects`);
    const own = [...answer.headers].filter(([name]) => sentBack.test(name));
    response.writeHead(answer.status, { ...Object.fromEntries(own), 'x-content-type-options': 'nosniff' });
    response.end(answered);
  };
  return (request, response) => {
    serve(request, response).catch((error: unknown) => {
      const cause =
        error instanceof Error && error.cause ? `${error.message}: ${messageOf(error.cause)}` : messageOf(error);
      logger.warn('a request was not answered', {
        route: `${request.method} ${request.url?.replace(/\?.*/s, '')}`,
        cause,
      });
      if (response.headersSent) return response.destroy();
      problem(response, 502, 'ServiceUnavailable', cause);
    });
  };
}

/** Undefined for a target that is not of the API: no request is signed for anything else. */
function targetOf(apiUrl: string, target: string): URL | undefined {
  const url = target.startsWith('/v1/') ? URL.parse(`${apiUrl}${target}`) : null;
  const base = new URL(apiUrl);
  const isBelow = url?.origin === base.origin && url.pathname.startsWith(`${base.pathname.replace(/\/$/, '')}/v1/`);
  return url && isBelow ? url : undefined;
}

function headersFor(request: IncomingMessage): Headers {
  return Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      sentOn.test(name) && typeof value === 'string' ? [[name, value]] : [],
    ),
  );
}

/** The gateway in front of the API does not let the caller in; what the API itself refuses is about roles. */
async function isGatewayRefusal(answer: Response): Promise<boolean> {
  if (answer.status === 401) return true;
  return answer.status === 403 && !/"code":\s*"Forbidden"/.test(await answer.clone().text());
}

function refusalText(apiUrl: string, body: string): string {
  const [, message = body.slice(0, 300)] = /"(?:message|detail)":\s*"((?:[^"\\]|\\.){1,500})"/i.exec(body) ?? [];
  return `${apiUrl} does not accept your credentials: ${message || 'it does not say why'}; renew those of the terminal in which \`kubeloom console\` runs (\`aws sso login\`, AWS_PROFILE, the token of the context)`;
}

function isSame(given: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
