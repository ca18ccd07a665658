/** Which types that come with Kubeloom can list what they have of a cluster, apart from those that have a hook for it. */
import type { ProviderInstance } from '#domain/cluster-state.ts';
import type { ProviderTypeName } from '#domain/provider-types.ts';
import { CheckRefused } from '../provider-check/ask.ts';
import { isRegion } from '../provider-check/check-provider.ts';
import { type ListedThing, type ListInput, type ListOfType, NotListed } from './listing.ts';

/** A file in `clouds/` for each. Machines of CloudRift have neither a name nor a tag. */
export const listedTypes = [
  'aws',
  'azure',
  'gcp',
  'oci',
  'ovh',
  'openstack',
  'exoscale',
  'verda',
] as const satisfies readonly ProviderTypeName[];

/** Modules of a user's own give names and tags that are not known here: their folder may have a hook. */
export function isListed({ type, templates }: Pick<ProviderInstance, 'type' | 'templates'>): boolean {
  return templates.startsWith('builtin@') && listedTypes.some((one) => one === type);
}

/** Why it could not be listed. */
export interface NotKnown {
  readonly failed: string;
  /** The credentials may not list. */
  readonly denied?: true;
}

/** Never throws for the answer of a cloud. */
export async function listCluster(
  type: string,
  input: ListInput,
): Promise<{ readonly items: readonly ListedThing[] } | NotKnown> {
  const odd = input.regions.find((region) => !isRegion(region));
  if (odd !== undefined) return { failed: `${odd} is not a valid name of a region` };
  try {
    // Only that of the type is loaded.
    const { list }: { readonly list: ListOfType } = await import(`./clouds/${type}.ts`);
    return { items: await list(input) };
  } catch (error) {
    if (error instanceof NotListed) return { failed: error.message, ...(error.isDenied && { denied: true }) };
    if (error instanceof CheckRefused) return { failed: `${error.finding.name} ${error.finding.message}` };
    // An answer in an unexpected form; its text may contain anything, so it is not shown.
    if (error instanceof Error && /^(Zod|Syntax)/.test(error.name)) return { failed: 'the answer has another form' };
    throw error;
  }
}
