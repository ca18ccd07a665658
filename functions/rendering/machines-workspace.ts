/** What a Terraform workspace of machines has: by version of templates, without nodes, with orphaned nodes, after its deletion. Pure. */
import { allPools, type ClusterState, type NodePoolState, type ProviderInstance } from '#domain/cluster-state.ts';
import { droppedPools, dynamicPoolsOf, type NetworkPlace, placesOf } from './machines-root.ts';
import { networkModule, poolModule } from './terraform-names.ts';

/** What was or will be created with one version of templates. */
export interface MachinesPart {
  readonly provider: ProviderInstance;
  /** The target still has something of it. */
  readonly wanted: boolean;
  /** Pool ids. */
  readonly pools: readonly string[];
}

/** The content of the workspace by version of templates; versions of the target first. */
export function machinesParts(
  state: ClusterState | null,
  known: readonly ClusterState[],
  name: string,
): readonly MachinesPart[] {
  const desired = dynamicPoolsOf(state, name);
  const wanted = new Set(desired.map(({ source }) => source.provider.templates));
  const all = Map.groupBy([...desired, ...droppedPools(state, known, name)], ({ source }) => source.provider.templates);
  return [...all].flatMap(([templates, [first, ...more]]) =>
    first === undefined
      ? []
      : [
          {
            provider: first.source.provider,
            wanted: wanted.has(templates),
            pools: [first, ...more].map(({ id }) => id),
          },
        ],
  );
}

/** The state without these nodes. */
export function withoutNodes(state: ClusterState | null, names: ReadonlySet<string>): ClusterState | null {
  if (state === null || names.size === 0) return state;
  const left = (pool: NodePoolState): NodePoolState => ({
    ...pool,
    nodes: pool.nodes.filter(({ name }) => !names.has(name)),
  });
  const loadBalancers = state.loadBalancers.map((one) => ({ ...one, pools: one.pools.map(left) }));
  return { ...state, pools: state.pools.map(left), loadBalancers };
}

export interface OrphanedNodes {
  readonly state: ClusterState | null;
  /** States that exist or may exist. */
  readonly known: readonly ClusterState[];
  readonly provider: string;
  readonly orphans: ReadonlySet<string>;
}

/**
 * Which resources are orphaned with these nodes: their own; and where their whole pool or region is removed,
 * also the resources that the nodes use, since nothing that is in use can be destroyed.
 */
export function orphanedWith({
  state,
  known,
  provider,
  orphans,
}: OrphanedNodes): (resource: { readonly address: string; readonly index?: string | number | undefined }) => boolean {
  const dropped = droppedPools(state, known, provider);
  const stranded = dropped.filter(({ nodes }) => nodes.some((node) => orphans.has(node.name)));
  const nameOf = ({ region, templates }: NetworkPlace) => networkModule(region, templates);
  const kept = new Set(placesOf(dynamicPoolsOf(state, provider)).map(nameOf));
  const gone = placesOf(stranded)
    .map(nameOf)
    .filter((network) => !kept.has(network));
  const modules = [...stranded.map(({ id }) => poolModule(id)), ...gone];
  const nodes = new Set(dropped.flatMap((pool) => pool.nodes.map((node) => node.name)));
  return ({ address, index }) =>
    orphans.has(String(index)) ||
    (!nodes.has(String(index)) && modules.some((module) => address.startsWith(`module.${module}.`)));
}

export interface MachineNames {
  /** Names of machines that existed, of other instances, too. */
  readonly before: ReadonlySet<string>;
  /** Names of machines that were removed. */
  readonly removed: ReadonlySet<string>;
  readonly orphans: ReadonlySet<string>;
}

/** What the receipt of a deletion is about: all of the instance that existed and were removed, and what others still have there. */
export interface DeletedMachines {
  /** Names of the nodes that existed. */
  readonly removed: readonly string[];
  /** Names of nodes that were to stay, and of other instances: one account may have several. */
  readonly others: ReadonlySet<string>;
  /** What is no machine may be of another instance of the type, or of a machine that was to stay. */
  readonly shared: boolean;
}

export function deletedMachines(
  known: readonly ClusterState[],
  { name: instance, type }: Pick<ProviderInstance, 'name' | 'type'>,
  { before, removed, orphans }: MachineNames,
): DeletedMachines {
  const own = droppedPools(null, known, instance).flatMap(({ nodes }) => nodes.map(({ name }) => name));
  const gone = new Set([...own.filter((name) => before.has(name)), ...removed]);
  const elsewhere = known.flatMap(allPools).flatMap((pool) => {
    const { source } = pool;
    return source.kind === 'dynamic' && source.provider.name !== instance ? [{ pool, type: source.provider.type }] : [];
  });
  const others = elsewhere.flatMap(({ pool: { nodes } }) => nodes.map(({ name }) => name));
  return {
    removed: [...gone].filter((name) => !orphans.has(name)),
    others: new Set([...orphans, ...others]),
    // Volumes and addresses do not have the names of their machines.
    shared: orphans.size > 0 || elsewhere.some((other) => other.type === type),
  };
}
