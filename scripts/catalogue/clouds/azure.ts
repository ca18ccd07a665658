/** Azure: the sizes that the cluster autoscaler lists, the regions where Karpenter knows a price of each, and zones as Azure's modules have them. */
import { z } from 'zod';
import { factsFrom, rowOf, zonesRow } from '#domain/catalogue/catalogue-rows.ts';
import type { CatalogueSource } from '../catalogue-source.ts';
import { goTypes } from '../go-types.ts';

export const catalogue: CatalogueSource = async ({ file }) => {
  const prices = await file('Azure/karpenter-provider-azure', 'pkg/providers/pricing/zz_generated.pricing.go');
  const table = await file('kubernetes/autoscaler', 'cluster-autoscaler/cloudprovider/azure/azure_instance_types.go');
  const locations = await file('Azure/terraform-azurerm-avm-utl-regions', 'modules/cached-data/locations.tf.json');
  const sold = azurePrices(prices.text);
  const regions = factsFrom(prices, 'regions with prices of machines', sold.keys());
  const rows = goTypes(table.text).map((row) => {
    const soldIn = new Set([...sold].filter(([, types]) => types.has(row.name)).map(([region]) => region));
    // Sizes without a price anywhere are sold in no public list: nothing is known of their regions.
    return rowOf(soldIn.size === 0 ? row : { ...row, soldIn }, regions.rows);
  });
  const types = factsFrom(table, 'sizes of machines', rows);
  const zones = factsFrom(locations, 'availability zones of regions', azureZones(locations.text));
  return { regions, zones, serverTypes: { ...types, source: `${types.source}, with regions as in ${prices.origin}` } };
};

const Locations = z.object({
  locals: z.object({
    locations_cached: z.object({
      value: z.array(
        z.object({
          name: z.string(),
          metadata: z.object({ regionType: z.string() }),
          availabilityZoneMappings: z.array(z.object({ logicalZone: z.string() })).optional(),
        }),
      ),
    }),
  }),
});

/** Rows of the regions where machines can be; those without mappings have no zones. */
export function azureZones(json: string): readonly string[] {
  const all = Locations.parse(JSON.parse(json)).locals.locations_cached.value;
  return all
    .filter(({ metadata }) => metadata.regionType === 'Physical')
    .map(({ name, availabilityZoneMappings: zones = [] }) =>
      zonesRow(
        name,
        zones.map(({ logicalZone }) => logicalZone),
      ),
    );
}

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
