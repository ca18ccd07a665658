/** Documents in a cluster with a real kube-apiserver; nothing runs in it. */
import { afterAll, beforeAll } from 'vitest';
import { documentsContract } from '#test/kubernetes/documents-contract.ts';
import { BareApiServer } from './bare-api-server.ts';

let server: BareApiServer;
beforeAll(async () => {
  server = await BareApiServer.start();
});
afterAll(() => server?.stop());

documentsContract(() => server);
