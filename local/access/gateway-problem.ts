/** Problems that are answered before a function is asked. */
import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import { cutText } from '#domain/cut-text.ts';

/** Characters: a path may have 32,000. */
const mostOfDetail = 1000;

/** Thrown by a handler that is not a function: it is answered as it is. */
export class GatewayProblem extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

/** Answers with a problem (RFC 9457) in the shape of the API's own. */
export function problem(
  response: ServerResponse,
  status: number,
  code: string,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const title = STATUS_CODES[status] ?? code;
  const body = JSON.stringify({
    type: `urn:kubeloom:error:${code}`,
    title,
    status,
    detail: cutText(detail, mostOfDetail),
    instance: randomUUID(),
    code,
  });
  response.writeHead(status, {
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(body);
}
