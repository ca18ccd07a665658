/**
 * What is compared with what Kubeloom created, by whom, and what follows. A table of docs/drift.md is made of it; a field of a cluster that is not
 * in it does not compile.
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
import type { SecretUse } from './manifest/secrets/secret-uses.ts';
import type { ProviderTypeName } from './provider-types.ts';

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
  componentSecrets: {
    fact: 'values of Secrets that are in the cluster, those of [components](management-planes.md), also in a Vault',
    by: 'the check: a dry run with the values as they are now',
    often: eachCheck,
    follows: '`document`',
  },
  secrets: {
    fact: 'values of all other Secrets, also in a Vault: nothing of them is kept on machines, in clusters or in states, so none can be out of date',
    by: 'no one: each stage and each check reads them at its start',
    often: eachCheck,
    follows: 'new values are used; what a cloud refuses is unchecked (class `credentials`)',
  },
  proxy: {
    fact: 'the installation proxy on nodes',
    by: 'the check: SSH',
    often: eachCheck,
    follows: '`proxy`',
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

/** Every use of a Secret: what a new value of it makes out of date. */
export const comparedSecrets = {
  provider: 'secrets',
  ssh: 'secrets',
  git: 'secrets',
  vault: 'secrets',
  webhook: 'secrets',
  chat: 'secrets',
  component: 'componentSecrets',
} as const satisfies Record<Exclude<SecretUse, ProviderTypeName> | 'provider' | 'component', FactName>;
