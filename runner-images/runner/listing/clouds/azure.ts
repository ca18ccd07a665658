/** Azure: machines, disks and public addresses of the subscription, taken by their tag. */
import { z } from 'zod';
import { closedText } from '#domain/observed/closed-texts.ts';
import { CloudName, CloudWord, PageToken } from '#domain/observed/cloud-texts.ts';
import { askCloud, bearer, type CloudAnswer } from '../../provider-check/ask.ts';
import { azureToken } from '../../provider-check/clouds/azure.ts';
import { allPages, type DeniedBy, isTagged, type ListOfType, NotListed, plainName, shaped, Tags } from '../listing.ts';

/** A resource id is a path. */
const Path = closedText(1000, /^\/subscriptions\/[\w.()/-]+$/i);
const schema = z.object({
  value: z.array(z.object({ id: Path, name: CloudName, tags: Tags })),
  nextLink: PageToken.nullish(),
});

export const azureApi = 'https://management.azure.com';

/** `error.code` of a refusal. */
export function azureCode({ json }: Pick<CloudAnswer, 'json'>): string | undefined {
  return z.object({ error: z.object({ code: CloudWord }) }).safeParse(json).data?.error.code;
}

export const denies: DeniedBy = (answer) => azureCode(answer) === 'AuthorizationFailed';

/** Azure lists all of a kind in a subscription; a filter by tag needs a permission that nothing else does. */
const kinds = {
  machine: 'Microsoft.Compute/virtualMachines?api-version=2024-07-01',
  volume: 'Microsoft.Compute/disks?api-version=2024-03-02',
  address: 'Microsoft.Network/publicIPAddresses?api-version=2024-05-01',
} as const;

export const list: ListOfType = async (input) => {
  const { cluster, bases, fields } = input;
  const headers = bearer(await azureToken(input));
  const base = bases.management ?? azureApi;
  const found = await Promise.all(
    Object.entries(kinds).map(async ([kind, path]) => {
      const things = await allPages(path, async (next) => {
        const url = next ?? `${base}/subscriptions/${fields.subscriptionid}/providers/${path}`;
        // The token goes nowhere else, whatever an answer names.
        if (new URL(url).origin !== new URL(base).origin) throw new NotListed(path, 'its next page is elsewhere');
        const { value, nextLink } = shaped(path, await askCloud(url, { headers }), { schema, denies });
        return { items: value, next: nextLink ?? undefined };
      });
      return things
        .filter(({ tags }) => isTagged(tags, cluster))
        .map(({ id, name }) => ({ id, name: plainName(name, cluster), kind: kind as keyof typeof kinds }));
    }),
  );
  return found.flat();
};
