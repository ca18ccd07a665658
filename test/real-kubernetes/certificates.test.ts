/** Serving certificates of kubelets on a real kube-apiserver, which authenticates who asks. */
import { afterAll, beforeAll } from 'vitest';
import { certificatesContract } from '#test/kubernetes/certificates-contract.ts';
import { BareApiServer } from './bare-api-server.ts';

let server: BareApiServer;
beforeAll(async () => {
  server = await BareApiServer.start();
});
afterAll(() => server?.stop());

certificatesContract(() => server);
