/** A cluster as the API describes it. */
import type { ManifestDescription } from '#contracts/api-bodies.ts';

export type Cluster = ManifestDescription['clusters'][number];

export const cluster = (changes: Partial<Cluster> = {}): Cluster => ({
  cluster: 'one-abc1234',
  name: 'one',
  status: 'Converged',
  kubernetesVersion: '1.36.0',
  network: '10.0.0.0/24',
  apiEndpoint: null,
  progress: null,
  nodes: [],
  loadBalancers: [],
  failure: null,
  heldPools: [],
  demand: null,
  drift: null,
  simulated: [],
  kubeconfigPath: null,
  ...changes,
});
