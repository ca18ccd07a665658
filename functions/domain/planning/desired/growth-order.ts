/** In which order autoscaled pools grow: what their manifest says of it, and what the cluster-autoscaler has to know. */

import type { DocumentState } from '#domain/cluster-documents.ts';
import type { NodePoolState } from '#domain/cluster-state.ts';
import type { DynamicNodePool } from '../../manifest/schema/node-pools.ts';

type Scaling = NonNullable<NodePoolState['autoscaler']>;

/** Bounds and order; the capacity of a node is the API's to know. */
export function scalingOf({
  min,
  max,
  priority,
  price,
  monthlyPrice,
}: NonNullable<DynamicNodePool['autoscaler']>): Scaling {
  return {
    min,
    max,
    ...(priority !== undefined && { priority }),
    ...(price && { price: true as const }),
    ...(monthlyPrice && { monthlyPrice: { ...monthlyPrice } }),
  };
}

/**
 * Values of the documents `autoscaler`. Each expander leaves the best pools to the next one. Where pools have an order, those of the same
 * machines do not grow in turn: the autoscaler would take them without asking its expanders.
 */
export function growthOrder(pools: readonly Pick<NodePoolState, 'name' | 'autoscaler'>[]): DocumentState['values'] {
  const scaled = pools.flatMap(({ name, autoscaler }) => (autoscaler ? [{ name, ...autoscaler }] : []));
  const ranked = scaled.some(({ priority }) => priority !== undefined);
  const priced = scaled.some(({ price }) => price);
  return {
    expander: [...(ranked ? ['priority'] : []), ...(priced ? ['price'] : []), 'least-waste'].join(','),
    inTurn: String(!ranked && !priced),
    priorities: ranked ? [prioritiesText(scaled)] : [],
  };
}

/** As the priority expander reads it: expressions by priority. A pool that no expression matches would never grow. */
function prioritiesText(pools: readonly (Scaling & { readonly name: string })[]): string {
  const byPriority = Map.groupBy(pools, ({ priority = 0 }) => priority);
  return [...byPriority]
    .sort(([one], [other]) => other - one)
    .map(([priority, members]) => {
      const names = [...new Set(members.map(({ name }) => name))].sort();
      // Names of pools have letters, digits, `-` and `_`: nothing in them has a meaning in an expression, or in YAML.
      return `${priority}:\n${names.map((name) => `  - ^${name}$\n`).join('')}`;
    })
    .join('');
}
