/** Where prices are read: public APIs of clouds, some with a token that only reads. Each cloud has a file in `clouds/`, named like its type. */
import { existsSync } from 'node:fs';
import type { PriceList } from '#domain/prices/machine-prices.ts';

/** The types of one provider in one region; `region` is `*` where prices are the same everywhere. */
export interface WantedPrices {
  readonly region: string;
  readonly types: readonly string[];
}
/** Prices for `WantedPrices`; types that the answer lacks are missing in `prices`. */
export type ReadPrices = Omit<PriceList, 'regions'>;

export interface Reading {
  readonly today: string;
  /** Throws when the answer is not 2xx. */
  readonly get: (url: string, token?: string) => Promise<Response>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type PriceSource = (wanted: WantedPrices, reading: Reading) => Promise<ReadPrices>;

/** Undefined for a provider type whose prices nothing reads: its lists stay as they are. */
export async function priceSourceOf(type: string): Promise<PriceSource | undefined> {
  const file = new URL(`./clouds/${type}.ts`, import.meta.url);
  if (!existsSync(file)) return undefined;
  const { prices }: { readonly prices: PriceSource } = await import(file.href);
  return prices;
}

/** Throws the name of the variable that has no value. */
export function tokenIn(env: Reading['env'], name: string): string {
  const token = env[name];
  if (token === undefined || token === '') throw new Error(`set ${name} to a token that may read`);
  return token;
}
