/**
 * The console in front of the API: its pages under `/console/`, and a session in place of the token on the way to `/v1/`.
 *
 * A browser has neither the token nor any other secret that works alone. It shows a cookie that scripts cannot read, and a key that only
 * pages of this origin know; requests that another site or another port made lack one of them, and their `Origin` says so as well.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Authorizer } from '../api-gateway/authorizer.ts';
import { problem } from '../api-gateway/gateway-problem.ts';
import { type Logger, messageOf } from '../logger.ts';
import { type ConsoleFiles, pageHeaders, readConsoleFiles } from './console-files.ts';
import { codeSeconds, consoleSessions, type SessionParts, type Sessions, sessionHours } from './sessions.ts';

export interface ConsoleOptions {
  readonly authorize: Authorizer;
  /** Directory of the built files; asked for once someone opens the console. */
  readonly build: () => Promise<string>;
  readonly logger: Logger;
  /** @default those of this process */
  readonly sessions?: Sessions;
}

/** With the key of the session. */
export const keyHeader = 'kubeloom-console-key';

export function withConsole(api: RequestListener, options: ConsoleOptions): RequestListener {
  const { authorize, logger, sessions = consoleSessions() } = options;
  const files = onceItWorks(async () => readConsoleFiles(await options.build()));

  /** A code for the bearer of a token, which opens the console in a browser. */
  const giveCode = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const verdict = await authorize(request.headers.authorization);
    if ('refused' in verdict) return problem(response, 401, 'Unauthorized', verdict.refused);
    if ('unavailable' in verdict) return problem(response, 503, 'ServiceUnavailable', verdict.unavailable);
    // Built before a browser waits for it.
    await files();
    const [, token = ''] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    sendJson(response, 201, { code: sessions.codeFor(token), seconds: codeSeconds });
  };

  const openSession = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts = sessions.open(await smallText(request));
    if (!parts)
      return problem(
        response,
        401,
        'Unauthorized',
        'this code was used or is too old: `kubeloom console` gives another',
      );
    const cookie = `${cookieName(request)}=${parts.cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${sessionHours * 3600}`;
    sendJson(response, 201, { key: parts.key }, { 'set-cookie': cookie });
  };

  const closeSession = (request: IncomingMessage, response: ServerResponse): void => {
    const parts = partsOf(request);
    if (parts) sessions.close(parts);
    const cookie = `${cookieName(request)}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
    response.writeHead(204, { 'set-cookie': cookie, 'cache-control': 'no-store' }).end();
  };

  const serve = async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    const foreign = foreignness(request);
    if (foreign !== undefined) return problem(response, 403, 'Forbidden', foreign, { connection: 'close' });
    const route = `${request.method} ${path}`;
    if (route === 'POST /console/codes') return giveCode(request, response);
    if (route === 'POST /console/session') return openSession(request, response);
    if (route === 'DELETE /console/session') return closeSession(request, response);
    if (path === '/console') return void response.writeHead(308, { location: '/console/' }).end();
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return problem(response, 405, 'MethodNotAllowed', `${path} has no ${request.method}`, { allow: 'GET, HEAD' });
    sendFile(request, response, await files(), path.slice('/console/'.length));
  };

  return (request, response) => {
    const path = (request.url ?? '/').replace(/[?#].*$/s, '');
    if (path === '/console' || path.startsWith('/console/')) {
      serve(request, response, path).catch((error: unknown) => {
        logger.error('the console cannot be shown', { cause: messageOf(error) });
        if (response.headersSent) return response.destroy();
        problem(response, 500, 'InternalFault', messageOf(error));
      });
      return;
    }
    const parts = request.headers.authorization === undefined ? partsOf(request) : undefined;
    if (parts) {
      const foreign = foreignness(request);
      if (foreign !== undefined) return problem(response, 403, 'Forbidden', foreign, { connection: 'close' });
      const token = sessions.tokenOf(parts);
      if (token !== undefined) request.headers.authorization = `Bearer ${token}`;
    }
    forget(request);
    return api(request, response);
  };
}

/** Cookies know no ports: two platforms of one machine have two names. */
const cookieName = ({ socket }: IncomingMessage): string => `kubeloom-console-${socket.localPort}`;

function partsOf(request: IncomingMessage): SessionParts | undefined {
  const start = `${cookieName(request)}=`;
  const cookie = request.headers.cookie?.split('; ').find((one) => one.startsWith(start));
  const key = request.headers[keyHeader];
  return cookie === undefined || typeof key !== 'string' ? undefined : { cookie: cookie.slice(start.length), key };
}

/** No function has to see what a session is made of. */
function forget(request: IncomingMessage): void {
  const others = request.headers.cookie?.split('; ').filter((one) => !one.startsWith('kubeloom-console-')) ?? [];
  if (others.length > 0) request.headers.cookie = others.join('; ');
  else delete request.headers.cookie;
  delete request.headers[keyHeader];
}

/**
 * Why a request did not come from a page of this platform; undefined when it did. A name of someone else that leads to 127.0.0.1 (DNS
 * rebinding) is in `Host`; another site or port that a browser is on is in `Origin` or `Sec-Fetch-Site`.
 */
function foreignness({ headers }: IncomingMessage): string | undefined {
  const { host = '', origin } = headers;
  const [, name = ''] = /^([^:/@]+)(?::\d{1,5})?$/.exec(host) ?? [];
  if (name !== '127.0.0.1' && name !== 'localhost')
    return 'the console is at 127.0.0.1 or localhost, and under no other name';
  if (origin !== undefined && origin !== `http://${host}`) return 'this request comes from another site';
  const site = headers['sec-fetch-site'];
  // A person who opens a bookmark comes from nowhere; a link on another site may lead to the page, but to nothing else.
  const opens = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  if (site !== undefined && site !== 'same-origin' && !opens) return 'this request comes from another site';
  return undefined;
}

function sendFile(request: IncomingMessage, response: ServerResponse, files: ConsoleFiles, name: string): void {
  const file = files.get(name);
  if (!file) {
    problem(response, 404, 'NotFound', `the console has no file "${name.slice(0, 100)}"`);
    return;
  }
  const headers = {
    ...pageHeaders,
    'content-type': file.type,
    'cache-control': file.lasting ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...{ etag: file.etag, vary: 'accept-encoding' },
  };
  if (request.headers['if-none-match'] === file.etag) return void response.writeHead(304, headers).end();
  const zips = /(^|,)\s*gzip\s*(,|;(?!\s*q=0)|$)/.test(String(request.headers['accept-encoding'] ?? ''));
  const body = zips ? file.zipped : file.body;
  response.writeHead(200, { ...headers, 'content-length': body.length, ...(zips && { 'content-encoding': 'gzip' }) });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function sendJson(
  response: ServerResponse,
  status: number,
  json: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify(json);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(body);
}

/** Longer than any code is none. */
async function smallText(request: IncomingMessage, limit = 200): Promise<string> {
  let text = '';
  for await (const piece of request) {
    text += String(piece);
    if (text.length > limit) return '';
  }
  return text;
}

/** The result of the first call that succeeds; one that fails is tried again. */
function onceItWorks<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let under: Promise<Result> | undefined;
  return () => {
    under ??= work().catch((error: unknown) => {
      under = undefined;
      throw error;
    });
    return under;
  };
}
