/** DigitalOcean: its regions, sizes, and images of distributions. */
import { z } from 'zod';
import { factsFrom, rowOf } from '#domain/catalogue/catalogue-rows.ts';
import { CloudWord } from '#domain/observed/cloud-texts.ts';
import { denies, digitalOceanOf } from '../../listing/clouds/digitalocean.ts';
import { type CloudReader, wholeList } from '../cloud-reader.ts';

const Region = z.object({ slug: CloudWord });
const Size = z.object({
  slug: CloudWord,
  vcpus: z.int().positive(),
  /** In MB. */
  memory: z.number().positive(),
  regions: z.array(CloudWord),
});
const Image = z.object({ slug: CloudWord.nullable() });

export const digitalOceanOffer: CloudReader = async ({ today, ...input }) => {
  const ask = digitalOceanOf(input);
  const places = await wholeList(ask, { word: 'regions', item: Region, denies });
  const sizes = await wholeList(ask, { word: 'sizes', item: Size, denies });
  const images = await wholeList(ask, { word: 'images', item: Image, filter: { type: 'distribution' }, denies });
  const from = { origin: "DigitalOcean's API", date: today };
  const regions = factsFrom(
    from,
    'regions',
    places.map(({ slug }) => slug),
  );
  const rows = sizes.map(({ slug: name, vcpus: cpus, memory, regions: soldIn }) =>
    rowOf({ name, cpus, memory: memory / 1024, arm: false, gpus: gpusOf(name), soldIn: new Set(soldIn) }, regions.rows),
  );
  const names = images.flatMap(({ slug }) => slug ?? []);
  return {
    regions,
    serverTypes: factsFrom(from, 'sizes', rows),
    ...(names.length > 0 && { images: factsFrom(from, 'images', names) }),
  };
};

/** `gpu-h100x8-640gb` has 8. */
const gpusOf = (slug: string): number => Number(/^gpu-[a-z0-9]+x(\d+)-/.exec(slug)?.[1] ?? 0);
