/** The Ansible inventory of a stage, as data; `templates/ansible/README.md` is its contract. */
import {
  allNodes,
  type ClusterFacts,
  type ClusterState,
  type LoadBalancerState,
  type NodePoolState,
  type NodeState,
} from '#domain/cluster-state.ts';
import { wireguardPort } from '#domain/manifest/schema/load-balancers.ts';
import { balancerFilesOf } from './balancer-files.ts';
import { healthLines } from './health-lines.ts';
import { hostFirewallOf } from './host-firewall.ts';
import { apiAddress, apiNames } from './kubeone-manifest.ts';
import { proxySettings } from './no-proxy.ts';
import { publicAddressOf, siteOf, sshKeyFileOf, sshPortOf, sshUserOf } from './node-access.ts';

/** Names of the nodes that get each kind of work, and of the load balancers whose nodes are balanced. */
export interface InventoryWork {
  readonly install: readonly string[];
  readonly peers: readonly string[];
  readonly proxy: readonly string[];
  readonly uninstall: readonly string[];
  readonly loadBalancers: readonly string[];
  /** Kubernetes nodes that learn another API endpoint. @default none */
  readonly endpoint?: readonly string[] | undefined;
  /** Machines that run the boot script of their group. @default none */
  readonly boot?: readonly string[] | undefined;
  /** Machines that restarted with another server type. @default none */
  readonly restarted?: readonly string[] | undefined;
  /** Machines whose data disk was made larger. @default none */
  readonly disks?: readonly string[] | undefined;
  /** Machines whose health checks are asked. @default none */
  readonly health?: readonly string[] | undefined;
}

export interface InventoryInput {
  /** What the nodes converge to; null when the cluster goes away. */
  readonly target: ClusterState | null;
  /** States in which nodes that leave are found. */
  readonly others: readonly ClusterState[];
  readonly facts: ClusterFacts;
  readonly work: InventoryWork;
  /** Absolute path of the directory with the SSH key files. */
  readonly keyDirectory: string;
  /** Hosts that were the API endpoint before, for nodes that learn another. @default none */
  readonly oldEndpoints?: readonly string[];
  /** Networks from which the runner and people may use SSH. */
  readonly adminCidrs: readonly string[];
  /** Nodes that fail nothing when they do not answer. @default none */
  readonly optional?: ReadonlySet<string>;
  /** Nodes that are neither visited nor in the mesh: nothing is known of them yet that others could use. @default none */
  readonly without?: ReadonlySet<string>;
}

type HostVariables = Readonly<Record<string, unknown>>;
type Group = { readonly hosts: Readonly<Record<string, HostVariables>> };

export interface AnsibleInventory {
  readonly all: {
    readonly vars: Readonly<Record<string, unknown>>;
    readonly children: Readonly<Record<string, Group>>;
  };
}

export interface VisitedNode {
  readonly node: NodeState;
  readonly pool: NodePoolState;
  readonly loadBalancer?: string;
}

/** The nodes that an inventory visits, in the order of the states. Names that no state knows are left out. */
export function visitedNodes({
  target,
  others,
  work,
  without,
}: Pick<InventoryInput, 'target' | 'others' | 'work' | 'without'>): readonly VisitedNode[] {
  const leaving = new Set(work.uninstall);
  const { endpoint = [], boot = [], restarted = [], disks = [], health = [] } = work;
  const more = [...endpoint, ...boot, ...restarted, ...disks, ...health];
  const staying = new Set([...work.install, ...work.peers, ...work.proxy, ...more]);
  const rolling = balancersOfRolling(target, work);
  const found = new Map<string, VisitedNode>();
  for (const candidate of nodesOf(target)) {
    if (without?.has(candidate.node.name)) continue;
    const balanced = candidate.balancer !== undefined && isNamed(candidate.balancer, work.loadBalancers);
    const sends = candidate.balancer !== undefined && rolling.has(candidate.balancer.name);
    if (staying.has(candidate.node.name) || balanced || sends) found.set(candidate.node.name, visited(candidate));
  }
  for (const candidate of others.flatMap(nodesOf)) {
    const { name } = candidate.node;
    if (leaving.has(name) && !found.has(name)) found.set(name, visited(candidate));
  }
  return [...found.values()];
}

/** Renders it. Throws `InternalFault` when a node of the mesh or one to visit has no known address. */
export function renderInventory(input: InventoryInput): AnsibleInventory {
  const { target, facts, work } = input;
  const visits = visitedNodes(input);
  const hosts = new Map(visits.map((visit) => [visit.node.name, hostVariables(visit, input)]));
  const group = (belongs: (visit: VisitedNode) => boolean): Group => ({
    hosts: Object.fromEntries(visits.filter(belongs).map(({ node }) => [node.name, {}])),
  });
  const kind = (role: NodePoolState['role']): Group => ({
    hosts: Object.fromEntries(
      visits.filter(({ pool }) => pool.role === role).map(({ node }) => [node.name, hosts.get(node.name) ?? {}]),
    ),
  });
  const named = (names: readonly string[]) => group(({ node }) => names.includes(node.name));
  return {
    all: {
      vars: {
        ...(target === null ? {} : { kubeloom_network: target.network }),
        ...(target?.meshless && { kubeloom_meshless: true }),
        kubeloom_mesh: target === null || target.meshless ? [] : mesh(target, facts, input.without),
        kubeloom_proxy: proxyOf(target, facts),
        ...(target === null || (work.endpoint ?? []).length === 0
          ? {}
          : {
              kubeloom_endpoint: {
                ...apiAddress(target, facts),
                names: apiNames(target, facts),
                old: input.oldEndpoints ?? [],
              },
            }),
        ...((work.boot ?? []).length > 0 && { kubeloom_boot_at_once: bootAtOnce(visits, work) }),
      },
      children: {
        control: kind('control'),
        compute: kind('compute'),
        loadbalancers: kind('loadBalancer'),
        machines: kind('machine'),
        dynamic: group(({ node }) => node.static === undefined),
        static: group(({ node }) => node.static !== undefined),
        install: named(work.install),
        peers: named(work.peers),
        unkeyed: group(({ node }) => isUnkeyed(node.name, input)),
        proxy: named(work.proxy),
        uninstall: named(work.uninstall),
        endpoint: named(work.endpoint ?? []),
        boot: named(work.boot ?? []),
        health: named(work.health ?? []),
        disks: named(work.disks ?? []),
        // Machines with a new boot script are checked after it: its checks may need the new one.
        awaited: named([...work.install, ...(work.restarted ?? []).filter((name) => !rolls(name, work))]),
        optional: group(({ node }) => input.optional?.has(node.name) === true),
        balance: group((visit) => balancerOf(visit, input) !== undefined),
      },
    },
  };
}

/** It reports its key before lists of peers are written; new nodes do so anyway. */
function isUnkeyed(name: string, { target, work, facts }: InventoryInput): boolean {
  const known = target === null || target.meshless || facts.nodes[name]?.wireguardPublicKey !== undefined;
  return !known && work.peers.includes(name) && !work.install.includes(name);
}

/** Machines that stay and run another script at once: those of all groups have to agree. */
function bootAtOnce(visits: readonly VisitedNode[], { boot = [], install }: InventoryWork): number {
  const existing = visits.filter(({ node }) => boot.includes(node.name) && !install.includes(node.name));
  return Math.min(...existing.map(({ pool }) => pool.bootAtOnce ?? 1), 255);
}

/** They stop sending a machine traffic while its boot script runs. */
function balancersOfRolling(target: ClusterState | null, work: InventoryWork): ReadonlySet<string> {
  const pools = (target?.pools ?? []).filter(({ nodes }) => nodes.some(({ name }) => rolls(name, work)));
  const targeted = new Set(pools.map(({ name }) => name));
  const balancers = (target?.loadBalancers ?? []).filter(({ roles }) =>
    roles.some(({ targetPools }) => targetPools.some((name) => targeted.has(name))),
  );
  return new Set(balancers.map(({ name }) => name));
}

/** It serves while its boot script runs: load balancers send it nothing meanwhile. */
function rolls(name: string, { boot = [], install }: InventoryWork): boolean {
  return boot.includes(name) && !install.includes(name);
}

/** Load balancers that send a machine traffic, with the names under which haproxy has it. */
function balancersOf(target: ClusterState, { node, pool }: VisitedNode): readonly Readonly<Record<string, string>>[] {
  return target.loadBalancers.flatMap(({ roles, pools }) => {
    const servers = roles
      .filter(({ protocol, targetPools }) => protocol === 'tcp' && targetPools.includes(pool.name))
      .map(({ name }) => `role-${name}/${node.name}`);
    if (servers.length === 0) return [];
    return pools.flatMap(({ nodes }) => nodes.map(({ name }) => ({ host: name, servers: servers.join(' ') })));
  });
}

type Candidate = { readonly node: NodeState; readonly pool: NodePoolState; readonly balancer?: LoadBalancerState };

function nodesOf(state: ClusterState | null): readonly Candidate[] {
  if (state === null) return [];
  return [
    ...state.pools.flatMap((pool) => pool.nodes.map((node) => ({ node, pool }))),
    ...state.loadBalancers.flatMap((balancer) =>
      balancer.pools.flatMap((pool) => pool.nodes.map((node) => ({ node, pool, balancer }))),
    ),
  ];
}

function visited({ node, pool, balancer }: Candidate): VisitedNode {
  return { node, pool, ...(balancer === undefined ? {} : { loadBalancer: balancer.name }) };
}

/** The load balancer whose roles it gets; undefined: it gets none. */
function balancerOf(
  { loadBalancer }: VisitedNode,
  { target, work }: Pick<InventoryInput, 'target' | 'work'>,
): LoadBalancerState | undefined {
  return target?.loadBalancers.find((one) => one.name === loadBalancer && isNamed(one, work.loadBalancers));
}

function isNamed(balancer: LoadBalancerState, names: readonly string[]): boolean {
  return names.includes(balancer.name) || names.includes(balancer.id);
}

function hostVariables(
  visit: VisitedNode,
  { target, facts, keyDirectory, adminCidrs, work }: InventoryInput,
): HostVariables {
  const { node, pool } = visit;
  const balancer = balancerOf(visit, { target, work });
  const dataDevice = facts.nodes[node.name]?.dataDevice;
  const site = siteOf(visit, facts);
  const firewall = target === null ? undefined : hostFirewallOf(visit, { state: target, facts, adminCidrs });
  return {
    ansible_host: publicAddressOf(node, facts),
    ansible_port: sshPortOf(node, pool, facts),
    ansible_user: sshUserOf(node),
    ansible_ssh_private_key_file: sshKeyFileOf(node, pool, keyDirectory),
    // Without a mesh a machine asks what runs on it under the address that each has.
    kubeloom_private_address: target?.meshless ? '127.0.0.1' : node.privateAddress,
    // On the machine itself; facts have the port that its provider maps to this one.
    kubeloom_wireguard_port: wireguardPort,
    ...(site === undefined ? {} : { kubeloom_site: site }),
    ...(balancer && target && { kubeloom_balancer: balancerFilesOf(target, balancer, node) }),
    ...(dataDevice === undefined ? {} : { kubeloom_data_device: dataDevice }),
    ...(work.disks?.includes(node.name) &&
      pool.source.kind === 'dynamic' && { kubeloom_data_size: pool.source.storageDiskSize }),
    ...(firewall === undefined ? {} : { kubeloom_firewall: firewall }),
    ...(work.boot?.includes(node.name) &&
      pool.boot !== undefined && { kubeloom_boot: pool.boot, kubeloom_group: pool.name }),
    ...(rolls(node.name, work) && target && { kubeloom_balancers: balancersOf(target, visit) }),
    ...(work.health?.includes(node.name) && pool.health && { kubeloom_health: healthLines(pool.health) }),
  };
}

function mesh(
  state: ClusterState,
  facts: ClusterFacts,
  without: ReadonlySet<string> = new Set(),
): readonly Readonly<Record<string, string | number>>[] {
  const peers = allNodes(state).filter(({ node }) => !without.has(node.name));
  return peers.map(({ node, pool }) => {
    const known = facts.nodes[node.name];
    const site = siteOf({ node, pool }, facts);
    return {
      name: node.name,
      private_address: node.privateAddress,
      public_address: publicAddressOf(node, facts),
      port: known?.wireguardPort ?? wireguardPort,
      reachability: node.static === undefined ? 'dynamic' : 'static',
      ...(known?.local === undefined || site === undefined
        ? {}
        : { site, local_endpoint: `${known.local.address}:${wireguardPort}` }),
      ...(known?.wireguardPublicKey === undefined ? {} : { public_key: known.wireguardPublicKey }),
    };
  });
}

function proxyOf(target: ClusterState | null, facts: ClusterFacts): Readonly<Record<string, string | boolean>> {
  if (target === null) return { enabled: false, endpoint: '', no_proxy: '' };
  const { enabled, endpoint } = target.installationProxy;
  return { enabled, endpoint, no_proxy: proxySettings(target, facts).noProxy };
}
