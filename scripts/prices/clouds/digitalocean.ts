/** DigitalOcean: the sizes of its API, with a token. */
import { z } from 'zod';
import { type PriceSource, type ReadPrices, tokenIn, type WantedPrices } from '../price-source.ts';

export const prices: PriceSource = async (wanted, { get, env, today }) => {
  const answer = await get('https://api.digitalocean.com/v2/sizes?per_page=200', tokenIn(env, 'DIGITALOCEAN_TOKEN'));
  return parseDigitalOcean(await answer.json(), wanted, today);
};

const DigitalOceanSizes = z.object({ sizes: z.array(z.object({ slug: z.string(), price_monthly: z.number() })) });

export function parseDigitalOcean(answer: unknown, { types }: WantedPrices, today: string): ReadPrices {
  const { sizes } = DigitalOceanSizes.parse(answer);
  const prices = sizes
    .filter(({ slug }) => types.includes(slug))
    .map(({ slug, price_monthly: price }) => [slug, price]);
  return {
    provider: 'digitalocean',
    currency: 'USD',
    per: 'month',
    date: today,
    prices: Object.fromEntries(prices),
    source: "DigitalOcean's API, sizes",
  };
}
