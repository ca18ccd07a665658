/** Hetzner: its price API, with a token. */
import { z } from 'zod';
import { cents } from '#domain/prices/machine-prices.ts';
import { type PriceSource, type ReadPrices, tokenIn, type WantedPrices } from '../price-source.ts';

export const prices: PriceSource = async (wanted, { get, env, today }) => {
  const answer = await get('https://api.hetzner.cloud/v1/pricing', tokenIn(env, 'HCLOUD_TOKEN'));
  return parseHetzner(await answer.json(), wanted, today);
};

const net = z.object({ net: z.string() });
const HetznerPrices = z.object({
  pricing: z.object({
    currency: z.string(),
    server_types: z.array(
      z.object({ name: z.string(), prices: z.array(z.object({ location: z.string(), price_monthly: net })) }),
    ),
    primary_ips: z.array(
      z.object({ type: z.string(), prices: z.array(z.object({ location: z.string(), price_monthly: net })) }),
    ),
  }),
});

/** Servers with the primary IPv4 address that Kubeloom gives each. Without VAT. */
export function parseHetzner(answer: unknown, { region, types }: WantedPrices, today: string): ReadPrices {
  const { currency, server_types: servers, primary_ips: addresses } = HetznerPrices.parse(answer).pricing;
  const at = (rows: readonly { location: string; price_monthly: { net: string } }[] = []) => {
    const row = rows.find(({ location }) => location === region);
    return row && Number(row.price_monthly.net);
  };
  const address = at(addresses.find(({ type }) => type === 'ipv4')?.prices);
  const prices = servers.flatMap(({ name, prices: rows }) => {
    const server = types.includes(name) ? at(rows) : undefined;
    return server === undefined || address === undefined ? [] : [[name, cents(server + address)] as const];
  });
  return {
    provider: 'hetzner',
    currency,
    per: 'month',
    date: today,
    prices: Object.fromEntries(prices),
    source: "Hetzner's price API, with one primary IPv4 address, without VAT",
  };
}
