/** Requests that the gateway answers itself. */
import type { ServerResponse } from 'node:http';

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

/** Answers a request with a status, a code for programs and a sentence for people. */
export type Refuse = (
  response: ServerResponse,
  status: number,
  code: string,
  detail: string,
  headers?: Readonly<Record<string, string>>,
) => void;

/** The shape of API Gateway itself: a message alone. */
export const plainRefusal: Refuse = (response, status, _code, message, headers = {}) => {
  const body = JSON.stringify({ message });
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
};
