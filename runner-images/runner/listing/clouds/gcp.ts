/** Google Cloud: instances, disks and addresses of the project, by the label of the cluster. */
import { z } from 'zod';
import { askCloud, bearer } from '../../provider-check/ask.ts';
import { tokenOf } from '../../provider-check/clouds/gcp.ts';
import { allPages, clusterTag, isTagged, type ListOfType, plainName, shaped, Tags } from '../listing.ts';

const Thing = z.object({ id: z.string(), name: z.string(), labels: Tags });
/** A place without anything has a warning in place of a list. */
const Page = z.object({
  items: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  nextPageToken: z.string().optional(),
});
const kinds = { machine: 'instances', volume: 'disks', address: 'addresses' } as const;

export const list: ListOfType = async (input) => {
  const { bases, fields, cluster } = input;
  const headers = bearer((await tokenOf(input)).token);
  const base = `${bases.compute ?? 'https://compute.googleapis.com'}/compute/v1/projects/${encodeURIComponent(fields.gcpproject ?? '')}`;
  // As the modules name things: a name begins with a letter.
  const prefix = cluster.replace(/^[0-9]/, 'k');
  const found = await Promise.all(
    Object.entries(kinds).map(async ([kind, word]) => {
      const things = await allPages(word, async (next) => {
        const query = new URLSearchParams({
          ...{ filter: `labels.${clusterTag}=${cluster}`, maxResults: '500' },
          ...(next !== undefined && { pageToken: next }),
        });
        const page = shaped(word, await askCloud(`${base}/aggregated/${word}?${query}`, { headers }), Page);
        const items = Object.values(page.items ?? {}).flatMap((place) => z.array(Thing).parse(place[word] ?? []));
        return { items, next: page.nextPageToken };
      });
      return things
        .filter(({ labels }) => isTagged(labels, cluster))
        .map(({ id, name }) => ({ id, name: plainName(name, prefix), kind: kind as keyof typeof kinds }));
    }),
  );
  return found.flat();
};
