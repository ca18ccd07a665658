/** The contract of `kubeone` for each who speaks as it on this machine; the part with a cluster is in test/hosts and test/real-kubernetes. */
import { join } from 'node:path';
import { partsAreThere } from '#local/kubernetes/available.ts';
import { kubeoneContract } from './kubeone-contract.ts';

const standIn = join(import.meta.dirname, '../../local/kubeone/bin/kubeone-1.13');

kubeoneContract({ name: 'the simulated control plane', program: standIn, env: { KUBELOOM_KUBERNETES: 'simulated' } });
if (partsAreThere())
  kubeoneContract({ name: 'the stand-in on kubeadm', program: standIn, env: { KUBELOOM_KUBERNETES: 'real' } });
if (process.env.KUBELOOM_KUBEONE)
  kubeoneContract({ name: 'an official KubeOne', program: process.env.KUBELOOM_KUBEONE, patient: true });
