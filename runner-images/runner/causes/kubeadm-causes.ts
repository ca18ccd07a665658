/** What kubeadm, the kubelet, containerd and etcd say on a machine. A part of the table of node-causes.ts. */
import type { CodedRow } from './cause-row.ts';

export const kubeadmRows: readonly CodedRow[] = [
  {
    class: 'user',
    code: 'MachineTooSmall',
    pattern: /\[ERROR (?:NumCPU|Mem)\]|number of available cpus|system ram .{0,60}less than/i,
    hint: 'The machine is too small for Kubernetes (a control node needs 2 CPUs and 1.7 GB): choose a larger server type.',
  },
  {
    class: 'conflict',
    code: 'NodesNotReady',
    retryable: false,
    pattern:
      /\[ERROR ControlPlaneNodesReady\]|notready control-?planes|nodes? .{1,200} (?:is|are) not (?:ready|running)|some nodes are not ready/i,
    hint: 'The named nodes are not ready, and nothing is changed before they are: bring them back (`journalctl -u kubelet` there), or replace them (`kubeloom replace`).',
  },
  {
    class: 'transient',
    code: 'UpgradeCheckFailed',
    pattern: /\[ERROR CreateJob\]|upgrade-health-check/i,
    hint: 'A pod that kubeadm starts before an upgrade did not end in time: `kubectl -n kube-system describe job` and its pod say why (image, scheduling, a webhook).',
  },
  {
    class: 'conflict',
    code: 'AddressInUse',
    pattern: /\[ERROR Port-\d+\]/,
    hint: 'Another program on this machine uses a port of Kubernetes, often one that an earlier cluster left: `ss -lntp` names it. Stop it, or `kubeadm reset -f` if nothing of that cluster is needed.',
  },
  {
    class: 'user',
    code: 'NodeNotClean',
    pattern:
      /\[ERROR (?:DirAvailable|FileAvailable)|already exists .{0,200}kubeadm reset|node with name .{1,200} and status "ready" already exists/i,
    hint: 'The machine has files of another Kubernetes cluster: if nothing of it is needed, run `kubeadm reset -f` there as root, then retry.',
  },
  {
    class: 'user',
    code: 'ImageMissing',
    pattern:
      /(?:failed to pull|pulling|pull access|failed to resolve reference).{0,400}(?:not found|manifest unknown|no matching manifest|denied|unauthorized)/i,
    hint: 'A registry does not have an image of this version for this machine, or refuses it: check the Kubernetes version and the registry mirror.',
  },
  {
    class: 'transient',
    code: 'ImageNotPulled',
    pattern:
      /\[ERROR ImagePull\]|failed to pull (?:and unpack )?image|failed to pull images|errimagepull|imagepullbackoff/i,
    hint: 'The machine could not pull an image. If it stays, check its way to the registry.',
  },
  {
    class: 'transient',
    code: 'RuntimeDown',
    pattern:
      /\[ERROR CRI\]|container runtime is not running|validate service connection|containerd\.sock|runtime\.v1\.runtimeservice|cri v1 runtime api is not implemented/i,
    hint: 'containerd does not answer on this machine: `journalctl -u containerd` says why.',
  },
  {
    class: 'user',
    code: 'VersionRefused',
    pattern:
      /\[ERROR (?:KubeletVersion|KubernetesVersion)\]|kubelet version .{0,200}(?:higher|lower|is not supported|is not supported by)|control plane version .{0,200}(?:too|supported)|only supports deploying clusters|version skew|minor versions? .{0,60}(?:older|newer|skew)|cannot .{0,40}downgrade|specified version .{0,200}(?:too high|too low|lower|higher)|only 1 minor version|that are too old|no kind .{1,100} is registered for version/i,
    hint: 'The versions of kubelet, kubeadm and control plane do not fit: Kubernetes is raised by one minor version at a time, on all nodes. Choose a Kubernetes version that `kubeloom validate` accepts, and replace a node that was left behind.',
  },
  {
    class: 'conflict',
    code: 'EtcdNotReady',
    pattern:
      /learner member which is in sync|rpc not supported for learner|too many learner members|re-configuration failed|leader changed|member .{0,60}is not started/i,
    hint: 'A member of etcd has not caught up yet. If it stays, see the log of etcd on the control nodes (disk and network too slow).',
  },
  {
    class: 'user',
    code: 'EtcdFull',
    pattern: /database space exceeded|mvcc: .{0,40}space|nospace/i,
    hint: 'The database of etcd is full: compact and defragment it on the control nodes (`etcdctl compact`, `etcdctl defrag`), disarm the alarm (`etcdctl alarm disarm`), then retry.',
  },
  {
    class: 'conflict',
    code: 'EtcdWithoutQuorum',
    retryable: false,
    pattern:
      /etcd cluster is not healthy|etcdserver: (?:no leader|unhealthy cluster|request timed out)|quorum|has no leader|unhealthy (?:control plane|etcd)|:2379.{0,100}(?:refused|timed out|deadline)|etcd .{0,100}(?:unhealthy|not healthy|unreachable)|member .{0,100}unhealthy/i,
    hint: 'etcd on the control nodes has no quorum or an unhealthy member: bring the control nodes back (`crictl ps -a --name etcd` and its log there), or replace a lost one with `kubeloom drift NAME --repair`. Kubeloom continues after a pause.',
  },
  {
    class: 'transient',
    code: 'KubeletDown',
    pattern:
      /kubelet is not healthy|kubelet isn't running|kubelet .{0,40}not (?:running|healthy)|:10248|tls bootstrap|kubelet-start: .{0,80}timed? ?out/i,
    hint: 'The kubelet does not start on this machine: `journalctl -u kubelet` says why.',
  },
  {
    class: 'transient',
    code: 'ControlPlaneDown',
    pattern:
      /couldn't initialize a kubernetes cluster|control plane .{0,60}(?:not (?:ready|healthy)|timed out)|wait-control-plane|(?:kube-apiserver|kube-scheduler|kube-controller-manager) (?:check failed|is not healthy)|static pod .{0,80}did not|could not find a jws signature|identity of the api server|cluster-info|failed to get (?:config map|node)|unable to fetch the kubeadm-config/i,
    hint: 'The control plane does not answer this machine: check the kubelet and the static pods of the control nodes (`crictl ps -a`), and the mesh between them.',
  },
  {
    class: 'user',
    code: 'PreflightRefused',
    pattern: /\[ERROR [\w.-]{1,100}\]/,
    hint: 'kubeadm refuses this machine; the message names the check and why. Correct that on the machine or in its image, then retry.',
  },
];
