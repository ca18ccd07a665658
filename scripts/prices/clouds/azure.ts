/** Azure: its retail prices API, without a login. */
import { z } from 'zod';
import type { PriceSource, ReadPrices, WantedPrices } from '../price-source.ts';

export const prices: PriceSource = async (wanted, { get, today }) => {
  const filter = `serviceName eq 'Virtual Machines' and armRegionName eq '${wanted.region}' and priceType eq 'Consumption'`;
  const query = new URLSearchParams({ 'api-version': '2023-01-01-preview', currencyCode: 'EUR', $filter: filter });
  const pages: AzurePage[] = [];
  for (let next: string | null | undefined = `https://prices.azure.com/api/retail/prices?${query}`; next; ) {
    const page = parseAzurePage(await (await get(next)).json());
    pages.push(page);
    next = page.NextPageLink;
  }
  return parseAzure(pages, wanted, today);
};

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
    provider: 'azure',
    currency: 'EUR',
    per: 'hour',
    date: today,
    prices,
    source: 'retail prices API of Azure, pay as you go, Linux',
  };
}
