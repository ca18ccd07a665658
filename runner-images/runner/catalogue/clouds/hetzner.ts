/** Hetzner: its locations, server types, and images of its own. */
import { z } from 'zod';
import { factsFrom, rowOf } from '#domain/catalogue/catalogue-rows.ts';
import { CloudWord } from '#domain/observed/cloud-texts.ts';
import { denies, hetznerOf } from '../../listing/clouds/hetzner.ts';
import { type CloudReader, wholeList } from '../cloud-reader.ts';

const Location = z.object({ name: CloudWord });
const Type = z.object({
  name: CloudWord,
  cores: z.int().positive(),
  memory: z.number().positive(),
  architecture: z.enum(['x86', 'arm']),
  prices: z.array(z.object({ location: CloudWord })),
});
const Image = z.object({ name: CloudWord.nullable() });

export const hetznerOffer: CloudReader = async ({ today, ...input }) => {
  const ask = hetznerOf(input);
  const places = await wholeList(ask, { word: 'locations', item: Location, denies });
  const types = await wholeList(ask, { word: 'server_types', item: Type, denies });
  const images = await wholeList(ask, { word: 'images', item: Image, filter: { type: 'system' }, denies });
  const from = { origin: "Hetzner's API", date: today };
  const regions = factsFrom(
    from,
    'locations',
    places.map(({ name }) => name),
  );
  const rows = types.map(({ name, cores: cpus, memory, architecture, prices }) => {
    const soldIn = new Set(prices.map(({ location }) => location));
    return rowOf({ name, cpus, memory, arm: architecture === 'arm', soldIn }, regions.rows);
  });
  const names = images.flatMap(({ name }) => name ?? []);
  return {
    regions,
    serverTypes: factsFrom(from, 'server types', rows),
    ...(names.length > 0 && { images: factsFrom(from, 'system images', names) }),
  };
};
