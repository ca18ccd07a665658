/** Google Cloud: instances, disks and addresses of the project, by the label of the cluster. */
import { z } from 'zod';
import { closedText } from '#domain/observed/closed-texts.ts';
import { CloudWord, PageToken } from '#domain/observed/cloud-texts.ts';
import { askCloud, bearer, type CloudAnswer } from '../../provider-check/ask.ts';
import { gcpToken } from '../../provider-check/clouds/gcp.ts';
import {
  allPages,
  clusterTag,
  type DeniedBy,
  isTagged,
  type ListInput,
  type ListOfType,
  plainName,
  shaped,
  Tags,
} from '../listing.ts';

/** Number and name; the name becomes a part of an id of Terraform's. */
const Thing = z.object({
  id: closedText(20, /^[1-9][0-9]*$/),
  name: closedText(63, /^[a-z][-a-z0-9]*$/),
  labels: Tags,
});
const Things = z.array(Thing).default([]);
/** `zones/europe-west1-b`, `regions/europe-west1`, `global` */
const Place = closedText(100, /^(?:global|(?:zones|regions)\/[a-z0-9-]+)$/);
/** A place without anything has a warning in place of a list. */
const schema = z.object({
  items: z.record(Place, z.object({ instances: Things, disks: Things, addresses: Things })).optional(),
  nextPageToken: PageToken.optional(),
});
const kinds = { machine: 'instances', volume: 'disks', address: 'addresses' } as const;

export const list: ListOfType = async (input) => {
  const { fields, cluster } = input;
  const headers = bearer((await gcpToken(input)).token);
  const base = gcpProject(input);
  // As the modules name things: a name begins with a letter.
  const prefix = cluster.replace(/^[0-9]/, 'k');
  const found = await Promise.all(
    Object.entries(kinds).map(async ([kind, word]) => {
      const things = await allPages(word, async (next) => {
        const query = new URLSearchParams({
          filter: `labels.${clusterTag}=${cluster}`,
          maxResults: '500',
          ...(next !== undefined && { pageToken: next }),
        });
        const page = shaped(word, await askCloud(`${base}/aggregated/${word}?${query}`, { headers }), {
          schema,
          denies,
        });
        const items = Object.entries(page.items ?? {}).flatMap(([place, has]) =>
          has[word].map((thing) => ({ ...thing, place })),
        );
        return { items, next: page.nextPageToken };
      });
      return things
        .filter(({ labels }) => isTagged(labels, cluster))
        .map(({ id, name, place }) => ({
          id,
          name: plainName(name, prefix),
          kind: kind as keyof typeof kinds,
          place,
          stateId: `projects/${fields.gcpproject}/${place}/${word}/${name}`,
        }));
    }),
  );
  return found.flat();
};

export function gcpProject({ bases, fields }: Pick<ListInput, 'bases' | 'fields'>): string {
  return `${bases.compute ?? 'https://compute.googleapis.com'}/compute/v1/projects/${encodeURIComponent(fields.gcpproject ?? '')}`;
}

const Refusal = z.object({ error: z.object({ errors: z.array(z.object({ reason: CloudWord })) }) });

/** Whether one of the reasons of a refusal is this one. */
export function isBecause({ json }: Pick<CloudAnswer, 'json'>, wanted: string): boolean {
  return Refusal.safeParse(json).data?.error.errors.some(({ reason }) => reason === wanted) === true;
}

/** An API that is not enabled, and too many requests, have the same status and another reason. */
export const denies: DeniedBy = (answer) => isBecause(answer, 'forbidden');
