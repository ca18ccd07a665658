/** What is asked of a platform from outside, and by the clock: its API, its metrics, its schedule. */
import type { LambdaHost } from 'aws-on-loopback/lambda/lambda-host.ts';
import { type Scheduler, startScheduler } from 'aws-on-loopback/scheduler/scheduler.ts';
import { type LoopbackServer, listenNear } from 'aws-on-loopback/server/loopback-server.ts';
import { type Gateway, startGateway, startGatewayThread } from '../api-gateway/start-gateway.ts';
import { metricsListener } from '../metrics/exposition.ts';
import { usersFile } from '../users.ts';
import { environmentOf, type Ground } from './ground.ts';
import type { Functions, StartedWork } from './work.ts';

/** The API: in a thread of its own where the platform lasts. */
export async function startApi(ground: Ground): Promise<Gateway> {
  const { product, directory, inMemory, oidc, apiPort: port, logger } = ground;
  const access = { token: directory.token, usersFile: usersFile(directory.path), ...(oidc && { oidc }) };
  const { routesModule, console = false } = product;
  const options = { access, port, console, logger, ...(!inMemory && { directory: directory.path }) };
  const api = await (routesModule === undefined || inMemory
    ? startGateway(await product.routes(), options)
    : startGatewayThread({
        ...options,
        routesModule: routesModule.url,
        environment: environmentOf(ground, routesModule.functionName),
      }));
  ground.onStop(() => api.close());
  return api;
}

export async function startMetrics(
  ground: Ground,
  { store, buildStore }: StartedWork,
  { measured }: Functions,
): Promise<LoopbackServer> {
  const { product, directory, logger } = ground;
  const numbers = () => ({ executions: store.counts(), builds: buildStore.all(), measured });
  const collect = async () => (await product.metrics?.(numbers())) ?? [];
  const metrics = await listenNear(metricsListener(collect, logger), directory.ports.metrics);
  ground.onStop(() => metrics.close());
  return metrics;
}

/** Calls a function of the product at a fixed rate; undefined if it has none. */
export function startTicks(
  ground: Ground,
  lambdas: LambdaHost,
  {
    functionName,
    seconds,
    atStart,
  }: { readonly functionName: string | undefined; readonly seconds: number; readonly atStart: boolean },
): Scheduler | undefined {
  if (functionName === undefined) return undefined;
  const scheduler = startScheduler({ lambdas, functionName, seconds, logger: ground.logger, atStart });
  ground.onStop(() => scheduler.stop());
  return scheduler;
}
