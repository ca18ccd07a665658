/** Sends a request to the API, signed or with the token; what is no answer to it becomes an error. */
import { Problem } from '#contracts/api-bodies.ts';
import type { Signer } from './aws-signer.ts';
import { ConnectionFault, ProblemAnswer } from './faults.ts';

export interface Connection {
  readonly apiUrl: string;
  /** Bearer token. Without one, requests to AWS are signed; a function is called for each request. */
  readonly token: string | undefined | (() => Promise<string>);
  /** Region of an API in AWS with a custom domain name; its requests are signed. */
  readonly region?: string;
  /** After so long without an answer a request ends as `unreachable`. @default none */
  readonly timeoutMs?: number;
}

export interface Sent {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Text as it is, all else as JSON. */
  readonly body?: unknown;
}

export type SendRequest = (method: string, path: string, sent?: Sent) => Promise<Response>;

/** Throws `ProblemAnswer` for 4xx and 5xx, `ConnectionFault` when nothing answers. */
export function requestSender(connection: Connection): SendRequest {
  const { apiUrl, timeoutMs } = connection;
  const sign = signerFor(connection);
  return async (method, path, sent = {}) => {
    const body = typeof sent.body === 'string' || sent.body === undefined ? sent.body : JSON.stringify(sent.body);
    const url = new URL(`${apiUrl}${path}`);
    for (const [key, value] of Object.entries(sent.query ?? {})) {
      if (value !== undefined) url.searchParams.set(key, String(value));
    }
    const headers: Record<string, string> = { accept: 'application/json' };
    for (const [name, value] of Object.entries(sent.headers ?? {})) {
      if (value !== undefined) headers[name.toLowerCase()] = value;
    }
    const token = typeof connection.token === 'function' ? await connection.token() : connection.token;
    if (token) headers.authorization = `Bearer ${token}`;
    if (body !== undefined) headers['content-type'] ??= 'application/json';
    const response = await fetch(url, {
      method,
      headers: await sign(method, url, headers, body),
      redirect: 'manual',
      ...(body !== undefined && { body }),
      ...(timeoutMs !== undefined && { signal: AbortSignal.timeout(timeoutMs) }),
    }).catch((cause: unknown) => {
      const { code, message } = reasonOf(cause);
      throw new ConnectionFault('unreachable', message, { cause, ...(code !== undefined && { code }) });
    });
    if (response.ok) return response;
    // The API never redirects. To follow would send the token and Secrets to another server.
    if (response.status >= 300 && response.status < 400)
      throw new ConnectionFault('elsewhere', response.headers.get('location') ?? 'nowhere');
    const problem = parseProblem(await response.text(), response.status);
    // An answer of the gateway is about the connection; one of the API is about the role.
    if (response.status === 401 || (response.status === 403 && problem.code !== 'Forbidden'))
      throw new ConnectionFault('refused', problem.detail);
    throw new ProblemAnswer(problem, typeof sent.body === 'string' ? undefined : sent.body);
  };
}

function parseProblem(text: string, status: number): Problem {
  const parsed = Problem.safeParse(jsonIn(text));
  if (parsed.success) return parsed.data;
  const detail = `HTTP ${status}: ${text.slice(0, 300)}`;
  const code = 'InternalFault';
  return { type: 'about:blank', title: 'Unexpected answer', status, instance: '', code, detail };
}

/** Undefined for what is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `fetch` says only that it failed; why is in its cause. */
function reasonOf(failure: unknown): { readonly code?: string; readonly message: string } {
  const inner = failure instanceof Error && failure.cause instanceof Error ? failure.cause : failure;
  // If the host has several addresses, each has failed.
  const first = inner instanceof AggregateError ? inner.errors[0] : inner;
  if (!(first instanceof Error)) return { message: String(first) };
  const code = 'code' in first ? String(first.code) : undefined;
  // OpenSSL prints locations in its own source.
  const message = /\n|^[0-9A-F]{8,}:/.test(first.message) ? (code ?? 'no answer') : first.message;
  return code === undefined ? { message } : { code, message };
}

/**
 * Signs what goes to an API in AWS without a token, and leaves everything else as it is. The region is that of the host name; an
 * API with a custom domain name has the region in its connection or in KUBELOOM_API_REGION.
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
