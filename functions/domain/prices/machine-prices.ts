/**
 * What machines cost a month, by provider type, region and server type: the lists of `machine-prices.json`, each with its date and
 * source. `scripts/update-prices.ts` writes it. A price that no list has is not known; it is never estimated.
 */
import { z } from 'zod';
import type { DynamicSource } from '#domain/cluster-state.ts';
import { providerTypeFacts } from '#domain/provider-types.ts';
import file from './machine-prices.json' with { type: 'json' };
import type { Money } from './money.ts';

/** Hours that clouds count for a month. */
const hoursOfMonth = 730;

export const PriceList = z.strictObject({
  /** Provider type. */
  provider: z.string(),
  /** Regions in which they hold; `*`: in all. */
  regions: z.array(z.string()).min(1),
  /** ISO 4217. */
  currency: z.string().regex(/^[A-Z]{3}$/),
  per: z.enum(['hour', 'month']),
  /** When they were read, or since when they hold: `2026-08-14`. */
  date: z.iso.date(),
  /** Where they are from, for people; `simulated`: invented for the simulation. */
  source: z.string().min(1),
  /** By server type; `not-in-prices.ts` says without what. */
  prices: z.record(z.string(), z.number().positive()),
});
export type PriceList = z.infer<typeof PriceList>;
export const PriceLists = z.strictObject({ lists: z.array(PriceList) });

export const priceLists: readonly PriceList[] = PriceLists.parse(file).lists;

export interface KnownPrice extends Money {
  readonly list: PriceList;
}

/** A month of one machine, to the cent; `free`: hosts on the machine that Kubeloom runs on. Lists have no prices of spot machines. */
export function priceOfMachine(
  { provider, region, serverType, spot }: Pick<DynamicSource, 'provider' | 'region' | 'serverType' | 'spot'>,
  lists = priceLists,
): KnownPrice | 'free' | 'unknown' {
  if (providerTypeFacts(provider.type)?.free) return 'free';
  if (spot) return 'unknown';
  for (const list of lists) {
    const price = Object.hasOwn(list.prices, serverType) ? list.prices[serverType] : undefined;
    if (price === undefined || list.provider !== provider.type) continue;
    if (!list.regions.some((one) => one === '*' || sameRegion(one, region))) continue;
    const amount = cents(list.per === 'hour' ? price * hoursOfMonth : price);
    return { currency: list.currency, amount, list };
  }
  return 'unknown';
}

/** Azure calls its regions `West Europe` and `westeurope`. */
function sameRegion(one: string, other: string): boolean {
  const plain = (region: string) => region.replaceAll(' ', '').toLowerCase();
  return plain(one) === plain(other);
}

/** Rounded to the cent. */
export function cents(amount: number): number {
  return Math.round(amount * 100) / 100;
}
