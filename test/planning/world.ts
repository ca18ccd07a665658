/** A small model of the world: what stages leave behind when they do exactly the work that their plan names. */
import { allNodes, allPools, type ClusterState, servesApiOnNodes } from '#domain/cluster-state.ts';
import type { StagePlan } from '#domain/plan.ts';
import { nodeLabels, nodeTaints } from '#domain/planning/desired/node-metadata.ts';
import { roleTargets } from '#domain/planning/states/role-targets.ts';

export interface World {
  /** By provider instance. */
  readonly machines: Map<string, string>;
  /** By load balancer id. */
  readonly names: Map<string, string>;
  /** Mesh as each node knows it. */
  readonly peers: Map<string, string>;
  readonly proxy: Map<string, string>;
  /** By load balancer name. */
  readonly routes: Map<string, string>;
  /** Labels and taints of nodes that are in Kubernetes. */
  readonly nodes: Map<string, string>;
  /** What was applied, by name. */
  readonly documents: Map<string, string>;
  /** Drained and taken out of Kubernetes: cannot join again before the machine is recreated or cleaned. */
  readonly spent: Set<string>;
  version: string;
  /** API endpoint as each node of Kubernetes knows it. */
  readonly endpoint: Map<string, string>;
}

export function emptyWorld(): World {
  return {
    machines: new Map(),
    names: new Map(),
    peers: new Map(),
    proxy: new Map(),
    routes: new Map(),
    nodes: new Map(),
    documents: new Map(),
    spent: new Set(),
    version: '',
    endpoint: new Map(),
  };
}

/** The world in which a state exists, and nothing else. */
export function worldOf(state: ClusterState | null): World {
  const world = emptyWorld();
  if (state === null) return world;
  for (const [name, view] of machinesOf(state)) world.machines.set(name, view);
  for (const { id, name } of state.loadBalancers) {
    world.names.set(id, namesOf(state, id));
    world.routes.set(name, routesOf(state, name));
  }
  for (const { node, pool } of allNodes(state)) {
    world.peers.set(node.name, meshOf(state));
    world.proxy.set(node.name, proxyOf(state));
    if (pool.role === 'loadBalancer') continue;
    world.nodes.set(node.name, metadataOf(state, node.name));
    world.endpoint.set(node.name, endpointOf(state));
  }
  for (const document of state.documents ?? []) world.documents.set(document.name, JSON.stringify(document));
  world.version = state.kubernetesVersion;
  return world;
}

/** Does what a stage has to do towards a state; nothing more. */
export function act(world: World, plan: StagePlan, target: ClusterState | null): void {
  switch (plan.stage) {
    case 'infrastructure':
      for (const { kind, name, destroy } of plan.work.workspaces) {
        const kept = kind === 'machines' ? world.machines : world.names;
        const view =
          target === null ? undefined : kind === 'machines' ? machinesOf(target).get(name) : namesOf(target, name);
        if (destroy !== !view) throw new Error(`workspace ${name} is to be ${destroy ? 'destroyed' : 'kept'}`);
        if (kind === 'machines') renew(world, target);
        if (target !== null) noMemberLost(world, target);
        if (view) kept.set(name, view);
        else kept.delete(name);
      }
      return;
    case 'configuration': {
      const { install, peers, uninstall, loadBalancers, proxy, endpoint = [] } = plan.work;
      for (const name of uninstall) forget(world, name);
      if (target === null) return;
      for (const name of [...install, ...peers]) world.peers.set(name, meshOf(target));
      for (const name of [...install, ...proxy]) world.proxy.set(name, proxyOf(target));
      for (const name of loadBalancers) world.routes.set(name, routesOf(target, name));
      for (const name of endpoint) world.endpoint.set(name, endpointOf(target));
      return;
    }
    case 'kubernetes':
      if (target === null || plan.work.action === 'reset') return;
      if (world.version !== '' && world.version > target.kubernetesVersion) throw new Error('Kubernetes would go back');
      world.version = target.kubernetesVersion;
      for (const { node, pool } of allNodes(target)) {
        if (pool.role === 'loadBalancer' || world.nodes.has(node.name)) continue;
        if (!world.peers.has(node.name)) throw new Error(`${node.name} joins before it is in the mesh`);
        if (world.spent.has(node.name)) throw new Error(`${node.name} joins again without having been recreated`);
        world.nodes.set(node.name, 'joined');
        world.endpoint.set(node.name, endpointOf(target));
      }
      return;
    case 'nodes':
      for (const name of plan.work.remove) {
        if (world.nodes.delete(name)) world.spent.add(name);
      }
      if (target === null) return;
      for (const name of plan.work.patch) world.nodes.set(name, metadataOf(target, name));
      for (const { name } of plan.work.documents ?? []) {
        const document = target.documents?.find((candidate) => candidate.name === name);
        if (document === undefined) throw new Error(`the documents ${name} are applied and are not in the target`);
        world.documents.set(name, JSON.stringify(document));
      }
      for (const name of plan.work.documentsRemoved ?? []) world.documents.delete(name);
      return;
    case 'traffic':
      if (target !== null) for (const name of plan.work.loadBalancers) world.routes.set(name, routesOf(target, name));
      return;
    default:
      plan satisfies never;
  }
}

/** Forgets what belonged to machines that are gone: what is in no possible state does not count. */
export function settled(world: World, state: ClusterState | null): World {
  const nodes = new Set(state === null ? [] : allNodes(state).map(({ node }) => node.name));
  const balancers = new Set(state?.loadBalancers.map((loadBalancer) => loadBalancer.name));
  for (const name of world.peers.keys()) if (!nodes.has(name) && !isStatic(name)) forget(world, name);
  for (const name of world.routes.keys()) if (!balancers.has(name)) world.routes.delete(name);
  if (state === null) {
    world.version = '';
    world.nodes.clear();
    world.documents.clear();
    world.spent.clear();
  }
  return world;
}

/** Static machines stay: what is on them must be cleaned, it does not disappear. */
function isStatic(name: string): boolean {
  return /^s\d-\w\w$/.test(name);
}

/** A machine goes only after its node was drained and taken out of Kubernetes, and out of etcd with it. */
function noMemberLost(world: World, target: ClusterState): void {
  const desired = new Set(allNodes(target).map(({ node }) => node.name));
  const lost = [...world.nodes.keys()].filter((name) => !desired.has(name));
  if (lost.length > 0) throw new Error(`${lost.join(', ')} would be removed while still in Kubernetes`);
}

/** Machines that are not desired are gone once Terraform has run; static ones are not machines of ours. */
function renew(world: World, target: ClusterState | null): void {
  const desired = new Set(target === null ? [] : allNodes(target).map(({ node }) => node.name));
  for (const name of world.spent) if (!desired.has(name) && !isStatic(name)) world.spent.delete(name);
}

function forget(world: World, name: string): void {
  world.spent.delete(name);
  world.peers.delete(name);
  world.proxy.delete(name);
  world.endpoint.delete(name);
}

function machinesOf(state: ClusterState): ReadonlyMap<string, string> {
  const views = new Map<string, string[]>();
  const ports = new Map(
    state.loadBalancers.flatMap(({ pools, roles }) =>
      pools.map((pool) => [pool.id, roles.map((role) => `${role.port}${role.protocol}`).sort()] as const),
    ),
  );
  for (const pool of allPools(state)) {
    if (pool.source.kind === 'static') continue;
    const { name, templates } = pool.source.provider;
    const open = pool.role === 'control' && servesApiOnNodes(state);
    const nodes = pool.nodes.map((node) => node.name).sort();
    views.set(name, [
      ...(views.get(name) ?? []),
      JSON.stringify([pool.id, nodes, templates, open, ports.get(pool.id)]),
    ]);
  }
  return new Map([...views].map(([name, view]) => [name, view.sort().join()]));
}

function namesOf(state: ClusterState, id: string): string {
  const balancer = state.loadBalancers.find((candidate) => candidate.id === id);
  if (balancer === undefined) return '';
  const { hostname, zone, provider } = balancer.dns;
  const nodes = balancer.pools.flatMap((pool) => pool.nodes.map((node) => node.name)).sort();
  return JSON.stringify([hostname, zone, provider.name, nodes]);
}

function routesOf(state: ClusterState, name: string): string {
  const balancer = state.loadBalancers.find((candidate) => candidate.name === name);
  const roles = balancer?.roles.map((role) => [
    role.name,
    role.protocol,
    role.port,
    role.targetPort,
    role.stickySessions,
    roleTargets(state, role)
      .map((node) => node.name)
      .sort(),
  ]);
  return JSON.stringify(roles?.map((role) => JSON.stringify(role)).sort());
}

function meshOf(state: ClusterState): string {
  return allNodes(state)
    .map(({ node }) => `${node.name}=${node.privateAddress}`)
    .sort()
    .join();
}

function proxyOf(state: ClusterState): string {
  const { enabled, endpoint, noProxy } = state.installationProxy;
  return enabled ? [endpoint, ...noProxy].join() : 'off';
}

function metadataOf(state: ClusterState, name: string): string {
  const found = allNodes(state).find(({ node }) => node.name === name);
  if (found === undefined) throw new Error(`${name} is patched and is no node of the target`);
  const labels = Object.entries(nodeLabels(found.pool, found.node)).sort();
  return JSON.stringify([labels, nodeTaints(found.pool, found.node)]);
}

function endpointOf(state: ClusterState): string {
  const { apiEndpoint } = state;
  if (apiEndpoint.kind === 'none') return '';
  if (apiEndpoint.kind === 'node') return apiEndpoint.node;
  const dns = state.loadBalancers.find((candidate) => candidate.name === apiEndpoint.loadBalancer)?.dns;
  return `${dns?.hostname}.${dns?.zone}`;
}
