/** A thread of functions: loads a module with `routes`, or with one `handler`, and serves one call after the other. */
import { parentPort, workerData } from 'node:worker_threads';
import type { GatewayRoute } from '../api-gateway/gateway-listener.ts';
import type { ThreadAnswer, ThreadCall } from './function-threads.ts';
import { contextOf, copyAsJson } from './lambda-host.ts';

type Handler = GatewayRoute['handler'];
const { routes = [], handler: only } = (await import(String(workerData))) as {
  readonly routes?: readonly GatewayRoute[];
  readonly handler?: Handler;
};
const answer = (given: ThreadAnswer): void => parentPort?.postMessage(given);

/** A rejection that no one waits for is a fault, but not one of the call that is served now. */
process.on('unhandledRejection', (reason) =>
  process.stdout.write(
    `${JSON.stringify({ level: 'error', message: 'a promise was rejected', cause: String(reason) })}\n`,
  ),
);
parentPort?.on('message', async ({ name, event, timeoutMs }: ThreadCall) => {
  try {
    const handler = only ?? routes.find(({ operation }) => operation === name)?.handler;
    if (!handler) throw new Error(`there is no function ${name}`);
    const output = await handler(event as Parameters<Handler>[0], contextOf(name, timeoutMs));
    answer({ output: copyAsJson(output) });
  } catch (error) {
    const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
    answer({ thrown: { name, message } });
  }
});
answer({ loaded: true });
