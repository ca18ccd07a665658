/** Requests to hosts of others: each has a connection of its own. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { boundedRequest } from '#functions/adapters/bounded-request.ts';

let server: Server;
afterEach(() => server.close());

it('a connection that the host closed meanwhile is not used again: the next request is answered', async () => {
  const used = new Set<Socket>();
  server = createServer((request, response) => {
    // What a host does with a connection that rested too long: a function in AWS, or a busy machine, notices that too late.
    if (used.has(request.socket)) request.socket.resetAndDestroy();
    used.add(request.socket);
    response.end('fine');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = async () =>
    (await boundedRequest(`http://127.0.0.1:${port}/`, { timeoutMs: 60_000, mostBytes: 100 })).status;
  expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 200]);
  expect(used.size).toBe(3);
});
