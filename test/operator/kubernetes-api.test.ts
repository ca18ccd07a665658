/** Requests to an API server, against a server of this process. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { kubernetesApi } from '#operator/kubernetes-api.ts';
import { ListReader } from '#operator/list-reader.ts';

it('a watch without any answer ends after a time limit', async () => {
  const server = createServer(() => {});
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const kubernetes = kubernetesApi({ server: address, token: async () => 't', timeoutMs: 50 });
  onTestFinished(() => {
    kubernetes.close();
    server.closeAllConnections();
    server.close();
  });
  await expect(kubernetes.watch('/apis', {}, { happened: () => {}, silentMs: 50 })).rejects.toThrow('aborted');
});

it('a watch that is stopped while its answer ends is no error of the process', async () => {
  const server = createServer((_, response) => response.end('{"type":"BOOKMARK"}\n'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const kubernetes = kubernetesApi({ server: address, token: async () => 't', timeoutMs: 5_000 });
  const uncaught: unknown[] = [];
  const before = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => uncaught.push(error));
  onTestFinished(() => {
    process.removeAllListeners('uncaughtException');
    for (const listener of before) process.on('uncaughtException', listener);
    kubernetes.close();
    server.closeAllConnections();
    server.close();
  });
  const when = [
    (stop: () => void) => stop(),
    process.nextTick,
    queueMicrotask,
    setImmediate,
    (stop: () => void) => setTimeout(stop, 1),
  ];
  for (let round = 0; round < 20; round += 1)
    for (const later of when) {
      const watch = await kubernetes.watch('/apis', {}, { happened: () => {}, silentMs: 5_000 });
      later(() => watch.stop());
      await watch.ended;
      watch.stop();
    }
  await new Promise((done) => setTimeout(done, 20));
  expect(uncaught).toEqual([]);
});

it('a list that comes in pieces is read item by item, and is the same as if it had been parsed as a whole', () => {
  const tricky = { name: 'a "quoted" } ] { [ \\', items: [{ deep: [[{}], []] }], empty: {}, managed: null };
  const lists = [
    { kind: 'List', metadata: { items: [{ a: 1 }], resourceVersion: '7' }, items: [tricky, {}, { b: [tricky] }] },
    { items: [], metadata: { resourceVersion: '7' } },
    { metadata: { resourceVersion: '7' }, items: null },
    { versions: [{ items: 1 }], items: [tricky], names: ['items'] },
  ];
  for (const list of lists)
    for (const space of [0, 2])
      for (const size of [1, 2, 7, 10_000]) {
        const text = JSON.stringify(list, null, space);
        const reader = new ListReader((item) => item);
        for (let at = 0; at < text.length; at += size) reader.add(text.slice(at, at + size));
        expect(reader.end()).toEqual(list);
      }
});

it('a list that ends too early is no shorter list', () => {
  const text = JSON.stringify({ metadata: {}, items: [{ a: 1 }, { b: 2 }] });
  for (const length of [text.length - 1, text.length - 2, text.indexOf(',{'), text.indexOf('[') + 1]) {
    const reader = new ListReader((item) => item);
    reader.add(text.slice(0, length));
    expect(() => reader.end()).toThrow(SyntaxError);
  }
});
