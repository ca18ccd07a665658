/** Exoscale: a public price table; its zones are entered by hand. */
import { factsFrom, rowOf } from '#domain/catalogue/catalogue-rows.ts';
import type { CatalogueSource } from '../catalogue-source.ts';
import { tableTypes } from '../price-table.ts';

export const catalogue: CatalogueSource = async ({ file, before }) => {
  if (before === undefined) throw new Error('enter the zones of Exoscale by hand');
  const table = tableTypes(await file('mixxor/eu-cloud-prices', 'prices/exoscale.json'));
  return {
    ...before,
    serverTypes: factsFrom(
      table,
      'instance types',
      table.types.map((row) => rowOf(row)),
    ),
  };
};
