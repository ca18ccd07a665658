/** Which types that come with Kubeloom can list what they have of a cluster, apart from those that have a hook for it. */
import type { ProviderInstance } from '#domain/cluster-state.ts';
import { providerTypeFacts } from '#domain/provider-types.ts';
import { CheckRefused } from '../provider-check/ask.ts';
import { isRegion } from '../provider-check/check-provider.ts';
import { type ListedThing, type ListInput, type ListOfType, NotListed } from './listing.ts';
import { NotDone } from './machine-acts.ts';

/** Modules of a user's own give names and tags that are not known here: their folder may have a hook. */
export function isListed({ type, templates }: Pick<ProviderInstance, 'type' | 'templates'>): boolean {
  return templates.startsWith('builtin@') && providerTypeFacts(type)?.strays !== undefined;
}

/** Why it could not be listed, or acted on. */
export interface NotKnown {
  readonly failed: string;
  /** The cloud says that a permission is missing. */
  readonly denied?: true;
  /** A person has to act: the login is refused, a permission is missing, or the cloud keeps what it was asked to stop or delete. */
  readonly needs?: 'credentials' | 'user';
}

/** Never throws for the answer of a cloud. */
export async function listCluster(
  type: string,
  input: ListInput,
): Promise<{ readonly items: readonly ListedThing[] } | NotKnown> {
  const invalid = input.regions.find((region) => !isRegion(region));
  if (invalid !== undefined) return { failed: `${invalid} is not a valid name of a region` };
  return orNotKnown(async () => {
    // Only that of the type is loaded.
    const { list }: { readonly list: ListOfType } = await import(`./clouds/${type}.ts`);
    return { items: await list(input) };
  });
}

/** What clouds refuse, as a value; everything else is thrown. */
export async function orNotKnown<Answer>(ask: () => Promise<Answer>): Promise<Answer | NotKnown> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof NotListed)
      return { failed: error.message, ...(error.isDenied && { denied: true, needs: 'credentials' }) };
    if (error instanceof NotDone) {
      const { message: failed, reason } = error;
      return { failed, ...(reason !== 'passing' && { needs: reason === 'kept' ? 'user' : 'credentials' }) };
    }
    if (error instanceof CheckRefused) {
      const { name, message, ok } = error.finding;
      return { failed: `${name} ${message}`, ...(ok === false && { needs: 'credentials' }) };
    }
    // An answer in an unexpected form; its text may contain anything, so it is not shown.
    if (error instanceof Error && /^(Zod|Syntax)/.test(error.name)) return { failed: 'the answer has another form' };
    throw error;
  }
}
