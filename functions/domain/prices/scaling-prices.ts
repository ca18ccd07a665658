/** What machines of autoscaled pools cost for the order in which the pools grow. */
import type { NodePoolState } from '#domain/cluster-state.ts';
import type { PricedPool } from '#domain/manifest/rules/manifest-index.ts';
import { priceOfMachine } from './machine-prices.ts';
import type { Money } from './money.ts';

/** What a machine of each costs a month, in one currency: that of the first pool that has one. Undefined where it is not known in that. */
export function pricesOf(pools: readonly PricedPool[]): readonly (number | undefined)[] {
  const prices = pools.map(priceOf);
  const currency = prices.find((price) => price !== undefined && price.amount > 0)?.currency;
  // What costs nothing costs nothing in any currency.
  return prices.map((price) => (price?.amount === 0 || price?.currency === currency ? price?.amount : undefined));
}

/** By name, what a machine of each autoscaled pool of a cluster costs a month; empty where none of them grows by price. */
export function scalingPrices(pools: readonly NodePoolState[]): ReadonlyMap<string, number> {
  const scaled = pools.filter(({ role, autoscaler }) => role === 'compute' && autoscaler !== undefined);
  if (!scaled.some(({ autoscaler }) => autoscaler?.price)) return new Map();
  const priced = scaled.flatMap(({ name, source, autoscaler }) =>
    source.kind === 'static'
      ? []
      : [{ ...source, name, type: source.provider.type, monthlyPrice: autoscaler?.monthlyPrice }],
  );
  const prices = pricesOf(priced);
  return new Map(
    priced.flatMap(({ name }, index): [string, number][] => {
      const price = prices[index];
      return price === undefined ? [] : [[name, price]];
    }),
  );
}

function priceOf({ type, monthlyPrice, ...machine }: PricedPool): Money | undefined {
  if (monthlyPrice !== undefined) return monthlyPrice;
  const known = priceOfMachine({ ...machine, provider: { name: '', type, templates: '' } });
  if (known === 'unknown') return undefined;
  return known === 'free' ? { currency: '', amount: 0 } : known;
}
