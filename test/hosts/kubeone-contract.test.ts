/** The contract of `kubeone` with a cluster, for the simulated control plane. */
import { join } from 'node:path';
import { kubeoneClusterContract } from '#test/kubernetes/kubeone-cluster-contract.ts';

kubeoneClusterContract({
  name: 'the simulated control plane',
  program: join(import.meta.dirname, '../../local/kubeone/bin/kubeone-1.13'),
  env: { KUBELOOM_KUBERNETES: 'simulated' },
  kubernetes: 'simulated',
  versions: ['1.34.3', '1.34.4'],
});
