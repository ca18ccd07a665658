/** Problems that are answered before a function is asked, in the shape of the API's own. */
import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import { cutText } from '#domain/cut-text.ts';

/** Beginning of the types of all problems. */
export const problemTypes = 'urn:kubeloom:error:';

/** Characters: a path may have 32,000. */
const mostOfDetail = 1000;

/** Answers with a problem (RFC 9457). */
export function problem(
  response: ServerResponse,
  status: number,
  code: string,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const title = STATUS_CODES[status] ?? code;
  const body = JSON.stringify({
    type: `${problemTypes}${code}`,
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
