/** A server on the loopback that answers what a test says, as bytes: also without an end, or to elsewhere. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Spoken {
  readonly status?: number;
  /** Undefined: bytes without an end, until the other side hangs up. */
  readonly body: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface LyingServer {
  readonly url: string;
  /** `GET /path?query`, with the headers of each request. */
  readonly asked: { readonly line: string; readonly headers: IncomingMessage['headers'] }[];
  /** By `GET /path`; what has no answer is 404. Each test sets its own. */
  answers: Readonly<Record<string, Spoken | ((body: string) => Spoken)>>;
  /** Bytes that were sent without an end. */
  sent: number;
  close(): Promise<void>;
}

export async function lyingServer(): Promise<LyingServer> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { method = '', url = '' } = request;
    lying.asked.push({ line: `${method} ${url}`, headers: request.headers });
    const found = lying.answers[`${method} ${url.split('?')[0]}`] ?? { status: 404, body: '{}' };
    const {
      status = 200,
      body,
      headers,
    } = typeof found === 'function' ? found(Buffer.concat(parts).toString()) : found;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    if (body === undefined) pour(response);
    else response.end(body);
  });
  const pour = (response: ServerResponse): void => {
    const block = Buffer.alloc(1_000_000, 0x20);
    const more = (): void => {
      while (!response.destroyed) {
        lying.sent += block.length;
        if (!response.write(block)) return void response.once('drain', more);
      }
    };
    response.on('error', () => undefined);
    more();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const lying: LyingServer = {
    url: `http://127.0.0.1:${port}`,
    asked: [],
    answers: {},
    sent: 0,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return lying;
}
