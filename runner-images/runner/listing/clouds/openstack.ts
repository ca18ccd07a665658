/** OpenStack: servers and volumes of the project in each region, taken by their metadata. */
import { z } from 'zod';
import { CloudId, CloudName, CloudWord } from '#domain/observed/cloud-texts.ts';
import { askCloud } from '../../provider-check/ask.ts';
import { logInToOpenstack } from '../../provider-check/clouds/openstack.ts';
import { allPages, type DeniedBy, isTagged, type ListOfType, NotListed, plainName, shaped, Tags } from '../listing.ts';

const Thing = z.object({ id: CloudId, name: CloudName.nullish(), metadata: Tags });
const Links = z.array(z.object({ rel: CloudWord })).optional();
const schema = z.object({
  servers: z.array(Thing).optional(),
  volumes: z.array(Thing).optional(),
  servers_links: Links,
  volumes_links: Links,
});
/** Types of services as catalogs name them, the newest first. */
const kinds = {
  machine: { list: 'servers', services: ['compute'] },
  volume: { list: 'volumes', services: ['block-storage', 'volumev3'] },
} as const;

export const list: ListOfType = async (input) => {
  const { cluster, regions, fields } = input;
  const { token, headers } = await logInToOpenstack(fields);
  const found = await Promise.all(
    Object.entries(kinds).map(async ([kind, { list: word, services }]) => {
      const service = services
        .map((type) => token.catalog.find((one) => one.type === type))
        .find((one) => one !== undefined);
      const ends = (service?.endpoints ?? []).filter(
        (end) => end.interface === 'public' && (regions.length === 0 || regions.includes(end.region ?? '')),
      );
      // A cloud without volumes has none that could be left.
      if (ends.length === 0 && kind === 'machine') throw new NotListed(word, 'the catalog has no such service');
      const things = await Promise.all(
        ends.map(async ({ url, region }) => {
          const found = await allPages(word, async (next) => {
            const query = new URLSearchParams({ limit: '200', ...(next !== undefined && { marker: next }) });
            const page = shaped(word, await askCloud(`${url}/${word}/detail?${query}`, { headers }), {
              schema,
              denies,
            });
            const items = page[word];
            if (items === undefined) throw new NotListed(word, 'the answer has another form');
            const more = (page[`${word}_links`] ?? []).some(({ rel }) => rel === 'next');
            return { items, next: more ? items.at(-1)?.id : undefined };
          });
          return found.map((thing) => ({ ...thing, ...(region && { place: region }) }));
        }),
      );
      return things
        .flat()
        .filter(({ metadata }) => isTagged(metadata, cluster))
        .map(({ id, name, metadata: _, ...place }) => ({
          id,
          name: plainName(name || id, cluster),
          kind: kind as keyof typeof kinds,
          ...place,
        }));
    }),
  );
  return found.flat();
};

/** "Policy doesn't allow … to be performed." */
export const denies: DeniedBy = ({ status, json }) => status === 403 && 'forbidden' in json;
