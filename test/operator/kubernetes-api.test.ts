/** Requests to an API server, against a server of this process. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { kubernetesApi } from '#operator/kubernetes-api.ts';

it('a watch that gets no answer at all is given up', async () => {
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
