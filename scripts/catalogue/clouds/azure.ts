/** Azure: the sizes that the cluster autoscaler lists, and the regions where Karpenter knows a price of each. */
import { type CatalogueSource, factsFrom, rowOf } from '../catalogue-source.ts';
import { goTypes } from '../go-types.ts';

export const catalogue: CatalogueSource = async ({ file }) => {
  const prices = await file('Azure/karpenter-provider-azure', 'pkg/providers/pricing/zz_generated.pricing.go');
  const table = await file('kubernetes/autoscaler', 'cluster-autoscaler/cloudprovider/azure/azure_instance_types.go');
  const sold = azurePrices(prices.text);
  const regions = factsFrom(prices, 'regions with prices of machines', sold.keys());
  const rows = goTypes(table.text).map((row) => {
    const soldIn = new Set([...sold].filter(([, types]) => types.has(row.name)).map(([region]) => region));
    // Sizes without a price anywhere are sold in no public list: nothing is known of their regions.
    return rowOf(soldIn.size === 0 ? row : { ...row, soldIn }, regions.rows);
  });
  const types = factsFrom(table, 'sizes of machines', rows);
  return { regions, serverTypes: { ...types, source: `${types.source}, with regions as in ${prices.origin}` } };
};

/** Names of sizes by region. */
export function azurePrices(go: string): ReadonlyMap<string, ReadonlySet<string>> {
  const sections = go.split('initialOnDemandPrices["').slice(1);
  return new Map(
    sections.map((section) => [
      section.slice(0, section.indexOf('"')),
      new Set([...section.matchAll(/^\t\t"([^"]+)":/gm)].map(([, name = '']) => name)),
    ]),
  );
}
