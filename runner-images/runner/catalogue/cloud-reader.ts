/** What a file in `clouds/` does: asks the API of its type for all that it sells. */
import { z } from 'zod';
import type { CatalogueFile } from '#domain/catalogue/catalogue.ts';
import { PageToken } from '#domain/observed/cloud-texts.ts';
import { allPages, type DeniedBy, NotListed, shaped } from '../listing/listing.ts';
import type { askCloud } from '../provider-check/ask.ts';
import type { CheckInput } from '../provider-check/finding.ts';

export interface CloudInput extends Pick<CheckInput, 'fields'>, Partial<Pick<CheckInput, 'bases'>> {
  /** `2026-11-28` */
  readonly today: string;
}

/** Throws `NotListed`, or `CheckRefused` when there is no login or no answer. */
export type CloudReader = (input: Required<CloudInput>) => Promise<CatalogueFile>;

/** With 50 things a page, more than any cloud sells. */
const mostPages = 40;

const Pagination = z.object({
  /** Hetzner's. */
  meta: z.object({ pagination: z.object({ next_page: z.int().positive().nullish() }).optional() }).optional(),
  /** DigitalOcean's. */
  links: z.object({ pages: z.object({ next: PageToken.optional() }).optional() }).optional(),
});

/** Both clouds count pages from 1 and say whether more follow. `word`: the name of the list in the answer, and of its path. */
export async function wholeList<Item extends z.ZodType>(
  ask: typeof askCloud,
  { word, item, filter = {}, denies }: ListRequest<Item>,
): Promise<readonly z.infer<Item>[]> {
  const found = await allPages(word, async (page = '1') => {
    if (Number(page) > mostPages) throw new NotListed(word, 'it returns endless pages');
    const query = new URLSearchParams({ ...filter, page, per_page: '50' });
    const answer = await ask(`${word}?${query}`);
    const { meta, links } = shaped(word, answer, { schema: Pagination, denies });
    const items = z.array(item).parse(answer.json[word]);
    const isLast = meta?.pagination?.next_page == null && links?.pages?.next === undefined;
    return { items, next: isLast || items.length === 0 ? undefined : `${Number(page) + 1}` };
  });
  if (found.length === 0) throw new NotListed(word, 'the list is empty');
  return found;
}

interface ListRequest<Item extends z.ZodType> {
  readonly word: string;
  readonly item: Item;
  readonly filter?: Readonly<Record<string, string>>;
  readonly denies: DeniedBy;
}
