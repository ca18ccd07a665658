/** Rules of the order in which autoscaled pools grow. */
import { type Fault, warning } from '../faults/fault.ts';
import { shown } from '../schema/names.ts';
import { type ManifestIndex, named, type PlacedPool } from './manifest-index.ts';

/** Where one pool of a cluster grows by price, the prices of all have to be known, in one currency. */
export function* growthOrderRules(index: ManifestIndex): Iterable<Fault> {
  const { pricesOf } = index.context;
  if (pricesOf === undefined) return;
  const warned = new Set<PlacedPool>();
  for (const { thing: cluster } of index.clusters) {
    const pools = scaledPools(index, cluster.pools.compute);
    if (!pools.some(({ thing }) => thing.autoscaler?.price)) continue;
    const prices = pricesOf(
      pools.map(({ thing: { providerSpec, serverType = '', spot, autoscaler } }) => {
        const { providerType, plugin } = named(index.providers, providerSpec?.name ?? '')?.thing ?? {};
        const type = plugin === undefined ? (providerType ?? '') : '';
        const { region = '' } = providerSpec ?? {};
        return { type, region, serverType, spot, monthlyPrice: autoscaler?.monthlyPrice };
      }),
    );
    for (const [at, pool] of pools.entries()) {
      if (prices[at] !== undefined || warned.has(pool)) continue;
      warned.add(pool);
      yield warning(
        'unknown-price',
        [...pool.path, 'autoscaler'],
        `pools of cluster ${shown(cluster.name)} grow by price, and that of ${shown(pool.thing.name)} is not known in the currency of the others: it grows last`,
        'give autoscaler.monthlyPrice with amount and currency',
      );
    }
  }
}

function scaledPools({ poolsByName }: ManifestIndex, names: readonly string[]) {
  return names.flatMap((name) => {
    const pool = poolsByName.get(name);
    return pool?.kind === 'dynamic' && pool.thing.autoscaler !== undefined ? [pool] : [];
  });
}
