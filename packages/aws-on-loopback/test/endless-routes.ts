/** Routes of a thread under test: some never answer, each in a way that nothing inside of their thread can end. */
import { threadId } from 'node:worker_threads';
import type { GatewayRoute } from '../src/api-gateway/gateway-listener.ts';

let counted = 0;
const works: Readonly<Record<string, (body: string) => unknown>> = {
  echo: (body) => ({ body, thread: threadId }),
  loop: () => {
    for (;;) Math.random();
  },
  // Two loops over the same characters: some 2^60 steps.
  expression: () => /^(?:a|a)*$/.test(`${'a'.repeat(60)}!`),
  wait: () => new Promise(() => {}),
  memory: () => {
    const kept: object[] = [];
    for (;;) kept.push(Array.from({ length: 1000 }, () => ({})));
  },
  refuse: () => {
    throw Object.assign(new Error('not like this'), { name: 'Refused' });
  },
  exit: () => process.exit(3),
  count: () => {
    counted += 1;
    return { count: counted };
  },
};

export const routes: readonly GatewayRoute[] = [
  ...Object.entries(works).map(([operation, work]) => ({
    method: 'POST',
    path: `/v1/${operation}`,
    operation,
    handler: async ({ body }: { readonly body?: string }) => work(body ?? ''),
  })),
  { method: 'GET', path: '/v1/health', operation: 'health', anonymous: true, handler: async () => ({ status: 'ok' }) },
];
