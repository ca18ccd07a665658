/** Hetzner: its API, with a token; without one the server types of a public price table. */
import { factsFrom, rowOf } from '#domain/catalogue/catalogue-rows.ts';
import { readCloud } from '#runner/catalogue/read-cloud.ts';
import type { CatalogueSource } from '../catalogue-source.ts';
import { tableTypes } from '../price-table.ts';

export const catalogue: CatalogueSource = async ({ file, env, today, before }) => {
  const { HCLOUD_TOKEN: credentials } = env;
  if (credentials) return readCloud('hetzner', { fields: { credentials }, today });
  if (before === undefined) throw new Error('enter the locations of Hetzner by hand');
  const table = tableTypes(await file('mixxor/eu-cloud-prices', 'prices/hetzner.json'));
  return {
    ...before,
    serverTypes: factsFrom(
      table,
      'server types',
      table.types.map((row) => rowOf(row)),
    ),
  };
};
