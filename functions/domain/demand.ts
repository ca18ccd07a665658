/**
 * Demand: what users, the autoscaler and healing request of a cluster in addition to its manifest: sizes of autoscaled pools, and
 * nodes to be replaced. An entry is removed as soon as it is reached.
 */
import { z } from 'zod';
import { allPools, type ClusterState, type NodePoolState } from './cluster-state.ts';
import { errorClasses } from './errors.ts';
import { sameValue } from './same-value.ts';
import { counted } from './words.ts';

export const SizeDemand = z.strictObject({
  /** Nodes; the bounds of the pool apply. */
  count: z.number().int().min(0),
  at: z.string(),
  /** Who asked: the name of a caller, `autoscaler` or `healing`. */
  by: z.string(),
  /** No one asked for it: the pool keeps its number while a node of it is replaced. */
  kept: z.literal(true).optional(),
});

/** A node that leaves; if its pool keeps its number of nodes, a new node takes its place first. */
export const NodeDemand = z.strictObject({
  node: z.string(),
  /** For people. */
  because: z.string(),
  at: z.string(),
  by: z.string(),
});
export type NodeDemand = z.infer<typeof NodeDemand>;

/** The last size of a pool that could not be reached: its grow was undone. */
export const SizeFailure = z.strictObject({
  count: z.number().int(),
  at: z.string(),
  class: z.enum(errorClasses),
  code: z.string(),
  message: z.string(),
});
export type SizeFailure = z.infer<typeof SizeFailure>;

export const Demand = z.strictObject({
  /** By name of the pool. */
  sizes: z.record(z.string(), SizeDemand),
  replace: z.array(NodeDemand),
  /** By name of the pool, until it gets another size. */
  failures: z.record(z.string(), SizeFailure),
});
export type Demand = z.infer<typeof Demand>;

export const noDemand: Demand = { sizes: {}, replace: [], failures: {} };

/** Who asks, and when. */
export interface Asking {
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
}

/** With these sizes; what failed before for the same pools is forgotten. */
export function withSizes(demand: Demand, sizes: Readonly<Record<string, number>>, { by, at }: Asking): Demand {
  const asked = Object.entries(sizes).map(([pool, count]) => [pool, { count, at, by }] as const);
  const failures = Object.entries(demand.failures).filter(([pool]) => sizes[pool] === undefined);
  return {
    ...demand,
    sizes: { ...demand.sizes, ...Object.fromEntries(asked) },
    failures: Object.fromEntries(failures),
  };
}

/** With these nodes to be replaced; one that is asked for already keeps who asked first. */
export function withReplacements(
  demand: Demand,
  nodes: readonly Pick<NodeDemand, 'node' | 'because'>[],
  { by, at }: Asking,
): Demand {
  const all = [...demand.replace, ...nodes.map(({ node, because }) => ({ node, because, at, by }))];
  return { ...demand, replace: all.filter((one, place) => all.findIndex(({ node }) => node === one.node) === place) };
}

/** Without the replacement of these nodes: they stay. */
export function withoutReplacements(demand: Demand, nodes: ReadonlySet<string>): Demand {
  return { ...demand, replace: demand.replace.filter(({ node }) => !nodes.has(node)) };
}

/** Fewest and most nodes. */
export interface SizeBounds {
  readonly min: number;
  readonly max: number;
}

/** What a demand is compared with. */
export interface DemandedCluster {
  readonly current: ClusterState | null;
  readonly attempted: ClusterState | null;
  /** Limits of the autoscaled pools of the manifest, by name of the pool. */
  readonly bounds: Readonly<Record<string, SizeBounds>>;
}

/**
 * What of a demand is still to be done: without sizes that are reached or whose pool has a fixed number, and without nodes
 * that are gone. An autoscaled pool of which a node is replaced is asked to keep its number until that is gone.
 */
export function openDemand(demand: Demand, { current, attempted, bounds }: DemandedCluster): Demand {
  const pools = current === null ? [] : allPools(current);
  const there = [...pools, ...(attempted === null ? [] : allPools(attempted))].filter(isDynamic);
  const names = new Set(there.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
  const replace = demand.replace.filter(({ node }) => names.has(node));
  const leaving = new Set(replace.map(({ node }) => node));
  const sizes = Object.entries({ ...keptSizes(replace, pools), ...demand.sizes }).filter(([pool, { count }]) => {
    const limits = bounds[pool];
    if (limits === undefined) return false;
    const instances = pools.filter(({ name }) => name === pool);
    const reached = (one: NodePoolState) =>
      one.nodes.length === clamped(count, limits) && !nodeNames(one).some((name) => leaving.has(name));
    return instances.length === 0 || !instances.every(reached);
  });
  return { ...demand, sizes: Object.fromEntries(sizes), replace };
}

function keptSizes(replace: readonly NodeDemand[], pools: readonly NodePoolState[]): Demand['sizes'] {
  const sizes = pools.flatMap((pool) => {
    const first = replace.find(({ node }) => pool.nodes.some(({ name }) => name === node));
    return first
      ? [[pool.name, { count: pool.nodes.length, at: first.at, by: first.by, kept: true as const }] as const]
      : [];
  });
  return Object.fromEntries(sizes);
}

/** Sizes by pool, for the desired state. */
export function sizesOf({ sizes }: Demand): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(sizes).map(([pool, { count }]) => [pool, count]));
}

/** True when something is asked for. */
export function isOpen({ sizes, replace }: Pick<Demand, 'sizes' | 'replace'>): boolean {
  return replace.length > 0 || Object.keys(sizes).length > 0;
}

/** True when both ask for the same, by whomever. */
export function sameDemand(one: Demand, other: Demand): boolean {
  const nodes = ({ replace }: Demand) => replace.map(({ node }) => node).sort();
  return sameValue(sizesOf(one), sizesOf(other)) && sameValue(nodes(one), nodes(other));
}

/** A sentence part for each thing that is asked for. */
export function demandTexts({ sizes, replace }: Pick<Demand, 'sizes' | 'replace'>): readonly string[] {
  const asked = Object.entries(sizes).filter(([, { kept }]) => !kept);
  return [
    ...asked.map(([pool, { count, by }]) => `${counted(count, 'node')} in pool ${pool}, requested by ${by}`),
    ...replace.map(({ node, because, by }) => `node ${node} replaced (${because}), requested by ${by}`),
  ];
}

/** What a waypoint that was undone was to bring about. */
export interface FailedGrow {
  /** The demand that it was planned with. */
  readonly served: Pick<Demand, 'sizes' | 'replace'>;
  /** The states before it and at its end. */
  readonly from: ClusterState | null;
  readonly to: ClusterState | null;
  readonly failure: Omit<SizeFailure, 'count'>;
}

/** Removes what the failed grow was started for, so that it is not retried. Later requests stay. */
export function withoutFailed(demand: Demand, { served, from, to, failure }: FailedGrow): Demand {
  const before = new Set(from === null ? [] : allPools(from).flatMap(nodeNames));
  const grown = (to === null ? [] : allPools(to)).filter((pool) => nodeNames(pool).some((name) => !before.has(name)));
  const pools = new Set(grown.map(({ name }) => name));
  const nodes = new Set(grown.flatMap(nodeNames));
  const failed = Object.entries(served.sizes).filter(
    ([pool, size]) => pools.has(pool) && sameValue(demand.sizes[pool], size),
  );
  const names = new Set(failed.map(([pool]) => pool));
  return {
    sizes: Object.fromEntries(Object.entries(demand.sizes).filter(([pool]) => !names.has(pool))),
    replace: demand.replace.filter(
      (one) => !(nodes.has(one.node) && served.replace.some((two) => sameValue(one, two))),
    ),
    failures: {
      ...demand.failures,
      ...Object.fromEntries(failed.map(([pool, { count }]) => [pool, { ...failure, count }])),
    },
  };
}

const isDynamic = ({ source }: NodePoolState): boolean => source.kind === 'dynamic';
const nodeNames = ({ nodes }: NodePoolState): readonly string[] => nodes.map(({ name }) => name);
const clamped = (count: number, { min, max }: SizeBounds): number => Math.min(max, Math.max(min, count));
