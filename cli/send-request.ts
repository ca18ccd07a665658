/** Sends a request to the API: signed or with the token, refusals and problems turned into errors for people. */
import { Problem } from '#contracts/api-bodies.ts';
import { ApiProblem } from './api-problem.ts';
import type { Connection } from './connection.ts';
import { CliError, exitCodes } from './exit-codes.ts';
import { noAnswer, sentElsewhere } from './no-answer.ts';
import { parseJson } from './own-files.ts';
import { signerFor } from './signed-request.ts';

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
