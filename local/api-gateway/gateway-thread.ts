/** The API in a thread of its own: executions in the main thread do not delay readers. */
import { workerData } from 'node:worker_threads';
import type { GatewayRoute } from 'aws-on-loopback/api-gateway/gateway-listener.ts';
import { inThreads } from 'aws-on-loopback/api-gateway/routes-in-threads.ts';
import { functionThreads } from 'aws-on-loopback/lambda/function-threads.ts';
import { serveInThread } from 'aws-on-loopback/server/worker-thread.ts';
import type { HealthTrouble } from '../health.ts';
import { type GatewayThreadOptions, ownGateway, startGateway } from './start-gateway.ts';

await serveInThread(async (logger) => {
  // As in the main thread: a fault of one request must not take down the API.
  process.on('unhandledRejection', (reason) => logger.error('a promise was rejected', { cause: String(reason) }));
  const { routesModule, ...options } = workerData as GatewayThreadOptions;
  // A thread loads the same at the same time, and the first body does not wait for it.
  const threads = functionThreads({ module: routesModule, logger });
  const { routes } = (await import(routesModule)) as { readonly routes: readonly GatewayRoute[] };
  const gateway = await startGateway(inThreads(routes, threads, ownGateway.program), { ...options, logger });
  await threads.loaded;
  const close = async (): Promise<void> => {
    await gateway.close();
    await threads.close();
  };
  return { ...gateway, close, onOrder: (trouble) => gateway.report(trouble as HealthTrouble) };
});
