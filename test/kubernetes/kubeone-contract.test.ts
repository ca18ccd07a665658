/** The contract of `kubeone` for the simulated control plane; for KubeOne, and with clusters, it is in test/real-kubernetes and test/hosts. */
import { join } from 'node:path';
import { kubeoneContract } from './kubeone-contract.ts';

kubeoneContract({
  name: 'the simulated control plane',
  program: join(import.meta.dirname, '../../local/kubeone/bin/kubeone-1.13'),
});
