/** Hetzner: servers, volumes, firewalls and keys of the project, by the label of the cluster. */
import { z } from 'zod';
import { CloudName, CloudWord } from '#domain/observed/cloud-texts.ts';
import { type askCloud, askWithToken, type CloudAnswer } from '../../provider-check/ask.ts';
import { allPages, clusterTag, type DeniedBy, type ListInput, type ListOfType, plainName, shaped } from '../listing.ts';

const kinds = { servers: 'machine', volumes: 'volume', firewalls: 'firewall', ssh_keys: 'key' } as const;
const Things = z.array(z.object({ id: z.int().positive(), name: CloudName }));
const schema = z.object({
  servers: Things.optional(),
  volumes: Things.optional(),
  firewalls: Things.optional(),
  ssh_keys: Things.optional(),
  meta: z.object({ pagination: z.object({ next_page: z.int().positive().nullish() }).optional() }).optional(),
});

export const list: ListOfType = async (input) => {
  const { cluster } = input;
  const ask = hetznerOf(input);
  const lists = (Object.keys(kinds) as (keyof typeof kinds)[]).map(async (word) => {
    const things = await allPages(word, async (page = '1') => {
      const query = new URLSearchParams({ label_selector: `${clusterTag}==${cluster}`, page, per_page: '50' });
      const answer = shaped(word, await ask(`${word}?${query}`), { schema, denies });
      return { items: Things.parse(answer[word]), next: answer.meta?.pagination?.next_page?.toString() };
    });
    return things.map(({ id, name }) => ({ id: `${id}`, name: plainName(name, cluster), kind: kinds[word] }));
  });
  return (await Promise.all(lists)).flat();
};

/** Asks a path below `/v1/`. */
export function hetznerOf({ fields, bases }: Pick<ListInput, 'fields' | 'bases'>): typeof askCloud {
  const base = `${bases.api ?? 'https://api.hetzner.cloud'}/v1`;
  return (path, options) => askWithToken(fields.credentials, `${base}/${path}`, options);
}

const Coded = z.object({ error: z.object({ code: CloudWord }) });

export function isProtected({ json }: Pick<CloudAnswer, 'json'>): boolean {
  return Coded.safeParse(json).data?.error.code === 'protected';
}

export const denies: DeniedBy = (answer) => answer.status === 403 && !isProtected(answer);
