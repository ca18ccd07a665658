/** A cluster, and a manifest, as the API describes them. */
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

/** Done, with one cluster. */
export const described = (changes: Partial<ManifestDescription> = {}): ManifestDescription => ({
  namespace: 'team',
  name: 'shop',
  generation: 1,
  attempt: 1,
  status: 'Done',
  deleting: false,
  paused: false,
  runId: 'shop-u1-g1-a1',
  createdAt: '',
  updatedAt: '',
  progress: null,
  document: {},
  simulated: [],
  lastRun: null,
  clusters: [cluster()],
  links: {},
  ...changes,
});
