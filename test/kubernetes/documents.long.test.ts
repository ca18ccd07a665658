/** Documents in a cluster with a simulated control plane, by the real kubectl. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { documentsContract } from './documents-contract.ts';
import { SimulatedCluster } from './simulated-cluster.ts';

let cluster: SimulatedCluster;
beforeAll(async () => {
  cluster = await SimulatedCluster.start('first');
});
afterAll(() => cluster.stop());

documentsContract(() => ({
  kubectl: '/usr/bin/kubectl',
  kubeconfig: () => readFileSync(join(cluster.directory, 'first.conf'), 'utf8'),
}));
