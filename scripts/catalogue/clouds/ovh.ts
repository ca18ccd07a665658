/** OVHcloud: a public price table; its regions are entered by hand. */
import { factsFrom, rowOf } from '#domain/catalogue/catalogue-rows.ts';
import type { CatalogueSource } from '../catalogue-source.ts';
import { tableTypes } from '../price-table.ts';

export const catalogue: CatalogueSource = async ({ file, before }) => {
  if (before === undefined) throw new Error('enter the regions of OVHcloud by hand');
  const table = tableTypes(await file('mixxor/eu-cloud-prices', 'prices/ovh.json'));
  return {
    ...before,
    serverTypes: factsFrom(
      table,
      'flavors',
      table.types.map((row) => rowOf(row)),
    ),
  };
};
