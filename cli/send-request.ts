/** Sends a request to the API: signed or with the token, refusals and problems turned into errors for people. */

import { Problem } from '#contracts/api-bodies.ts';
import { ApiProblem } from './api-problem.ts';
import type { Signer } from './aws-signer.ts';
import type { Connection } from './connection.ts';
import { CliError, exitCodes } from './exit-codes.ts';
import { parseJson } from './own-files.ts';

export interface Sent {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Text as it is, all else as JSON. */
  readonly body?: unknown;
}

/** Throws `ApiProblem` for 4xx and 5xx, `CliError` when nothing answers. */
export function requestSender(
  connection: Connection,
): (method: string, path: string, sent?: Sent) => Promise<Response> {
  const sign = signerFor(connection);
  return async (method, path, sent = {}) => {
    const body = typeof sent.body === 'string' || sent.body === undefined ? sent.body : JSON.stringify(sent.body);
    const url = new URL(`${connection.apiUrl}${path}`);
    for (const [key, value] of Object.entries(sent.query ?? {})) {
      if (value !== undefined) url.searchParams.set(key, String(value));
    }
    const headers: Record<string, string> = { accept: 'application/json' };
    for (const [name, value] of Object.entries(sent.headers ?? {})) {
      if (value !== undefined) headers[name.toLowerCase()] = value;
    }
    if (connection.token) headers.authorization = `Bearer ${connection.token}`;
    if (body !== undefined) headers['content-type'] ??= 'application/json';
    const init: RequestInit = { method, headers: await sign(method, url, headers, body), redirect: 'manual' };
    if (body !== undefined) init.body = body;
    const response = await fetch(url, init).catch((cause: unknown) => {
      throw noAnswer(connection, cause);
    });
    if (response.ok) return response;
    if (response.status >= 300 && response.status < 400) throw sentElsewhere(connection, response);
    const problem = parseProblem(await response.text(), response.status);
    // An answer of the gateway is about the connection; one of the API is about the role.
    if (response.status === 401 || (response.status === 403 && problem.code !== 'Forbidden'))
      throw notLetIn(connection, problem);
    throw new ApiProblem(problem, typeof sent.body === 'string' ? undefined : sent.body);
  };
}

function parseProblem(text: string, status: number): Problem {
  const parsed = Problem.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  return {
    type: 'about:blank',
    title: 'Unexpected answer',
    status,
    instance: '',
    code: 'InternalFault',
    detail: `HTTP ${status}: ${text.slice(0, 300)}`,
  };
}

function notLetIn(connection: Connection, problem: Problem): CliError {
  const how = connection.token ? 'the token is not accepted' : 'no token was sent';
  return new CliError(
    `${connection.apiUrl}: access denied (${how}): ${problem.detail}; set KUBELOOM_TOKEN, or unset it and KUBELOOM_API_URL to be the owner of the platform on this machine`,
    exitCodes.forbidden,
  );
}

/** Codes of connections that no server accepts. */
const nobody: readonly string[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

/** `fetch` says only that it failed; why is in its cause. */
export function noAnswer({ apiUrl }: Connection, failure: unknown): CliError {
  const { code, message } = reasonOf(failure);
  if (code !== undefined && nobody.includes(code)) {
    const text = `nothing answers at ${apiUrl}: is it running? (\`kubeloom local status\`)`;
    return new CliError(text, exitCodes.unreachable, { cause: failure });
  }
  const fix =
    code === 'ENOTFOUND' || code === 'EAI_AGAIN'
      ? 'is KUBELOOM_API_URL right?'
      : /CERT|SIGNED|VERIFY|ISSUER/.test(code ?? '')
        ? 'trust its authority with NODE_EXTRA_CA_CERTS, if it is the right one'
        : 'is it an API of Kubeloom?';
  return new CliError(`${apiUrl} cannot be asked (${message}): ${fix}`, exitCodes.unreachable, { cause: failure });
}

/** The API never redirects. To follow would send the token and Secrets to another server. */
export function sentElsewhere({ apiUrl }: Connection, response: Response): CliError {
  const place = response.headers.get('location') ?? 'nowhere';
  return new CliError(
    `${apiUrl} is not an API of Kubeloom, it redirects to ${place}: set KUBELOOM_API_URL to the address of the API itself`,
    exitCodes.unreachable,
  );
}

function reasonOf(failure: unknown): { readonly code?: string; readonly message: string } {
  const inner = failure instanceof Error && failure.cause instanceof Error ? failure.cause : failure;
  // Of a host with several addresses, each has failed.
  const first = inner instanceof AggregateError ? inner.errors[0] : inner;
  if (!(first instanceof Error)) return { message: String(first) };
  const code = 'code' in first ? String(first.code) : undefined;
  // OpenSSL prints locations in its own source.
  const message = /\n|^[0-9A-F]{8,}:/.test(first.message) ? (code ?? 'no answer') : first.message;
  return code === undefined ? { message } : { code, message };
}

/**
 * Signs what goes to an API in AWS without a token, and leaves everything else as it is. The region is that of the host name; an
 * API behind a name of one's own has it in its context or in KUBELOOM_API_REGION. Throws `CliError` where there are no credentials.
 */
export function signerFor({ apiUrl, token, region: own }: Connection): Signer {
  const region = process.env.KUBELOOM_API_REGION || own || regionOfApi(apiUrl);
  if (token !== undefined || region === undefined) return async (_method, _url, headers) => headers;
  let signer: Promise<Signer> | undefined;
  return async (...request) => {
    signer ??= import('./aws-signer.ts').then(({ ownSigner }) => ownSigner(region));
    return (await signer)(...request);
  };
}

/** Region of an API of AWS by its host name; undefined for any other host. */
export function regionOfApi(url: string): string | undefined {
  return /^[a-z0-9]+\.execute-api\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?$/.exec(new URL(url).hostname)?.[1];
}
