/**
 * Demand: what is asked of a cluster besides its manifest. Sizes of autoscaled pools, and nodes to be replaced; written by
 * people, by the autoscaler and by healing, and struck out as soon as it is reached.
 */
import { z } from 'zod';
import { errorClasses } from './errors.ts';

export const SizeDemand = z.strictObject({
  /** Nodes; the bounds of the pool apply. */
  count: z.number().int().min(0),
  at: z.string(),
  /** Who asked: the name of a caller, `autoscaler` or `healing`. */
  by: z.string(),
});
export type SizeDemand = z.infer<typeof SizeDemand>;

/** A node that leaves; where its pool keeps its number, another one takes its place before. */
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
