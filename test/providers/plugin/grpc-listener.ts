/** As much of a gRPC server as Terraform's client needs: unary calls over HTTP/2 on a Unix socket. */
import { createServer, type Http2Session, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';

/** Answers a call; `connection` is the same object for all calls of one connection. */
export type UnaryMethod = (request: Uint8Array, connection: object) => Uint8Array;

export interface GrpcListener {
  readonly socket: string;
  close(): Promise<void>;
}

const ok = '0';
const internal = '13';
const unimplemented = '12';
const prefixLength = 5;

/** Listens; `methods` are by their path, `/package.Service/Method`. */
export async function listenGrpc(socket: string, methods: ReadonlyMap<string, UnaryMethod>): Promise<GrpcListener> {
  const server = createServer();
  const sessions = new Set<Http2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => session.destroy());
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => stream.destroy());
    answer(stream, headers, methods);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, resolve);
  });
  return {
    socket,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const session of sessions) session.destroy();
      }),
  };
}

function answer(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  methods: ReadonlyMap<string, UnaryMethod>,
): void {
  const method = methods.get(headers[':path'] ?? '');
  if (method === undefined) {
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': unimplemented },
      { endStream: true },
    );
    return;
  }
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => {
    const { status, message, body } = outcome(() =>
      method(Buffer.concat(chunks).subarray(prefixLength), stream.session ?? stream),
    );
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => {
      stream.sendTrailers({ 'grpc-status': status, ...(message && { 'grpc-message': encodeURIComponent(message) }) });
    });
    stream.end(body);
  });
}

function outcome(call: () => Uint8Array): { status: string; message?: string; body?: Buffer } {
  try {
    const message = call();
    const prefix = Buffer.alloc(prefixLength);
    prefix.writeUInt32BE(message.length, 1);
    return { status: ok, body: Buffer.concat([prefix, message]) };
  } catch (error) {
    return { status: internal, message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
