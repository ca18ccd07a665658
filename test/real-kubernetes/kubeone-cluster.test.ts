/** What KubeOne does with a cluster: an official one in KUBELOOM_KUBEONE, or the one that was built here. */
import { builtKubeone } from '#local/kubernetes/available.ts';
import { kubeoneVersions } from '#local/kubernetes/parts.ts';
import { newest, patchBefore } from '#local/kubernetes/versions.ts';
import { kubeoneClusterContract } from '#test/kubernetes/kubeone-cluster-contract.ts';

const [version] = kubeoneVersions;
const official = process.env.KUBELOOM_KUBEONE;

kubeoneClusterContract({
  ...(official
    ? { name: 'an official KubeOne', program: official }
    : { name: `KubeOne ${version}`, program: builtKubeone(version) }),
  kubernetes: 'real',
  versions: [patchBefore, newest],
});
