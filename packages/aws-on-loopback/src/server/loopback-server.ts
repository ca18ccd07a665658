/** An HTTP server on 127.0.0.1, and nowhere else. */
import { createServer, type RequestListener, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export interface LoopbackServer {
  readonly url: string;
  readonly port: number;
  /** Stops listening, then cuts connections that are still open. */
  close(): Promise<void>;
}

/** Request line and headers, bytes. */
const maxHeaderSize = 32 * 1024;

/**
 * Listens on the port, or on any free one when the port is 0. `problemTypes`: beginning of the types of problems (RFC 9457) with which
 * requests are answered that are not HTTP.
 * Throws when the port is taken, naming it.
 */
export async function listenOnLoopback(
  listener: RequestListener,
  port = 0,
  problemTypes = 'urn:aws-on-loopback:error:',
): Promise<LoopbackServer> {
  // Longer than any client keeps an idle connection: else a request may meet a socket that is just being closed.
  const server = createServer({ keepAlive: true, noDelay: true, keepAliveTimeout: 300_000, maxHeaderSize }, listener);
  server.on('clientError', (error, socket) => refuse(error, socket, problemTypes));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`port ${port} of 127.0.0.1 is taken; stop what listens there or choose another port`)
          : error,
      ),
    );
    server.listen(port, '127.0.0.1', () => resolve());
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), 200).unref();
      }),
  };
}

/** The requested port when it is free, else any. Endpoints that keep their ports survive a restart of the platform. */
export async function listenNear(listener: RequestListener, port: number | undefined): Promise<LoopbackServer> {
  if (!port) return listenOnLoopback(listener);
  return listenOnLoopback(listener, port).catch(() => listenOnLoopback(listener));
}

/** Requests that are not HTTP, or too large, never reach a listener; they get an answer before the connection ends. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex, problemTypes: string): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const title = STATUS_CODES[status] ?? '';
  const detail =
    status === 431 ? `request line and headers exceed ${maxHeaderSize} bytes` : 'this is not an HTTP request';
  const code = 'InvalidInput';
  const body = JSON.stringify({ type: `${problemTypes}${code}`, title, status, detail, instance: '', code });
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
