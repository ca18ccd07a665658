/** The API in a thread of its own: what executions do in the main thread does not keep a reader waiting. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Logger } from '../logger.ts';
import { listenOnLoopback } from '../loopback-server.ts';
import { authorizer } from './authorizer.ts';
import { type GatewayRoute, gatewayListener } from './gateway-listener.ts';
import type { GatewayThreadOptions, GatewayThreadReport } from './start-gateway.ts';

const { routesModule, access, port } = workerData as GatewayThreadOptions;
const report = (message: GatewayThreadReport): void => parentPort?.postMessage(message);
const tell =
  (level: keyof Logger): Logger['info'] =>
  (message, fields = {}) =>
    report({ kind: 'log', level, message, fields });
const logger: Logger = { info: tell('info'), warn: tell('warn'), error: tell('error') };

// As in the main thread: a fault of one request must not take down the API.
process.on('unhandledRejection', (reason) => logger.error('a promise was rejected', { cause: String(reason) }));

try {
  const { routes } = (await import(routesModule)) as { readonly routes: readonly GatewayRoute[] };
  // Else the first callers wait for it, all of them at once.
  await Promise.all(routes.map((route) => route.handler()));
  const listener = gatewayListener({ routes, authorize: authorizer({ ...access, logger }), logger });
  const server = await listenOnLoopback(listener, port);
  parentPort?.once('message', () => void server.close().then(() => parentPort?.close()));
  report({ kind: 'listening', url: server.url, port: server.port });
} catch (error) {
  report({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  parentPort?.close();
}
