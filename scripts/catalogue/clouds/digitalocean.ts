/** DigitalOcean: its API, with a token; without one the sizes of a public list. */
import { z } from 'zod';
import { type CatalogueSource, factsFrom, rowOf } from '../catalogue-source.ts';

const Sizes = z.object({
  sizes: z.array(z.object({ slug: z.string(), vcpus: z.number(), memory: z.number(), regions: z.array(z.string()) })),
});
const Regions = z.object({ regions: z.array(z.object({ slug: z.string() })) });
const Images = z.object({ images: z.array(z.object({ slug: z.string().nullable() })) });

export const catalogue: CatalogueSource = async ({ file, get, env, today, before }) => {
  const { DIGITALOCEAN_TOKEN: token } = env;
  if (token) {
    const api = (path: string) => get(`https://api.digitalocean.com/v2/${path}`, token);
    const [sizes, regions, images] = [
      await api('sizes?per_page=200'),
      await api('regions?per_page=200'),
      await api('images?type=distribution&per_page=200'),
    ];
    return digitalOceanAnswers({ sizes, regions, images }, today);
  }
  if (before === undefined) throw new Error('enter the regions of DigitalOcean by hand');
  const list = await file('sergeykuzmich/terraform-digitalocean-variables', 'do_sizes.tf');
  return { ...before, serverTypes: factsFrom(list, 'sizes', listedSizes(list.text)) };
};

export function digitalOceanAnswers(
  answers: Record<'sizes' | 'regions' | 'images', unknown>,
  today: string,
): Awaited<ReturnType<CatalogueSource>> {
  const from = { origin: "DigitalOcean's API", date: today };
  const regions = factsFrom(
    from,
    'regions',
    Regions.parse(answers.regions).regions.map(({ slug }) => slug),
  );
  const rows = Sizes.parse(answers.sizes).sizes.map(({ slug, vcpus, memory, regions: soldIn }) =>
    rowOf(
      { name: slug, cpus: vcpus, memory: memory / 1024, arm: false, gpus: gpusOf(slug), soldIn: new Set(soldIn) },
      regions.rows,
    ),
  );
  const images = Images.parse(answers.images).images.flatMap(({ slug }) => slug ?? []);
  return { regions, serverTypes: factsFrom(from, 'sizes', rows), images: factsFrom(from, 'images', images) };
}

/** `gpu-h100x8-640gb` has 8. */
const gpusOf = (slug: string): number => Number(/^gpu-[a-z0-9]+x(\d+)-/.exec(slug)?.[1] ?? 0);

/** `description = "1GB RAM; 1 CPU; 25GB SSD - $6/mo"` and then `default = "s-1vcpu-1gb"`. */
function listedSizes(text: string): string[] {
  const found = text.matchAll(/description = "(\d+)(GB|MB) RAM; (\d+) CPU[^"]*"\s+default +=\s+"([^"]+)"/g);
  return [...found].map(([, amount, unit, cpus, name = '']) =>
    rowOf({ name, cpus: Number(cpus), memory: unit === 'MB' ? Number(amount) / 1024 : Number(amount), arm: false }),
  );
}
