/** Node pools of the desired state: a blueprint becomes an instance for each use; existing ones keep their names. */
import type { AddressSource, SubnetSource } from '#domain/addresses.ts';
import {
  type DynamicSource,
  type NodePoolState,
  type NodeState,
  type ProviderInstance,
  serverTypeOf,
} from '#domain/cluster-state.ts';
import { PipelineError } from '#domain/errors.ts';
import { changedMachineFields, machineOf } from '#domain/machine-fields.ts';
import { dnsForm, freeNodeNames, type HashSource, hashedId } from '#domain/naming.ts';
import { onceFor } from '#domain/once-for.ts';
import type { InputManifest } from '../../manifest/schema/input-manifest.ts';
import type { DynamicNodePool, StaticNodePool } from '../../manifest/schema/node-pools.ts';
import { locatorOf } from '../../manifest/schema/secret-source.ts';
import { scalingOf } from './growth-order.ts';

/** What all instances of a cluster draw from. */
export interface PoolSources {
  readonly manifest: InputManifest;
  readonly addresses: AddressSource;
  readonly subnets: SubnetSource;
  readonly ids: HashSource;
  readonly takenIds: Set<string>;
  readonly provider: (name: string) => ProviderInstance;
  /** Uses that are left as they are for now; made with `useKey`. */
  readonly held: ReadonlySet<string>;
  /** Names of dynamic nodes to remove. */
  readonly leaving: ReadonlySet<string>;
  /** Names of nodes that are not healthy: of machine groups they leave first. */
  readonly unhealthy: ReadonlySet<string>;
  /** Nodes of autoscaled pools by name, where a number is asked for. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Names of pools whose machines may be replaced. */
  readonly replaceable: ReadonlySet<string>;
}

/** The use of a new pool that could not be created: its changes wait for a new generation or attempt. */
export interface HeldPoolUse {
  /** Name of the pool, not its id. */
  readonly pool: string;
  readonly role: NodePoolState['role'];
}

/** One use of a blueprint, and the pools that may already be it. */
export interface PoolRole {
  readonly name: string;
  readonly role: NodePoolState['role'];
  readonly current: readonly NodePoolState[];
  readonly attempted: readonly NodePoolState[];
}

/** Machines of a pool, without the subnet that its instance has. */
type Machine = Omit<DynamicSource, 'subnet'>;

/** Key under which uses are held. */
export function useKey({ pool, role }: HeldPoolUse): string {
  return `${role} ${pool}`;
}

/** The pools of one use: its instance; for a held one the part that exists, which may be nothing. */
export function desiredPools(use: PoolRole, sources: PoolSources): readonly NodePoolState[] {
  if (!sources.held.has(useKey({ pool: use.name, role: use.role }))) return [desiredPool(use, sources)];
  return use.current.filter((pool) => pool.name === use.name && pool.role === use.role);
}

/** The instance of a blueprint for one use. */
function desiredPool(use: PoolRole, sources: PoolSources): NodePoolState {
  const { dynamic, static: statics } = blueprints(sources.manifest);
  const dynamicPool = dynamic.get(use.name);
  if (dynamicPool !== undefined) return dynamicInstance(dynamicPool, use, sources);
  const staticPool = statics.get(use.name);
  if (staticPool !== undefined) return staticInstance(staticPool, use, sources);
  throw new PipelineError('InvalidManifest', `there is no node pool "${use.name}"; add it to spec.nodePools`);
}

/** By name. */
const blueprints = onceFor(({ spec: { nodePools } }: InputManifest) => ({
  dynamic: new Map(nodePools.dynamic.map((pool) => [pool.name, pool])),
  static: new Map(nodePools.static.map((pool) => [pool.name, pool])),
}));

/** True when machines created with one version of templates are not changed by the other. */
function compatibleTemplates(left: string, right: string): boolean {
  const ours = 'builtin@';
  return left === right || (left.startsWith(ours) && right.startsWith(ours));
}

/** What a blueprint says about its machines, the same for all clusters. */
const machine = onceFor(machineOf);

function dynamicInstance(pool: DynamicNodePool, use: PoolRole, sources: PoolSources): NodePoolState {
  const provider = sources.provider(pool.providerSpec.name);
  const source: Machine = { kind: 'dynamic', provider, ...machine(pool) };
  const existing = existingDynamic(use, source, sources.replaceable.has(pool.name));
  const before = existing.current?.nodes ?? [];
  const made = [...before, ...missingFrom(before, existing.attempted?.nodes ?? [])].map(asItsPool);
  const stays = (node: NodeState) => !sources.leaving.has(node.name);
  const stay = made.filter(stays);
  // A new instance takes over the number of the one that it replaces.
  const sized = existing.current ?? existing.attempted ?? use.current.find((other) => isUse(other, use));
  const asked = sources.sizes.get(pool.name) ?? sized?.nodes.filter(stays).length ?? 0;
  const count = pool.autoscaler ? clamp(asked, pool.autoscaler) : (pool.count ?? 0);
  const found = existing.current ?? existing.attempted;
  const id = found?.id ?? hashedId(dnsForm(pool.name), sources.ids, sources.takenIds);
  sources.takenIds.add(id);
  const subnet =
    found?.source.kind === 'dynamic' ? found.source.subnet : sources.subnets(provider.name, pool.providerSpec.region);
  return {
    ...shared(pool, use),
    id,
    source: { ...source, subnet },
    sshPort: 22,
    ...(pool.autoscaler ? { autoscaler: scalingOf(pool.autoscaler) } : {}),
    nodes: filledUp(
      id,
      keptOf(stay, count, [removedBy(existing), use.role === 'machine' ? sources.unhealthy : new Set()]),
      made,
      count,
      sources.addresses,
    ),
  };
}

/**
 * The instance that exists keeps its identity, unless its templates changed or it may be replaced and its machines have
 * to be created differently: then the pool gets a new instance. One that was only attempted is kept if nothing changed.
 */
function existingDynamic(
  use: PoolRole,
  source: Machine,
  replaceable: boolean,
): { current?: NodePoolState; attempted?: NodePoolState } {
  const uses = use.current.filter((pool) => isUse(pool, use));
  const kept = replaceable
    ? undefined
    : (uses.find((pool) => sameTemplates(pool, source)) ??
      uses.find((pool) => differsInMoreThanTemplates(pool, source)));
  const current = uses.find((pool) => sameTemplates(pool, source) && !differsInMoreThanTemplates(pool, source)) ?? kept;
  if (current !== undefined) {
    const attempted = use.attempted.find((pool) => pool.id === current.id);
    return attempted === undefined ? { current } : { current, attempted };
  }
  const attempted = use.attempted.find((pool) => isUse(pool, use) && isAttemptAt(pool.source, source));
  return attempted === undefined ? {} : { attempted };
}

function isUse(pool: NodePoolState, use: PoolRole): boolean {
  return pool.name === use.name && pool.role === use.role && pool.source.kind === 'dynamic';
}

function sameTemplates(pool: NodePoolState, source: Machine): boolean {
  return (
    pool.source.kind === 'dynamic' && compatibleTemplates(pool.source.provider.templates, source.provider.templates)
  );
}

/** In the end no machine of a pool differs from the others. */
function asItsPool(node: NodeState): NodeState {
  // Nodes that stay the same value are compared at once.
  if (node.serverType === undefined) return node;
  const { serverType: _, ...same } = node;
  return same;
}

/** New templates alone make a new instance; any other change keeps the pool, so that the planner can refuse it by name. */
function differsInMoreThanTemplates(pool: NodePoolState, source: Machine): boolean {
  if (pool.source.kind === 'static') return false;
  return (
    !sameMachines(pool.source, source) || pool.nodes.some((node) => serverTypeOf(node, pool) !== source.serverType)
  );
}

function isAttemptAt(tried: NodePoolState['source'], source: Machine): boolean {
  if (tried.kind === 'static' || tried.provider.templates !== source.provider.templates) return false;
  return sameMachines(tried, source);
}

/** Wherever the credentials and templates are. */
function sameMachines(existing: DynamicSource, source: Machine): boolean {
  return changedMachineFields(existing, { ...source, subnet: existing.subnet }).length === 0;
}

function staticInstance(pool: StaticNodePool, use: PoolRole, sources: PoolSources): NodePoolState {
  const id = dnsForm(pool.name);
  const isThis = (other: NodePoolState) => other.id === id && other.role === use.role && other.source.kind === 'static';
  const before = use.current.find(isThis)?.nodes ?? [];
  const existing = [...before, ...missingFrom(before, use.attempted.find(isThis)?.nodes ?? [])];
  const taken = new Set(existing.map((node) => node.name));
  sources.takenIds.add(id);
  return {
    ...shared(pool, use),
    id,
    source: { kind: 'static' },
    sshPort: pool.sshPort,
    nodes: pool.nodes.map(({ endpoint, username, secretRef }) => {
      const known = existing.find((node) => node.static?.endpoint === endpoint);
      const [free] = known ? [known.name] : freeNodeNames(id, taken, 1);
      const name = free ?? id;
      taken.add(name);
      return {
        name,
        privateAddress: known?.privateAddress ?? sources.addresses(),
        static: { endpoint, username, secret: locatorOf(secretRef, sources.manifest.metadata.namespace) },
      };
    }),
  };
}

function shared(
  pool: DynamicNodePool | StaticNodePool,
  use: PoolRole,
): Pick<
  NodePoolState,
  | 'name'
  | 'role'
  | 'labels'
  | 'annotations'
  | 'taints'
  | 'protect'
  | 'boot'
  | 'bootAtOnce'
  | 'openPorts'
  | 'health'
  | 'replaceAtOnce'
  | 'resizeInPlace'
  | 'resizeAtOnce'
> {
  return {
    name: pool.name,
    role: use.role,
    labels: { ...pool.labels },
    annotations: { ...pool.annotations },
    taints: pool.taints.map((taint) => ({ ...taint })),
    ...(pool.protect ? { protect: true } : {}),
    ...(pool.boot !== undefined && { boot: pool.boot }),
    ...(pool.boot !== undefined && pool.maxUnavailable > 1 && { bootAtOnce: pool.maxUnavailable }),
    ...(pool.openPorts?.length && { openPorts: [...pool.openPorts] }),
    ...('update' in pool && pool.update === 'replace' && { replaceAtOnce: pool.maxUnavailable }),
    ...('update' in pool && pool.update === 'inPlace' && { resizeInPlace: true as const }),
    ...('update' in pool &&
      pool.update === 'inPlace' &&
      pool.maxUnavailable > 1 && { resizeAtOnce: pool.maxUnavailable }),
    ...(pool.health?.length && { health: [...pool.health] }),
  };
}

/** Nodes that an interrupted waypoint was about to remove: half of one may be gone, whatever its health is now. */
function removedBy({ current, attempted }: ReturnType<typeof existingDynamic>): ReadonlySet<string> {
  if (current === undefined || attempted === undefined) return new Set();
  return new Set(missingFrom(attempted.nodes, current.nodes).map(({ name }) => name));
}

/** The oldest ones; of those that have to leave first, the first set before the next one. */
function keptOf(
  nodes: readonly NodeState[],
  count: number,
  leaveFirst: readonly ReadonlySet<string>[],
): readonly NodeState[] {
  const rank = ({ name }: NodeState): number => {
    const place = leaveFirst.findIndex((names) => names.has(name));
    return place < 0 ? leaveFirst.length : place;
  };
  const kept = new Set([...nodes].sort((one, other) => rank(other) - rank(one)).slice(0, count));
  return nodes.filter((node) => kept.has(node));
}

/** Those that are kept, and as many new ones as are missing; `made`: all names of the pool that are taken. Throws `PlanRefused`. */
export function filledUp(
  poolId: string,
  kept: readonly NodeState[],
  made: readonly NodeState[],
  count: number,
  addresses: AddressSource,
): NodeState[] {
  if (kept.length >= count) return [...kept];
  const taken = new Set(made.map((node) => node.name));
  const names = freeNodeNames(poolId, taken, count - kept.length);
  return [...kept, ...names.map((name) => ({ name, privateAddress: addresses() }))];
}

function missingFrom(nodes: readonly NodeState[], others: readonly NodeState[]): readonly NodeState[] {
  if (others.length === 0) return [];
  const names = new Set(nodes.map((node) => node.name));
  return others.filter((node) => !names.has(node.name));
}

function clamp(value: number, bounds: { readonly min: number; readonly max: number }): number {
  return Math.min(bounds.max, Math.max(bounds.min, value));
}
