/** A cloud on loopback: answers what a test says, by method and path, and remembers what it was asked. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CloudRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface CloudAnswer {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `GET /path` or, for a whole API at one address, `POST /`. */
export type Routes = Readonly<Record<string, (request: CloudRequest) => CloudAnswer>>;

export interface FakeCloud {
  readonly url: string;
  readonly asked: CloudRequest[];
  close(): void;
}

export async function fakeCloud(routes: Routes): Promise<FakeCloud> {
  const asked: CloudRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part);
    const { method = '', url: path = '', headers } = incoming;
    const request = { method, path, headers, body: Buffer.concat(parts).toString() };
    asked.push(request);
    const route = routes[`${method} ${path.split('?')[0]}`];
    const { status = 200, body, headers: more = {} } = route?.(request) ?? { status: 404, body: {} };
    const isText = typeof body === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/xml' : 'application/json', ...more });
    response.end(isText ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked, close: () => void server.close() };
}
