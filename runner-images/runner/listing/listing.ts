/** What an account has of a cluster, asked with the logins and signatures of the checks of credentials. Nothing is changed. */
import { z } from 'zod';
import { CloudName } from '#domain/observed/cloud-texts.ts';
import { type CloudAnswer, clockFault } from '../provider-check/ask.ts';
import type { CheckInput } from '../provider-check/finding.ts';

export interface ListInput extends Pick<CheckInput, 'fields' | 'regions' | 'bases'> {
  /** Id of the cluster. */
  readonly cluster: string;
}

export interface ListedThing {
  readonly id: string;
  /** For machines, the name of the node. */
  readonly name: string;
  readonly kind: 'machine' | 'volume' | 'address' | 'firewall' | 'key';
  /** Region or zone, where a request about it has to name one. */
  readonly place?: string;
  /** Its id in Terraform's state. @default `id` */
  readonly stateId?: string;
}

/** Throws `NotListed`, or `CheckRefused` when there is no login or no answer. */
export type ListOfType = (input: ListInput) => Promise<readonly ListedThing[]>;

/** Nothing counts as listed then: half a list would say that the rest is gone. */
export class NotListed extends Error {
  /** The cloud says that the credentials may not list: a person has to grant it. */
  readonly isDenied: boolean;

  constructor(what: string, why: string, isDenied = false) {
    super(`${what} cannot be listed: ${why}`);
    this.name = 'NotListed';
    this.isDenied = isDenied;
  }
}

/**
 * Whether a refusal says that a permission is missing. The status says too little: 403 is also a revoked key, a signature that is too
 * old, an API that is not enabled.
 */
export type DeniedBy = (answer: CloudAnswer) => boolean;

/** Why a cloud refused, in words for people. A wrong clock comes before what the cloud made of it. */
export function refusalOf(answer: CloudAnswer, denies: DeniedBy): { readonly why: string; readonly isDenied: boolean } {
  const status = `HTTP ${answer.status}`;
  const clock = clockFault(answer);
  if (clock !== undefined) return { why: `${status}: ${clock}`, isDenied: false };
  const isDenied = denies(answer);
  return { why: isDenied ? `${status}: a permission is missing` : status, isDenied };
}

/** The tag, label or metadata that the modules of all types give. */
export const clusterTag = 'kubeloom-cluster';

/** More pages than any cluster has: a cloud that always has another one is out of order. */
const mostPages = 500;

/** Reads a list to its end. `next` of a page is asked with in turn; a page that was asked for already is a fault. */
export async function allPages<Item>(
  what: string,
  page: (next: string | undefined) => Promise<{ readonly items: readonly Item[]; readonly next?: string | undefined }>,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  const asked = new Set<string>();
  for (let next: string | undefined; ; ) {
    const { items, next: following } = await page(next);
    found.push(...items);
    if (following === undefined || following === '') return found;
    if (asked.has(following) || asked.size >= mostPages) throw new NotListed(what, 'it returns endless pages');
    asked.add(following);
    next = following;
  }
}

/** The answer in its shape. Throws `NotListed` for a refusal and for another shape. */
export function shaped<Schema extends z.ZodType>(
  what: string,
  answer: CloudAnswer,
  { schema, denies }: { readonly schema: Schema; readonly denies: DeniedBy },
): z.infer<Schema> {
  if (answer.status >= 300) {
    const { why, isDenied } = refusalOf(answer, denies);
    throw new NotListed(what, why, isDenied);
  }
  const read = schema.safeParse(answer.body);
  if (read.success) return read.data;
  throw new NotListed(what, 'the answer has another form');
}

/** Tags, labels or metadata of one thing: only ours is read, others may be anything. */
export const Tags = z
  .object({ [clusterTag]: CloudName.optional() })
  .nullish()
  .catch(undefined);

export function isTagged(tags: z.infer<typeof Tags>, cluster: string): boolean {
  return tags?.[clusterTag] === cluster;
}

/** The name of the node: machines have that of the cluster before it. */
export function plainName(name: string, cluster: string): string {
  return name.startsWith(`${cluster}-`) ? name.slice(cluster.length + 1) : name;
}

/** Each region in turn, one list. Throws `NotListed` when none is known: no answer is not an empty one. */
export async function eachRegion(
  { regions }: Pick<ListInput, 'regions'>,
  list: (region: string) => Promise<readonly ListedThing[]>,
): Promise<readonly ListedThing[]> {
  if (regions.length === 0) throw new NotListed('machines', 'no region of the cluster is known');
  return (await Promise.all(regions.map(list))).flat();
}
