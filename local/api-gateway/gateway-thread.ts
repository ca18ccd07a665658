/** The API in a thread of its own: executions in the main thread do not delay readers. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Logger } from '../logger.ts';
import type { GatewayRoute } from './gateway-listener.ts';
import {
  type GatewayOrder,
  type GatewayThreadOptions,
  type GatewayThreadReport,
  startGateway,
} from './start-gateway.ts';

const { routesModule, access, port, directory } = workerData as GatewayThreadOptions;
const report = (message: GatewayThreadReport): void => parentPort?.postMessage(message);
const notify =
  (level: keyof Logger): Logger['info'] =>
  (message, fields = {}) =>
    report({ kind: 'log', level, message, fields });
const logger: Logger = { info: notify('info'), warn: notify('warn'), error: notify('error') };

// As in the main thread: a fault of one request must not take down the API.
process.on('unhandledRejection', (reason) => logger.error('a promise was rejected', { cause: String(reason) }));

try {
  const { routes } = (await import(routesModule)) as { readonly routes: readonly GatewayRoute[] };
  const gateway = await startGateway(routes, { access, port, logger, ...(directory !== undefined && { directory }) });
  parentPort?.on('message', (order: GatewayOrder) => {
    if (order !== 'close') gateway.report(order.trouble);
    else void gateway.close().then(() => parentPort?.close());
  });
  report({ kind: 'listening', url: gateway.url, port: gateway.port });
} catch (error) {
  report({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  parentPort?.close();
}
