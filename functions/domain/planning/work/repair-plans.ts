/** The stages that repair drift: only those that the found items need, on the desired state. */
import type { DocumentState } from '#domain/cluster-documents.ts';
import { allNodes, type ClusterState, hasKubernetes } from '#domain/cluster-state.ts';
import type { DriftItem, DriftKind, StrayAction } from '#domain/drift.ts';
import type { InfrastructureWork, StagePlan, Waypoint } from '#domain/plan.ts';
import { counted, listed } from '../../words.ts';
import { moveOffLostNode } from './lost-endpoint.ts';

/**
 * The waypoint from a state to the same state, forward-only; none when there is nothing to repair. One before it when the API endpoint is lost,
 * which moves it.
 */
export function repairWaypoints(
  current: ClusterState,
  items: readonly DriftItem[],
  strays: StrayAction = 'delete',
): readonly Waypoint[] {
  const move = moveOffLostNode(current, items);
  return [...(move === undefined ? [] : [move]), ...repairOf(move?.target ?? current, items, strays)];
}

function repairOf(target: ClusterState, items: readonly DriftItem[], strays: StrayAction): readonly Waypoint[] {
  const stages = items.length === 0 ? [] : [...repairPlans(target, items, strays)];
  if (stages.length === 0) return [];
  const found = items.map(({ message }) => message);
  return [{ direction: 'repair', target, changes: [{ kind: 'DriftRepaired', found }], stages, undo: [] }];
}

/** In the order they run; none when the found drift is no longer part of the state. */
export function repairPlans(
  state: ClusterState,
  items: readonly DriftItem[],
  strays: StrayAction = 'delete',
): readonly StagePlan[] {
  const broken = brokenParts(state, items, strays);
  return [infrastructure(broken), configuration(state, broken), ...kubernetes(state, broken), traffic(broken)].filter(
    ({ reasons }) => reasons.length > 0,
  );
}

interface BrokenParts {
  readonly kinds: ReadonlySet<DriftKind>;
  /** Names of nodes whose machine is recreated. */
  readonly machines: readonly string[];
  /** Nodes that are set up again: those, and nodes that are not ready. */
  readonly nodes: readonly string[];
  /** Nodes that get their labels, annotations and taints again. */
  readonly marked: readonly string[];
  /** Nodes whose proxy settings are set again. */
  readonly proxied: readonly string[];
  /** Control nodes whose certificates are renewed. */
  readonly expiring: readonly string[];
  /** Provider instances whose workspace is applied. */
  readonly providers: readonly string[];
  readonly strays: NonNullable<InfrastructureWork['strays']>;
  /** Ids of load balancers whose names are applied. */
  readonly names: readonly string[];
  /** Names of load balancers whose roles are set again. */
  readonly balancers: readonly string[];
  /** Documents that are applied again. */
  readonly documents: readonly DocumentState[];
}

function brokenParts(state: ClusterState, items: readonly DriftItem[], action: StrayAction): BrokenParts {
  const there = new Map(allNodes(state).map(({ node, pool }) => [node.name, pool]));
  const nodesOf = (...kinds: readonly DriftKind[]) =>
    unique(items.flatMap(({ kind, where }) => (kinds.includes(kind) && where.node ? [where.node] : []))).filter(
      (name) => there.has(name),
    );
  const controls = new Set(
    state.pools.flatMap(({ role, nodes }) => (role === 'control' ? nodes.map(({ name }) => name) : [])),
  );
  const instances = new Set(
    [...there.values()].flatMap(({ source }) => (source.kind === 'dynamic' ? [source.provider.name] : [])),
  );
  const machines = nodesOf('machine');
  const providers = unique(
    items.flatMap(({ kind, where }) =>
      ['machine', 'network'].includes(kind) && where.provider ? [where.provider] : [],
    ),
  ).filter((name) => instances.has(name));
  const strays = Map.groupBy(
    items.filter(({ kind }) => kind === 'stray'),
    ({ where }) => where.provider ?? '',
  );
  const renamed = new Set(items.flatMap(({ kind, where }) => (kind === 'dns' && where.name ? [where.name] : [])));
  const changed = new Set(items.flatMap(({ kind, where }) => (kind === 'document' && where.name ? [where.name] : [])));
  const unserved = new Set(items.flatMap(({ kind, where }) => (kind === 'traffic' && where.name ? [where.name] : [])));
  const names = state.loadBalancers
    // A recreated machine has another address.
    .filter(
      ({ name, pools }) =>
        renamed.has(name) || pools.some(({ nodes }) => nodes.some((node) => machines.includes(node.name))),
    )
    .map(({ id }) => id);
  return {
    kinds: new Set(items.map(({ kind }) => kind)),
    machines,
    nodes: nodesOf('machine', 'node'),
    marked: nodesOf('machine', 'node', 'metadata'),
    proxied: nodesOf('proxy'),
    expiring: nodesOf('expiry').filter((name) => controls.has(name)),
    providers,
    strays: [...strays].flatMap(([provider, found]) => {
      const ids = unique(found.flatMap(({ where }) => where.id ?? []));
      return instances.has(provider) && ids.length > 0 ? [{ provider, action, ids }] : [];
    }),
    names,
    balancers: state.loadBalancers.map(({ name }) => name).filter((name) => unserved.has(name)),
    documents: (state.documents ?? []).filter(({ name }) => changed.has(name)),
  };
}

function infrastructure({ providers, names, strays }: BrokenParts): StagePlan {
  const workspaces = [
    ...providers.map((name) => ({ kind: 'machines' as const, name, destroy: false })),
    ...names.map((name) => ({ kind: 'dns' as const, name, destroy: false })),
  ];
  const reasons = [
    ...(providers.length > 0 ? [`machines and networks of ${listed(providers)} are made as they were`] : []),
    ...(names.length > 0 ? [`the names of ${counted(names.length, 'load balancer')} are made as they were`] : []),
    ...strays.map(
      ({ provider, action, ids }) =>
        `${counted(ids.length, 'machine')} of ${provider} that no one knows ${ids.length === 1 ? 'is' : 'are'} ${action === 'delete' ? 'deleted' : 'stopped and kept'}`,
    ),
  ];
  return { stage: 'infrastructure', reasons, work: { workspaces, ...(strays.length > 0 && { strays }) } };
}

/** A recreated machine has another key and address: all others learn them. */
function configuration(state: ClusterState, { kinds, machines, nodes, proxied }: BrokenParts): StagePlan {
  const meshAgain = (kinds.has('mesh') || machines.length > 0) && state.meshless !== true;
  const names = allNodes(state).map(({ node }) => node.name);
  const peers = meshAgain ? names.filter((name) => !nodes.includes(name)) : [];
  // A node that is set up again gets them with that.
  const proxy = proxied.filter((name) => !nodes.includes(name));
  const loadBalancers = state.loadBalancers
    .filter(({ pools }) => pools.some((pool) => pool.nodes.some((node) => nodes.includes(node.name))))
    .map(({ name }) => name);
  const boot = allNodes(state).flatMap(({ node: { name }, pool }) =>
    pool.boot !== undefined && nodes.includes(name) ? [name] : [],
  );
  const reasons = [
    ...(nodes.length > 0 ? [`${listed(nodes)} ${nodes.length === 1 ? 'is' : 'are'} set up again`] : []),
    ...(peers.length > 0 ? ['every node gets its list of peers again'] : []),
    ...(proxy.length > 0 ? [`proxy settings of ${listed(proxy)} are set again`] : []),
  ];
  return {
    stage: 'configuration',
    reasons,
    work: { install: [...nodes], peers, uninstall: [], loadBalancers, proxy, ...(boot.length > 0 && { boot }) },
  };
}

function kubernetes(
  state: ClusterState,
  { kinds, nodes, marked, machines, expiring, documents }: BrokenParts,
): readonly StagePlan[] {
  if (!hasKubernetes(state)) return [];
  const members = new Set(state.pools.flatMap((pool) => pool.nodes.map((node) => node.name)));
  const joining = nodes.filter((name) => members.has(name));
  const patch = marked.filter((name) => members.has(name));
  const recreated = machines.filter((name) => members.has(name));
  const reasons = [
    ...(expiring.length > 0 ? [`the certificates of ${listed(expiring)} are renewed`] : []),
    ...(kinds.has('expiry') ? ['the kubeconfig is fetched again'] : []),
    ...(joining.length > 0 ? [`${counted(joining.length, 'node')} taken into Kubernetes again`] : []),
    ...(kinds.has('version') ? [`every node gets Kubernetes ${state.kubernetesVersion} again`] : []),
  ];
  const runsKubeOne = joining.length > 0 || kinds.has('version');
  const work = {
    action: runsKubeOne ? ('apply' as const) : ('renew' as const),
    ...(recreated.length > 0 && { recreated }),
    ...(kinds.has('expiry') && { certificates: [...expiring] }),
  };
  return [
    { stage: 'kubernetes', reasons, work },
    {
      stage: 'nodes',
      reasons: [
        ...(patch.length > 0 ? [`labels, annotations and taints for ${counted(patch.length, 'node')}`] : []),
        ...(kinds.has('certificate') ? ['serving certificates of kubelets are approved'] : []),
        ...(documents.length > 0
          ? [`the documents ${listed(documents.map(({ name }) => name))} are applied again`]
          : []),
      ],
      work: {
        patch,
        remove: [],
        maxUnavailable: 1,
        ...(kinds.has('certificate') && { certificates: true as const }),
        ...(documents.length > 0 && { documents: documents.map(({ name, version }) => ({ name, version })) }),
      },
    },
  ];
}

function traffic({ balancers }: BrokenParts): StagePlan {
  const reasons = balancers.length > 0 ? [`roles and targets of ${listed(balancers)} are set again`] : [];
  return { stage: 'traffic', reasons, work: { loadBalancers: [...balancers] } };
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items)];
}
