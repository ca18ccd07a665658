/** Where prices are read: public APIs of clouds, some with a token that only reads. */
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import {
  type AzurePage,
  parseAws,
  parseAzure,
  parseAzurePage,
  parseDigitalOcean,
  parseHetzner,
  type ReadPrices,
  type WantedPrices,
} from './parse-prices.ts';

interface Reading {
  readonly today: string;
  /** Throws when the answer is not 2xx. */
  readonly get: (url: string, token?: string) => Promise<Response>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type PriceSource = (wanted: WantedPrices, reading: Reading) => Promise<ReadPrices>;

/** By provider type. Types that are missing here keep what the file has. */
export const priceSources: Readonly<Record<string, PriceSource>> = {
  aws: async (wanted, { get }) => {
    const lists = 'https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/current';
    const { body } = await get(`${lists}/${wanted.region}/index.csv`);
    if (body === null) throw new Error('the answer is empty');
    return parseAws(createInterface({ input: Readable.from(body) }), wanted);
  },
  azure: async (wanted, { get, today }) => {
    const filter = `serviceName eq 'Virtual Machines' and armRegionName eq '${wanted.region}' and priceType eq 'Consumption'`;
    const query = new URLSearchParams({ 'api-version': '2023-01-01-preview', currencyCode: 'EUR', $filter: filter });
    const pages: AzurePage[] = [];
    for (let next: string | null | undefined = `https://prices.azure.com/api/retail/prices?${query}`; next; ) {
      const page = parseAzurePage(await (await get(next)).json());
      pages.push(page);
      next = page.NextPageLink;
    }
    return parseAzure(pages, wanted, today);
  },
  hetzner: async (wanted, { get, env, today }) => {
    const answer = await get('https://api.hetzner.cloud/v1/pricing', tokenIn(env, 'HCLOUD_TOKEN'));
    return parseHetzner(await answer.json(), wanted, today);
  },
  digitalocean: async (wanted, { get, env, today }) => {
    const answer = await get('https://api.digitalocean.com/v2/sizes?per_page=200', tokenIn(env, 'DIGITALOCEAN_TOKEN'));
    return parseDigitalOcean(await answer.json(), wanted, today);
  },
  gcp: async () => {
    throw new Error(
      'Google Cloud lists cores and memory, not machines, and needs an API key; enter its prices by hand',
    );
  },
};

function tokenIn(env: Reading['env'], name: string): string {
  const token = env[name];
  if (token === undefined || token === '') throw new Error(`set ${name} to a token that may read`);
  return token;
}
