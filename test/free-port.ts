/** Ports for programs that need a port number at start. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A port of loopback on which nothing listens. None that the kernel gives to connections (from 32768 on): one of another process could
 * take it before the program listens.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer().once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
