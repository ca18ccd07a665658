/**
 * What is compared with what Kubeloom created, by whom, and what follows. The tables of docs/drift.md are made of it; a kind of finding, or a field
 * of a cluster, that is not in it does not compile.
 */
import type {
  ClusterState,
  DnsState,
  DynamicSource,
  LoadBalancerState,
  NodePoolState,
  NodeState,
  RoleState,
} from './cluster-state.ts';
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

interface ComparedFact {
  readonly fact: string;
  readonly by: string;
  readonly often: string;
  readonly follows: string;
}

const eachCheck = 'each check: `driftChecks.interval`, 6 h';
const eachPass = 'once a day';
const reminder = 'a day later, then every week';

/** Who compares each fact. */
export const comparedFacts = {
  machines: {
    fact: 'machines, their server type, image, disks and addresses, networks, firewalls, names',
    by: 'the check: Terraform',
    often: eachCheck,
    follows: '`machine`, `network`, `dns`, `stray`',
  },
  mesh: { fact: 'WireGuard peers and addresses, SSH', by: 'the check: SSH', often: eachCheck, follows: '`mesh`' },
  roles: { fact: 'roles of load balancers', by: 'the check: SSH', often: eachCheck, follows: '`traffic`' },
  health: {
    fact: 'health checks of machine groups, and their boot scripts by what those leave',
    by: 'the check: SSH',
    often: eachCheck,
    follows: '`health`; [healing](healing.md)',
  },
  nodes: {
    fact: 'which nodes Kubernetes has, whether they are ready, their version',
    by: 'the agent, and the check',
    often: 'a change at once; the check: as above',
    follows: '`node`, `unknown`, `version`; [healing](healing.md)',
  },
  metadata: {
    fact: 'labels, annotations, taints, provider ids',
    by: 'the check',
    often: eachCheck,
    follows: '`metadata`',
  },
  endpoint: {
    fact: 'the API endpoint, and the kubeconfig that Kubeloom keeps',
    by: 'the check',
    often: eachCheck,
    follows: '`node` (the API does not answer), `expiry`',
  },
  documents: { fact: 'documents in the cluster, storage', by: 'the check', often: eachCheck, follows: '`document`' },
  certificates: {
    fact: 'ends of certificates',
    by: 'the check; without one, the scheduler',
    often: eachCheck,
    follows: '`expiry`, the event `CertificatesEnd` every week',
  },
  requests: { fact: 'requests for serving certificates', by: 'the check', often: eachCheck, follows: '`certificate`' },
  templates: {
    fact: 'templates that a branch or tag names now',
    by: 'the scheduler',
    often: 'before each check',
    follows: '`TemplatesMoved`, or as `onTemplates` says',
  },
  plans: {
    fact: 'plans that wait for an approval',
    by: 'the scheduler',
    often: eachPass,
    follows: `the event \`PlanWaits\` ${reminder}`,
  },
  rollOuts: {
    fact: 'roll-outs that halted',
    by: 'the scheduler',
    often: eachPass,
    follows: `the event \`RollOutWaits\` ${reminder}`,
  },
  inventory: {
    fact: 'clusters that are behind their inventory',
    by: 'the scheduler',
    often: eachPass,
    follows: `the event \`BehindInventory\` ${reminder}`,
  },
  secrets: {
    fact: 'values of Secrets, also in a Vault',
    by: 'each stage and each check, which read them at their start',
    often: eachCheck,
    follows: 'new values are used; what a cloud refuses is unchecked (class `credentials`)',
  },
  proxy: {
    fact: 'the installation proxy on nodes',
    by: 'no one: each change that configures a node sets it',
    often: 'never',
    follows: 'nothing',
  },
  options: {
    fact: 'options of Kubernetes that KubeOne sets',
    by: 'no one: KubeOne applies them when it runs',
    often: 'never',
    follows: 'nothing',
  },
  limits: {
    fact: 'protection, limits of autoscaling and of replacements',
    by: 'no one: only Kubeloom has them',
    often: 'never',
    follows: 'nothing',
  },
} as const satisfies Record<string, ComparedFact>;
type FactName = keyof typeof comparedFacts;

/** `identity`: it says what the rest is about. `parts`: its fields have rows of their own. */
type Comparison = FactName | 'identity' | 'parts';

/** Every field of the state of a cluster. */
export const comparedFields = {
  cluster: {
    id: 'identity',
    name: 'identity',
    kubernetesVersion: 'nodes',
    network: 'mesh',
    meshless: 'mesh',
    apiEndpoint: 'endpoint',
    apiPortOpen: 'machines',
    installationProxy: 'proxy',
    kubernetesOptions: 'options',
    storage: 'documents',
    documents: 'documents',
    pools: 'parts',
    loadBalancers: 'parts',
    protect: 'limits',
  },
  pool: {
    id: 'identity',
    name: 'identity',
    role: 'metadata',
    source: 'parts',
    sshPort: 'mesh',
    autoscaler: 'limits',
    labels: 'metadata',
    annotations: 'metadata',
    taints: 'metadata',
    nodes: 'parts',
    protect: 'limits',
    boot: 'health',
    bootAtOnce: 'limits',
    openPorts: 'machines',
    replaceAtOnce: 'limits',
    resizeInPlace: 'limits',
    resizeAtOnce: 'limits',
    health: 'health',
  },
  source: {
    kind: 'identity',
    provider: 'machines',
    region: 'machines',
    zone: 'machines',
    externalNetworkName: 'machines',
    serverType: 'machines',
    image: 'machines',
    storageDiskSize: 'machines',
    machineSpec: 'machines',
    properties: 'machines',
    spot: 'machines',
    subnet: 'machines',
  },
  node: { name: 'nodes', privateAddress: 'mesh', static: 'mesh', serverType: 'machines' },
  loadBalancer: { id: 'identity', name: 'identity', roles: 'parts', dns: 'parts', pools: 'parts' },
  role: {
    name: 'identity',
    protocol: 'roles',
    port: 'roles',
    targetPort: 'roles',
    targetPools: 'roles',
    proxyProtocol: 'roles',
    stickySessions: 'roles',
    servesApi: 'roles',
  },
  dns: { zone: 'machines', provider: 'machines', hostname: 'machines', alternativeNames: 'machines' },
} as const satisfies {
  readonly cluster: Record<keyof ClusterState, Comparison>;
  readonly pool: Record<keyof NodePoolState, Comparison>;
  readonly source: Record<keyof DynamicSource, Comparison>;
  readonly node: Record<keyof NodeState, Comparison>;
  readonly loadBalancer: Record<keyof LoadBalancerState, Comparison>;
  readonly role: Record<keyof RoleState, Comparison>;
  readonly dns: Record<keyof DnsState, Comparison>;
};
