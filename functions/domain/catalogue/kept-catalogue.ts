/** A list that a cloud answered to a runner of an installation: its closed form, and when it takes the place of the one that comes with Kubeloom. */
import { z } from 'zod';
import { closedText } from '../observed/closed-texts.ts';
import { type Catalogue, readCatalogue } from './catalogue.ts';

/** Provider types whose clouds answer with all that they sell. */
export const RefreshedType = z.enum(['hetzner', 'digitalocean']);
export type RefreshedType = z.infer<typeof RefreshedType>;

/** Artifact of a list. */
export const keptCatalogueKey = (type: RefreshedType): string => `catalogue/${type}.json`;

const factsOf = (row: z.ZodType<string>, most: number) =>
  z.strictObject({
    date: z.iso.date(),
    source: closedText(100, /^[A-Za-z][A-Za-z ,']*$/),
    rows: z.array(row).check(z.minLength(1), z.maxLength(most)),
  });

const name = closedText(100, /^[A-Za-z0-9][\w.-]*$/);
const typeRow = closedText(
  250,
  /^[A-Za-z0-9][\w.-]* (?:\?|\d{1,5}(?:\.\d{1,2})?) (?:\?|\d{1,6}(?:\.\d{1,2})?)(?: (?:x86|arm)(?: \d{1,3}(?: [0-9a-f]{1,64})?)?)?$/,
);

/** `CatalogueFile` with patterns and lengths. */
export const KeptCatalogue = z.strictObject({
  regions: factsOf(name, 250),
  serverTypes: factsOf(typeRow, 3000),
  images: factsOf(name, 1000).optional(),
});
export type KeptCatalogue = z.infer<typeof KeptCatalogue>;

/** A clock may be off, and days begin at other times elsewhere. */
const aheadMs = 86_400_000;

/** The list as it is to be used, or why the other one stays. A list that lies may add names, and hides no more than half of those known. */
export function judgeKept(
  content: unknown,
  other: Catalogue,
  now: Date,
): { readonly catalogue: Catalogue } | { readonly ignored: string } {
  const { data } = KeptCatalogue.safeParse(content);
  if (data === undefined) return { ignored: 'it has another form' };
  const { date } = data.serverTypes;
  if (Date.parse(date) > now.getTime() + aheadMs) return { ignored: `its date ${date} is in the future` };
  const { date: known = '' } = other.file.serverTypes ?? {};
  if (date <= known) return { ignored: `it is of ${date}, and not newer than the list of ${known}` };
  for (const [what, read, before] of [
    ['server types', data.serverTypes.rows, other.typeNames],
    ['regions', data.regions.rows, other.regions],
  ] as const)
    if (read.length * 2 < before.length)
      return { ignored: `it has ${read.length} ${what}, less than half of the ${before.length} that are known` };
  return { catalogue: readCatalogue(data) };
}
