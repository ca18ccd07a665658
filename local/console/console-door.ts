/**
 * The console in front of the API: its pages under `/console/`, and a session in place of the token on the way to `/v1/`.
 *
 * A browser has neither the token nor any other secret that works alone. It shows a cookie that scripts cannot read, and a key that only
 * pages of this origin know; requests that another site or another port made lack one of them, and their `Origin` says so as well.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Authorizer } from 'aws-on-loopback/api-gateway/authorization.ts';
import { type Logger, messageOf } from 'aws-on-loopback/logger.ts';
import { type ConsoleSettings, pageHeaders, settingsFile } from '#contracts/console-page.ts';
import { problem } from '../access/gateway-problem.ts';
import { type ConsoleFiles, readConsoleFiles } from './console-files.ts';
import { cookieName, foreignness, forget, placeUnderOwnName, sessionPartsOf } from './own-requests.ts';
import { codeSeconds, consoleSessions, type Sessions, sessionHours } from './sessions.ts';

export interface ConsoleOptions {
  readonly authorize: Authorizer;
  /** Directory of the built files; they are built when someone asks for a code, if they are not yet. */
  readonly build: () => Promise<string>;
  /** The same where they are built already, else undefined: a page that anyone may open must not start a build. */
  readonly find: () => Promise<string | undefined>;
  readonly logger: Logger;
  /** @default those of this process */
  readonly sessions?: Sessions;
  /** Context of the command line, for commands that pages show. @default the one that is in use */
  readonly context?: string | undefined;
}

/** `yes`: the session replaces the one that the browser has. */
const replaceHeader = 'kubeloom-console-replace';

export function withConsole(api: RequestListener, options: ConsoleOptions): RequestListener {
  const { logger, sessions = consoleSessions() } = options;
  const door = new ConsoleDoor({ ...options, sessions });
  return (request, response) => {
    const path = (request.url ?? '/').split(/[?#]/, 1)[0] ?? '/';
    if (path === '/console' || path.startsWith('/console/')) {
      door.serve(request, response, path).catch((error: unknown) => {
        logger.error('the console cannot be shown', { cause: messageOf(error) });
        if (response.headersSent) return response.destroy();
        problem(response, 500, 'InternalFault', 'the console cannot be shown; the log of the platform has the details');
      });
      return;
    }
    const parts = request.headers.authorization === undefined ? sessionPartsOf(request) : undefined;
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

/** What is below `/console/`. */
class ConsoleDoor {
  readonly #options: ConsoleOptions & { readonly sessions: Sessions };
  readonly #settings: ConsoleSettings;
  #shown: { readonly directory: string; readonly files: ConsoleFiles } | undefined;

  constructor(options: ConsoleOptions & { readonly sessions: Sessions }) {
    this.#options = options;
    const { context } = options;
    this.#settings = { signIn: 'session', ...(context !== undefined && { context }) };
  }

  async serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const ownPlace = placeUnderOwnName(request);
    if (ownPlace !== undefined)
      return void response.writeHead(307, { location: ownPlace, 'cache-control': 'no-store' }).end();
    const foreign = foreignness(request);
    if (foreign !== undefined) return problem(response, 403, 'Forbidden', foreign, { connection: 'close' });
    const route = `${request.method} ${path}`;
    if (route === 'POST /console/codes') return this.#giveCode(request, response);
    if (route === 'POST /console/session') return this.#openSession(request, response);
    if (route === 'DELETE /console/session') return this.#closeSession(request, response);
    if (path === '/console') return void response.writeHead(308, { location: '/console/' }).end();
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return problem(response, 405, 'MethodNotAllowed', `${path} has no ${request.method}`, { allow: 'GET, HEAD' });
    const name = path.slice('/console/'.length);
    if (name === settingsFile) return sendJson(response, 200, this.#settings);
    const directory = this.#shown?.directory ?? (await this.#options.find());
    if (directory !== undefined) return sendFile(request, response, await this.#filesIn(directory), name);
    problem(response, 503, 'ServiceUnavailable', 'the console is not built yet: `kubeloom console` builds it');
  }

  async #filesIn(directory: string): Promise<ConsoleFiles> {
    if (this.#shown?.directory !== directory) this.#shown = { directory, files: await readConsoleFiles(directory) };
    return this.#shown.files;
  }

  /** A code for the bearer of a token, which opens the console in a browser. */
  async #giveCode(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { authorize, build, logger, sessions } = this.#options;
    const verdict = await authorize(request.headers.authorization);
    if ('refused' in verdict) return problem(response, 401, 'Unauthorized', verdict.refused);
    if ('unavailable' in verdict) return problem(response, 503, 'ServiceUnavailable', verdict.unavailable);
    // Built before a browser waits for it.
    const fault = await build()
      .then((directory) => this.#filesIn(directory))
      .then(() => undefined, messageOf);
    if (fault !== undefined) {
      logger.error('the console cannot be shown', { cause: fault });
      return problem(response, 500, 'InternalFault', fault);
    }
    const [, token = ''] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    sendJson(response, 201, { code: sessions.codeFor(token), seconds: codeSeconds });
  }

  async #openSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { sessions } = this.#options;
    const code = await smallText(request);
    const before = sessionPartsOf(request);
    const [owner, asked] = [before && sessions.tokenOf(before), sessions.tokenOfCode(code)];
    // An address that someone else sent must not make this browser theirs unnoticed; the code waits for an answer.
    if (owner !== undefined && asked !== undefined && owner !== asked && request.headers[replaceHeader] !== 'yes')
      return problem(response, 409, 'Conflict', 'this browser is signed in as someone else');
    const parts = sessions.open(code);
    if (!parts)
      return problem(
        response,
        401,
        'Unauthorized',
        'this code was used or is too old: `kubeloom console` gives another',
      );
    if (before) sessions.close(before);
    const cookie = `${cookieName(request)}=${parts.cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${sessionHours * 3600}`;
    sendJson(response, 201, { key: parts.key }, { 'set-cookie': cookie });
  }

  #closeSession(request: IncomingMessage, response: ServerResponse): void {
    const parts = sessionPartsOf(request);
    if (parts) this.#options.sessions.close(parts);
    const cookie = `${cookieName(request)}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
    response.writeHead(204, { 'set-cookie': cookie, 'cache-control': 'no-store' }).end();
  }
}

function sendFile(request: IncomingMessage, response: ServerResponse, files: ConsoleFiles, name: string): void {
  const file = files.get(name);
  if (!file) {
    problem(response, 404, 'NotFound', `the console has no file "${name.slice(0, 100)}"`);
    return;
  }
  const headers = {
    ...pageHeaders(),
    'content-type': file.type,
    'cache-control': file.cacheControl,
    etag: file.etag,
    vary: 'accept-encoding',
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

/** A longer text cannot be a code. */
async function smallText(request: IncomingMessage, limit = 200): Promise<string> {
  let text = '';
  for await (const piece of request) {
    text += String(piece);
    if (text.length > limit) return '';
  }
  return text;
}
