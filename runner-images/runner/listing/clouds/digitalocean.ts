/** DigitalOcean: droplets and volumes of the account, by the tag of the cluster. */
import { z } from 'zod';
import { CloudId, CloudName, PageToken } from '#domain/observed/cloud-texts.ts';
import { type askCloud, askWithToken } from '../../provider-check/ask.ts';
import { allPages, clusterTag, type DeniedBy, type ListInput, type ListOfType, plainName, shaped } from '../listing.ts';

const Things = z.array(
  z.object({ id: z.union([z.int().positive(), CloudId]), name: CloudName, tags: z.array(CloudName).nullish() }),
);
const schema = z.object({
  droplets: Things.optional(),
  volumes: Things.optional(),
  links: z.object({ pages: z.object({ next: PageToken.optional() }).optional() }).optional(),
});

export const list: ListOfType = async (input) => {
  const { cluster } = input;
  const ask = digitalOceanOf(input);
  const tag = tagOf(cluster);
  const listed = async (word: 'droplets' | 'volumes', kind: 'machine' | 'volume', filter: Record<string, string>) => {
    const things = await allPages(word, async (page = '1') => {
      const query = new URLSearchParams({ ...filter, page, per_page: '200' });
      const answer = shaped(word, await ask(`${word}?${query}`), { schema, denies });
      const items = Things.parse(answer[word]);
      const isLast = answer.links?.pages?.next === undefined || items.length === 0;
      return { items, next: isLast ? undefined : `${Number(page) + 1}` };
    });
    return things
      .filter(({ tags }) => tags?.includes(tag))
      .map(({ id, name }) => ({ id: `${id}`, name: plainName(name, cluster), kind }));
  };
  // Volumes cannot be asked for by tag.
  const lists = [listed('droplets', 'machine', { tag_name: tag }), listed('volumes', 'volume', {})];
  return (await Promise.all(lists)).flat();
};

export function tagOf(cluster: string): string {
  return `${clusterTag}:${cluster}`;
}

/** Asks a path below `/v2/`. */
export function digitalOceanOf({ fields, bases }: Pick<ListInput, 'fields' | 'bases'>): typeof askCloud {
  const base = `${bases.api ?? 'https://api.digitalocean.com'}/v2`;
  return (path, options) => askWithToken(fields.token, `${base}/${path}`, options);
}

/** The token lacks a scope. */
export const denies: DeniedBy = ({ status }) => status === 403;
