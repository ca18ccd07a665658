/** Hetzner: its API, with a token; without one the server types of a public price table. */
import { z } from 'zod';
import { type CatalogueSource, factsFrom, rowOf } from '../catalogue-source.ts';
import { tableTypes } from '../price-table.ts';

const Types = z.object({
  server_types: z.array(
    z.object({
      name: z.string(),
      cores: z.number(),
      memory: z.number(),
      architecture: z.enum(['x86', 'arm']),
      prices: z.array(z.object({ location: z.string() })),
    }),
  ),
});
const Locations = z.object({ locations: z.array(z.object({ name: z.string() })) });
const Images = z.object({ images: z.array(z.object({ name: z.string().nullable() })) });

export const catalogue: CatalogueSource = async ({ file, get, env, today, before }) => {
  const { HCLOUD_TOKEN: token } = env;
  if (token) {
    const api = (path: string) => get(`https://api.hetzner.cloud/v1/${path}`, token);
    const [types, locations, images] = [
      await api('server_types?per_page=50'),
      await api('locations'),
      await api('images?type=system&per_page=50'),
    ];
    return hetznerAnswers({ types, locations, images }, today);
  }
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

export function hetznerAnswers(
  answers: Record<'types' | 'locations' | 'images', unknown>,
  today: string,
): Awaited<ReturnType<CatalogueSource>> {
  const from = { origin: "Hetzner's API", date: today };
  const regions = factsFrom(
    from,
    'locations',
    Locations.parse(answers.locations).locations.map(({ name }) => name),
  );
  const rows = Types.parse(answers.types).server_types.map(({ name, cores, memory, architecture, prices }) =>
    rowOf(
      {
        name,
        cpus: cores,
        memory,
        arm: architecture === 'arm',
        soldIn: new Set(prices.map(({ location }) => location)),
      },
      regions.rows,
    ),
  );
  const images = Images.parse(answers.images).images.flatMap(({ name }) => name ?? []);
  return {
    regions,
    serverTypes: factsFrom(from, 'server types', rows),
    images: factsFrom(from, 'system images', images),
  };
}
