/** A thread of functions: loads a module with `routes`, or with one `handler`, and serves calls. */
import { parentPort, workerData } from 'node:worker_threads';
import { contextOf, copyAsJson, type ServedFunction } from './lambda-host.ts';
import { type ThreadAnswer, type ThreadCall, turns } from './thread-calls.ts';

type Handler = ServedFunction['handler'];
const { routes = [], handler: only } = (await import(String(workerData))) as {
  readonly routes?: readonly ServedFunction[];
  readonly handler?: Handler;
};
const answer = (given: ThreadAnswer): void => parentPort?.postMessage(given);

/** A rejection that no one waits for is a fault, but not one of the call that is served now. */
process.on('unhandledRejection', (reason) =>
  process.stdout.write(
    `${JSON.stringify({ level: 'error', message: 'a promise was rejected', cause: String(reason) })}\n`,
  ),
);
parentPort?.on('message', async (asked: ThreadCall) => {
  if (asked === 'beat') return answer('beat');
  const { id, name, event, timeoutMs, turn } = asked;
  if (Atomics.compareExchange(turn, 0, turns.open, turns.started) !== turns.open) return;
  try {
    const handler = only ?? routes.find(({ operation }) => operation === name)?.handler;
    if (!handler) throw new Error(`there is no function ${name}`);
    const output = await handler(event as Parameters<Handler>[0], contextOf(name, timeoutMs));
    answer({ id, output: copyAsJson(output) });
  } catch (error) {
    const { name: kind, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
    answer({ id, thrown: { name: kind, message } });
  }
});
answer('loaded');
