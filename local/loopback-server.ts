/** An HTTP server on 127.0.0.1, and nowhere else. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LoopbackServer {
  readonly url: string;
  readonly port: number;
  /** Stops listening, then cuts connections that are still open. */
  close(): Promise<void>;
}

/**
 * Listens on the port, or on any free one when the port is 0.
 * Throws when the port is taken, naming it.
 */
export async function listenOnLoopback(listener: RequestListener, port = 0): Promise<LoopbackServer> {
  // Longer than any client keeps an idle connection: else a request may meet a socket that is just being closed.
  const server = createServer({ keepAlive: true, noDelay: true, keepAliveTimeout: 300_000 }, listener);
  server.on('clientError', (_error, socket) => socket.destroy());
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

/** The port wished for when it is free, else any. Endpoints that stay where they were survive a restart of the platform. */
export async function listenNear(listener: RequestListener, port: number | undefined): Promise<LoopbackServer> {
  if (!port) return listenOnLoopback(listener);
  return listenOnLoopback(listener, port).catch(() => listenOnLoopback(listener));
}
