/** Runs dynalite in a thread of its own: it shares a machine of two cores with the state machines, not their event loop. */
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import dynalite from 'dynalite';
import { guarded } from '../access-key.ts';
import type { ThreadOptions } from './start-dynamodb.ts';

// dynalite throws out of the event handler when a client goes away in the middle of a request.
process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  if (error.code === 'ECONNRESET' || error.message === 'aborted') return;
  throw error;
});

const { directory, port, accessKey } = workerData as ThreadOptions;
const server = dynalite({
  ...(directory && { path: directory }),
  createTableMs: 0,
  deleteTableMs: 0,
  updateTableMs: 0,
});
server.keepAliveTimeout = 300_000;
if (accessKey !== undefined) {
  const [listener] = server.listeners('request') as RequestListener[];
  if (!listener) throw new Error('dynalite answers no requests');
  server.removeAllListeners('request').on('request', guarded(listener, accessKey));
}

function listen(wished: number): void {
  server.once('error', (error) => {
    if (wished === 0) throw error;
    listen(0);
  });
  server.listen(wished, '127.0.0.1', () => {
    server.removeAllListeners('error');
    parentPort?.postMessage({ port: (server.address() as AddressInfo).port });
  });
}

parentPort?.on('message', () => {
  // Closes the store too, after what is being written.
  server.close(() => parentPort?.close());
  server.closeAllConnections();
});

listen(port);
