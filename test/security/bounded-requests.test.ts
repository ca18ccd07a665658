/** The request that everything uses whose address a user names: its bounds, against servers of this process that respect none. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { boundedRequest } from '#adapters/bounded-request.ts';
import { askCloud } from '#runner/provider-check/ask.ts';

const bounds = { timeoutMs: 60_000, mostBytes: 1000 };

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('an answer has its status, headers and body, and the server gets what is sent', async () => {
  const url = await serve((request, response) => {
    response.setHeader('x-sent', `${request.method} ${request.headers['content-length']} ${request.headers['x-own']}`);
    response.writeHead(418).end('short');
  });
  const asked = { ...bounds, method: 'POST', headers: { 'x-own': 'yes' }, body: 'four' };
  const { status, headers, body } = await boundedRequest(url, asked);
  expect([status, headers['x-sent'], body.toString()]).toEqual([418, 'POST 4 yes', 'short']);
});

it('a body that comes in pieces without end is given up at the limit, and its connection is closed', async () => {
  let sent = 0;
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const url = await serve((_request, response) => {
    const send = () => {
      sent += 600;
      response.write('x'.repeat(600), () => setImmediate(() => response.destroyed || send()));
    };
    response.on('close', close);
    send();
  });
  await expect(boundedRequest(url, bounds)).rejects.toMatchObject({
    code: 'too large',
    message: 'its answer is larger than 1000 bytes',
  });
  await closed;
  expect(sent).toBeLessThan(100_000_000);
});

it('a small body that would be large when it is unpacked stays as it came', async () => {
  const packed = gzipSync('x'.repeat(100_000));
  const url = await serve((_request, response) => response.setHeader('content-encoding', 'gzip').end(packed));
  const { body } = await boundedRequest(url, bounds);
  expect(body).toEqual(packed);
});

it('a body that stops coming is given up when its time is over, as is a server that answers nothing', async () => {
  const stuck = await serve((_request, response) => response.write('x'));
  const silent = await serve(() => undefined);
  for (const url of [stuck, silent])
    await expect(boundedRequest(url, { ...bounds, timeoutMs: 200 })).rejects.toMatchObject({
      code: 'timeout',
      message: 'no answer within 0.2 s',
    });
});

it('an interrupted body is refused, not read as a shorter one', async () => {
  const url = await serve((_request, response) => {
    response.setHeader('content-length', '500');
    response.write('x', () => response.destroy());
  });
  await expect(boundedRequest(url, bounds)).rejects.toThrow();
});

it('a redirect is not followed, so that no token goes to another place', async () => {
  let visits = 0;
  const other = await serve((_request, response) => {
    visits += 1;
    response.end('{}');
  });
  const url = await serve((_request, response) => response.writeHead(307, { location: other }).end());
  expect((await boundedRequest(url, bounds)).status).toBe(307);
  expect((await askCloud(url, { headers: { 'x-auth-token': 'secret' } })).status).toBe(307);
  expect(visits).toBe(0);
});

it('a connection that was kept is not used where addresses are checked', async () => {
  const url = (await serve((_request, response) => response.end())).replace('127.0.0.1', 'localhost');
  await boundedRequest(url, bounds);
  const lookup = (_host: string, _options: object, done: (error: Error, address: string) => void) =>
    done(new Error('refused'), '');
  await expect(boundedRequest(url, { ...bounds, lookup })).rejects.toThrow('refused');
});
