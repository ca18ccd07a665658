/** Kinds of findings of a check: what differs, by what it is found, what a repair runs. A kind that is not in it does not compile. */
import type { DriftKind } from './drift.ts';

interface ComparedKind {
  readonly differs: string;
  readonly foundBy: string;
  readonly repair: string;
  /** File of `runner-images/runner/drift` that makes such findings. */
  readonly file: string;
}

/** Findings of a check, in the order of the table. */
export const comparedKinds = {
  machine: {
    differs: 'the machine of a node is gone or was changed',
    foundBy: '`terraform plan` of the provider instance, with a refresh',
    repair: 'Terraform, Ansible on that node, the list of peers on all nodes, KubeOne, kubectl',
    file: 'check-workspaces.ts',
  },
  network: {
    differs: 'networks or firewalls',
    foundBy: 'the same plan',
    repair: 'Terraform',
    file: 'check-workspaces.ts',
  },
  dns: {
    differs: 'the names of a load balancer',
    foundBy: 'the plan of its names',
    repair: 'Terraform',
    file: 'check-workspaces.ts',
  },
  mesh: {
    differs: 'peers that do not answer over WireGuard, and peers that do not belong to the cluster; nodes without SSH',
    foundBy: 'a script over SSH on every node (`templates/ansible/files/verify.sh`), twice',
    repair: 'Ansible: the list of peers of every node',
    file: 'check-mesh.ts',
  },
  proxy: {
    differs:
      'settings of the installation proxy on nodes: those that Kubeloom wrote are missing or changed, or are left of a proxy that was turned off; what others set is left alone',
    foundBy: 'the same visit, twice',
    repair: 'Ansible: the proxy settings of that node; services that run with others restart',
    file: 'check-mesh.ts',
  },
  traffic: {
    differs:
      'load balancers that do not run the configuration of their roles (haproxy is stopped, or its file was changed), or lack their UDP roles',
    foundBy: 'the same visit, twice',
    repair: 'Ansible: the roles of that load balancer',
    file: 'check-mesh.ts',
  },
  node: {
    differs: 'nodes that are missing in Kubernetes, that never joined it, or that are not ready',
    foundBy: '`kubectl get nodes`, twice, a minute apart; only what both find is reported',
    repair: 'Ansible on that node, KubeOne, kubectl',
    file: 'check-nodes.ts',
  },
  metadata: {
    differs: 'labels, annotations, taints and provider ids of nodes that Kubeloom sets; what others set is left alone',
    foundBy: 'the same listing, twice',
    repair: "kubectl: the same patch as in a change; a provider id that was set to another node's is only reported",
    file: 'node-metadata-items.ts',
  },
  unknown: {
    differs:
      'nodes that Kubernetes has and the cluster has not (only reported: someone may have joined a machine of their own)',
    foundBy: 'the same listing, twice',
    repair: 'nothing: Kubeloom never removes them',
    file: 'node-metadata-items.ts',
  },
  certificate: {
    differs:
      'kubelets that wait for a serving certificate; requests for one that must not be approved are reported as not repairable',
    foundBy: '`kubectl get csr`',
    repair: 'kubectl: those of nodes that Kubeloom made are approved',
    file: 'check-certificates.ts',
  },
  document: {
    differs:
      '[documents in the cluster](storage.md#documents-in-a-cluster): objects that are missing, or whose applied fields were changed; what they start does not work (only reported)',
    foundBy: 'a dry run of the apply',
    repair: 'kubectl: the documents are applied again',
    file: 'check-documents.ts',
  },
  health: {
    differs: 'machines of a [machine group](machine-groups.md#health-checks) whose health checks fail (only reported)',
    foundBy: 'the visit of `mesh`, twice',
    repair: 'nothing: healing decides',
    file: 'machine-health.ts',
  },
  stray: {
    differs:
      'machines with the tags of the cluster that neither Kubeloom nor Terraform knows, also doubles with the name of a node, where the [type can list](plugins.md#hooks); reported, put in [quarantine](plugins.md#hooks) or deleted, as `driftChecks.strays` says. Any change deletes local hosts that Terraform does not know and that are not in quarantine',
    foundBy: 'the hook `list` of the provider type; never when it fails, or when a state is empty',
    repair: 'stopped or deleted by id, where the type can',
    file: 'stray-items.ts',
  },
  version: {
    differs: 'kubelets of another version',
    foundBy: '`kubectl get nodes`, as for `node`',
    repair: 'KubeOne; never a downgrade',
    file: 'check-nodes.ts',
  },
  expiry: {
    differs:
      '[certificates](#certificates) that are due for renewal, kubelets that do not renew theirs, authorities in their last year',
    foundBy: 'the visit of `mesh`, and the kubeconfig that Kubeloom keeps',
    repair:
      '`kubeadm certs renew all` and a restart of the control plane, one control node after the other; the last two are only reported',
    file: 'machine-expiries.ts',
  },
} as const satisfies Record<DriftKind, ComparedKind>;
