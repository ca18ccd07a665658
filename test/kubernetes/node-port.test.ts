/** The stand-in for a workload that is reached through a NodePort. */
import { once } from 'node:events';
import { connect, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listenOnNodePort } from '#local/kubeone/node/node-port.ts';

let server: Server;
beforeAll(async () => {
  server = listenOnNodePort('127.0.0.1', 0, 'worker-1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
});

const get = 'GET / HTTP/1.1\r\nhost: shop\r\n\r\n';

test('a node port answers with the name of its node, and says that it is simulated', async () => {
  const answer = await send(get);
  expect(answer).toContain('x-simulated: workload');
  expect(answer).toMatch(/\r\nworker-1\n/);
});

test('a node port accepts a PROXY protocol line before a request', async () => {
  expect(await send(`PROXY TCP4 198.18.0.1 198.18.0.2 5000 80\r\n${get}`)).toMatch(/^HTTP\/1.1 200/);
});

test('a node port survives health checks that connect and close', async () => {
  expect(await send('')).toBe('');
  expect(await send('PROXY UNKNOWN\r\n')).toBe('');
  expect(await send(get)).toMatch(/^HTTP\/1.1 200/);
});

function send(text: string): Promise<string> {
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ host: '127.0.0.1', port }, () => socket.end(text));
    socket.on('data', (part) => {
      answer += part;
    });
    socket.on('close', () => resolve(answer)).on('error', reject);
  });
}
