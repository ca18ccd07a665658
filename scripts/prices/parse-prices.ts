/** What the price lists of clouds say, in our form. They read text only; fetching is in `price-sources.ts`. */
import { z } from 'zod';
import { cents, type PriceList } from '#domain/prices/machine-prices.ts';

/** The types of one provider in one region; `region` is `*` where prices are the same everywhere. */
export interface WantedPrices {
  readonly region: string;
  readonly types: readonly string[];
}
/** Of `WantedPrices`; types that the answer lacks are missing in `prices`. */
export type ReadPrices = Omit<PriceList, 'regions'>;

/**
 * The CSV of EC2 in AWS' price list bulk API: five lines about the file, then a header, then hundreds of thousands of rows, so it is
 * read line by line. Linux, on demand, shared tenancy, without software; a row costs nothing where capacity is reserved.
 */
export async function parseAws(lines: AsyncIterable<string>, { types }: WantedPrices): Promise<ReadPrices> {
  const wanted = new Set(types);
  const prices: Record<string, number> = {};
  let date = '';
  let columns: readonly string[] | undefined;
  for await (const line of lines) {
    const cells = cellsOf(line);
    if (cells[0] === 'Publication Date') date = cells[1]?.slice(0, 10) ?? '';
    if (columns === undefined) {
      if (cells[0] === 'SKU') columns = cells;
      continue;
    }
    const row = (name: string) => cells[columns?.indexOf(name) ?? -1] ?? '';
    if (!wanted.has(row('Instance Type')) || Object.entries(awsRow).some(([name, value]) => row(name) !== value))
      continue;
    const price = Number(row('PricePerUnit'));
    if (price > 0) prices[row('Instance Type')] = price;
  }
  return {
    ...{ provider: 'aws', currency: 'USD', per: 'hour', date, prices },
    source: 'EC2 on-demand prices of AWS, Linux (price list bulk API)',
  };
}

const awsRow = {
  TermType: 'OnDemand',
  Unit: 'Hrs',
  Currency: 'USD',
  Tenancy: 'Shared',
  'Operating System': 'Linux',
  'Pre Installed S/W': 'NA',
  CapacityStatus: 'Used',
} as const;

/** Cells of a line of CSV; quotes are doubled inside of quotes. */
function cellsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'),
  );
}

const AzurePage = z.object({
  Items: z.array(
    z.object({
      armSkuName: z.string(),
      productName: z.string(),
      skuName: z.string(),
      retailPrice: z.number(),
      unitOfMeasure: z.string(),
      currencyCode: z.string(),
      type: z.string(),
    }),
  ),
  NextPageLink: z.string().nullish(),
});
export type AzurePage = z.infer<typeof AzurePage>;

export function parseAzurePage(answer: unknown): AzurePage {
  return AzurePage.parse(answer);
}

/** Pay as you go, Linux; not spot, not low priority. Of several meters of a type the cheapest is its list price without licences. */
export function parseAzure(pages: readonly AzurePage[], { types }: WantedPrices, today: string): ReadPrices {
  const wanted = new Set(types);
  const prices: Record<string, number> = {};
  for (const item of pages.flatMap(({ Items }) => Items)) {
    const other = /Windows|CloudServices/i.test(item.productName) || /Spot|Low Priority/.test(item.skuName);
    if (other || item.type !== 'Consumption' || item.unitOfMeasure !== '1 Hour' || item.retailPrice <= 0) continue;
    if (!wanted.has(item.armSkuName) || item.currencyCode !== 'EUR') continue;
    prices[item.armSkuName] = Math.min(item.retailPrice, prices[item.armSkuName] ?? Number.POSITIVE_INFINITY);
  }
  return {
    ...{ provider: 'azure', currency: 'EUR', per: 'hour', date: today, prices },
    source: 'retail prices API of Azure, pay as you go, Linux',
  };
}

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
    ...{ provider: 'hetzner', currency, per: 'month', date: today, prices: Object.fromEntries(prices) },
    source: "Hetzner's price API, with one primary IPv4 address, without VAT",
  };
}

const DigitalOceanSizes = z.object({ sizes: z.array(z.object({ slug: z.string(), price_monthly: z.number() })) });

export function parseDigitalOcean(answer: unknown, { types }: WantedPrices, today: string): ReadPrices {
  const { sizes } = DigitalOceanSizes.parse(answer);
  const prices = sizes
    .filter(({ slug }) => types.includes(slug))
    .map(({ slug, price_monthly: price }) => [slug, price]);
  return {
    ...{ provider: 'digitalocean', currency: 'USD', per: 'month', date: today, prices: Object.fromEntries(prices) },
    source: "DigitalOcean's API, sizes",
  };
}
