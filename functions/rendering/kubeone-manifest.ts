/** `kubeone.yaml` of a cluster (v1beta2, the only version that KubeOne 1.12 to 1.14 accepts), complete: KubeOne converges any cluster on it. */
import { stringify } from 'yaml';
import type { ClusterFacts, ClusterState, NodePoolState, NodeState } from '#domain/cluster-state.ts';
import { cniOf, type KubernetesOptions } from '#domain/kubernetes-options.ts';
import { apiPort } from '#domain/manifest/schema/load-balancers.ts';
import { alternativeNamesOf } from './dns-names.ts';
import { noProxyList } from './no-proxy.ts';
import { publicAddressOf, sshKeyFileOf, sshPortOf, sshUserOf } from './node-access.ts';

export interface KubeOneInput {
  readonly state: ClusterState;
  readonly facts: ClusterFacts;
  /** Absolute path of the directory with the SSH key files. */
  readonly keyDirectory: string;
  /** Absolute path of the directory with the cluster's add-ons, where it has any. */
  readonly addonsDirectory?: string | undefined;
  /** Nodes that KubeOne is not given: they do not answer, and it would stop. @default none */
  readonly absent?: ReadonlySet<string>;
}

/** `wg0` has 1380; VXLAN needs 50 of them. */
const podMtu = 1330;

type Member = { readonly node: NodeState; readonly pool: NodePoolState };

/** Where clients find the Kubernetes API. */
export function apiAddress(state: ClusterState, facts: ClusterFacts): { readonly host: string; readonly port: number } {
  const { apiEndpoint } = state;
  if (apiEndpoint.kind === 'node') {
    const member = members(state, 'control').find(({ node }) => node.name === apiEndpoint.node);
    return { host: member === undefined ? '' : publicAddressOf(member.node, facts), port: apiPort };
  }
  if (apiEndpoint.kind === 'none') return { host: '', port: apiPort };
  const balancer = state.loadBalancers.find(
    ({ name, id }) => name === apiEndpoint.loadBalancer || id === apiEndpoint.loadBalancer,
  );
  const host =
    balancer === undefined
      ? ''
      : (facts.loadBalancers[balancer.name]?.endpoint ?? `${balancer.dns.hostname}.${balancer.dns.zone}`);
  return { host, port: balancer?.roles.find((role) => role.servesApi)?.port ?? apiPort };
}

/** Every name under which the API is asked for, the endpoint first: what certificates have to hold. */
export function apiNames(state: ClusterState, facts: ClusterFacts): readonly string[] {
  const { host } = apiAddress(state, facts);
  return [host, ...alternativeNames(state, facts, host)];
}

/** The control node from which KubeOne takes the kubeconfig. */
export function leaderOf(state: ClusterState, absent?: ReadonlySet<string>): string | undefined {
  if (state.apiEndpoint.kind === 'node') return state.apiEndpoint.node;
  return members(state, 'control').find(({ node }) => absent?.has(node.name) !== true)?.node.name;
}

/** Renders it. Throws `InternalFault` when a node has no known address. */
export function renderKubeOneManifest(input: KubeOneInput): string {
  const { state, facts, absent } = input;
  const given = ({ node }: Member) => absent?.has(node.name) !== true;
  const options = state.kubernetesOptions ?? {};
  const api = apiAddress(state, facts);
  const control = members(state, 'control').filter(given);
  const leader = leaderOf(state, absent);
  const manifest = {
    apiVersion: 'kubeone.k8c.io/v1beta2',
    kind: 'KubeOneCluster',
    name: state.name,
    versions: { kubernetes: state.kubernetesVersion },
    apiEndpoint: { ...api, alternativeNames: alternativeNames(state, facts, api.host) },
    cloudProvider: { none: {}, external: false },
    clusterNetwork: clusterNetworkOf(state),
    features: {
      coreDNS: { replicas: 2, deployPodDisruptionBudget: true },
      nodeLocalDNS: { deploy: options.nodeLocalDNS ?? true },
      metricsServer: { enable: options.metricsServer ?? true },
    },
    systemPackages: { configureRepositories: options.configureRepositories ?? true },
    ...registriesOf(options),
    ...addonsOf(input),
    ...(state.installationProxy.enabled ? { proxy: proxyOf(input) } : {}),
    controlPlane: {
      hosts: control.map((member) => ({
        ...host(member, input),
        isLeader: member.node.name === leader,
        taints: [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }],
      })),
    },
    staticWorkers: {
      hosts: members(state, 'compute')
        .filter(given)
        .map((member) => host(member, input)),
    },
    machineController: { deploy: false },
    operatingSystemManager: { deploy: false },
  };
  return stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** Cilium takes the place of kube-proxy; with other networks kubeadm installs it. */
function clusterNetworkOf(state: ClusterState): Readonly<Record<string, unknown>> {
  const cni = cniOf(state);
  switch (cni) {
    case 'cilium':
      return {
        kubeProxy: { skipInstallation: true },
        cni: { cilium: { enableHubble: true, kubeProxyReplacement: 'strict' } },
      };
    case 'canal':
      return { kubeProxy: { skipInstallation: false }, cni: { canal: { mtu: podMtu } } };
    case 'external':
      return { kubeProxy: { skipInstallation: false }, cni: { external: {} } };
    default:
      return cni satisfies never;
  }
}

function registriesOf({ registries }: KubernetesOptions): Readonly<Record<string, unknown>> {
  const { overwrite, insecure = false, mirrors = [] } = registries ?? {};
  const containerd = mirrors.map(({ registry, endpoints, skipTlsVerify }) => [
    registry,
    { mirrors: endpoints, ...(skipTlsVerify ? { tlsConfig: { insecureSkipVerify: true } } : {}) },
  ]);
  return {
    ...(overwrite === undefined
      ? {}
      : { registryConfiguration: { overwriteRegistry: overwrite, insecureRegistry: insecure } }),
    ...(mirrors.length === 0
      ? {}
      : { containerRuntime: { containerd: { registries: Object.fromEntries(containerd) } } }),
  };
}

/** Canal would take the device of the default route, past the mesh. */
function addonsOf({ state, addonsDirectory }: KubeOneInput): Readonly<Record<string, unknown>> {
  const canal = cniOf(state) === 'canal' ? [{ name: 'cni-canal', params: { IFACE: 'wg0' } }] : [];
  if (canal.length === 0 && addonsDirectory === undefined) return {};
  return {
    addons: {
      enable: true,
      ...(addonsDirectory === undefined ? {} : { path: addonsDirectory }),
      ...(canal.length === 0 ? {} : { addons: canal }),
    },
  };
}

function members(state: ClusterState, role: 'control' | 'compute'): readonly Member[] {
  return state.pools.filter((pool) => pool.role === role).flatMap((pool) => pool.nodes.map((node) => ({ node, pool })));
}

/**
 * Every other name under which the API may be asked for, so that certificates stay good when the endpoint moves:
 * the load balancer's alternative names and all control nodes.
 */
function alternativeNames(state: ClusterState, facts: ClusterFacts, host: string): readonly string[] {
  const balancers = state.loadBalancers.filter(({ roles }) => roles.some((role) => role.servesApi));
  const names = [
    ...balancers.flatMap((balancer) => [
      facts.loadBalancers[balancer.name]?.endpoint ?? `${balancer.dns.hostname}.${balancer.dns.zone}`,
      ...alternativeNamesOf(balancer, facts),
    ]),
    ...members(state, 'control').map(({ node }) => publicAddressOf(node, facts)),
  ];
  return [...new Set(names.map((name) => name.toLowerCase()))].filter((name) => name !== host.toLowerCase());
}

function host({ node, pool }: Member, { facts, keyDirectory }: KubeOneInput): Readonly<Record<string, unknown>> {
  return {
    hostname: node.name,
    publicAddress: publicAddressOf(node, facts),
    privateAddress: node.privateAddress,
    sshPort: sshPortOf(node, pool, facts),
    sshUsername: sshUserOf(node),
    sshPrivateKeyFile: sshKeyFileOf(node, pool, keyDirectory),
  };
}

function proxyOf({ state, facts }: KubeOneInput): Readonly<Record<string, string>> {
  const { endpoint } = state.installationProxy;
  return { http: endpoint, https: endpoint, noProxy: noProxyList(state, facts).join(',') };
}
