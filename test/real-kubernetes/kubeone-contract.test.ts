/** The contract of `kubeone` with a cluster of real Kubernetes: for the stand-in, or for an official KubeOne in KUBELOOM_KUBEONE. */
import { join } from 'node:path';
import { newest, patchBefore } from '#local/kubernetes/versions.ts';
import { kubeoneClusterContract } from '#test/kubernetes/kubeone-cluster-contract.ts';

const official = process.env.KUBELOOM_KUBEONE;

kubeoneClusterContract({
  ...(official
    ? { name: 'an official KubeOne', program: official }
    : {
        name: 'the stand-in on kubeadm',
        program: join(import.meta.dirname, '../../local/kubeone/bin/kubeone-1.13'),
        env: { KUBELOOM_KUBERNETES: 'real' },
      }),
  kubernetes: 'real',
  versions: [patchBefore, newest],
});
