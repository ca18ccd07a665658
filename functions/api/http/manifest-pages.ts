/** Pages of manifests that a caller may see. */
import type { PageQuery } from '#contracts/http-parameters.ts';
import type { ManifestHead } from '#contracts/records.ts';
import { namespacesWith } from '#domain/access.ts';
import { PipelineError } from '#domain/errors.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { StoredManifests } from '../../manifest-store.ts';

/** Manifests of one namespace, or of all namespaces in which the caller is a viewer. */
export async function visibleManifests<Stored extends ManifestHead>(
  list: ListOf<Stored>,
  caller: AdmittedCaller,
  query: PageQuery & { readonly namespace?: string | undefined },
): Promise<StoredManifests<Stored>> {
  const { namespace, limit, next } = query;
  const seen = namespacesWith(caller.grants, 'viewer');
  return namespace === undefined && seen !== '*' ? pageOfSome(list, seen, query) : list(namespace, limit, next);
}

/** A page of one namespace or of all, as a store lists it. */
type ListOf<Stored extends ManifestHead> = (
  namespace: string | undefined,
  limit: number,
  next?: string,
) => Promise<StoredManifests<Stored>>;

/**
 * Namespace by namespace: a cursor through all of them would name manifests in namespaces of others. The cursor is
 * `<namespace>:<cursor in it>`; without the latter, the namespace starts from the beginning.
 */
async function pageOfSome<Stored extends ManifestHead>(
  list: ListOf<Stored>,
  namespaces: readonly string[],
  { limit, next }: PageQuery,
): Promise<StoredManifests<Stored>> {
  const [, from = '', cursor = ''] = /^([^:]+):(.*)$/.exec(next ?? '') ?? [];
  if (next !== undefined && from === '') {
    const message = '`next` is not a cursor of this listing; leave it out to start again';
    throw new PipelineError('InvalidInput', message);
  }
  const items: Stored[] = [];
  const unreadable: StoredManifests['unreadable'][number][] = [];
  // The caller may have lost a role since the last page: the next page starts in a later namespace.
  for (const namespace of namespaces.filter((one) => one >= from)) {
    const found = items.length + unreadable.length;
    if (found === limit) return { items, unreadable, next: `${namespace}:` };
    const inside = namespace === from && cursor !== '' ? cursor : undefined;
    const page = await list(namespace, limit - found, inside);
    items.push(...page.items);
    unreadable.push(...page.unreadable);
    if (page.next !== undefined) return { items, unreadable, next: `${namespace}:${page.next}` };
  }
  return { items, unreadable };
}
