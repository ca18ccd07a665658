/** Pages of manifests that a caller may see. */
import type { PageQuery } from '#contracts/http-parameters.ts';
import { namespacesWith } from '#domain/access.ts';
import { PipelineError } from '#domain/errors.ts';
import type { AdmittedCaller } from '../caller.ts';
import type { StoredManifests } from '../ports.ts';
import type { ApiPorts } from '../rights/api-uses.ts';

/** Of one namespace, or of all in which the caller is a viewer. */
export async function visibleManifests(
  deps: Pick<ApiPorts, 'manifests'>,
  caller: AdmittedCaller,
  query: PageQuery & { readonly namespace?: string | undefined },
): Promise<StoredManifests> {
  const { namespace, limit, next } = query;
  const seen = namespacesWith(caller.grants, 'viewer');
  return namespace === undefined && seen !== '*'
    ? pageOfSome(deps, seen, query)
    : deps.manifests.list(namespace, limit, next);
}

/**
 * Namespace by namespace: a cursor through all of them would name manifests in namespaces of others. The cursor is
 * `<namespace>:<cursor in it>`; without the latter, the namespace starts from the beginning.
 */
async function pageOfSome(
  deps: Pick<ApiPorts, 'manifests'>,
  namespaces: readonly string[],
  { limit, next }: PageQuery,
): Promise<StoredManifests> {
  const [, from = '', cursor = ''] = /^([^:]+):(.*)$/.exec(next ?? '') ?? [];
  if (next !== undefined && from === '') {
    const message = '`next` is not a cursor of this listing; leave it out to begin again';
    throw new PipelineError('InvalidInput', message);
  }
  const items: StoredManifests['items'][number][] = [];
  const unreadable: StoredManifests['unreadable'][number][] = [];
  // A role may have been taken away since the last page: what is behind goes on.
  for (const namespace of namespaces.filter((one) => one >= from)) {
    const found = items.length + unreadable.length;
    if (found === limit) return { items, unreadable, next: `${namespace}:` };
    const inside = namespace === from && cursor !== '' ? cursor : undefined;
    const page = await deps.manifests.list(namespace, limit - found, inside);
    items.push(...page.items);
    unreadable.push(...page.unreadable);
    if (page.next !== undefined) return { items, unreadable, next: `${namespace}:${page.next}` };
  }
  return { items, unreadable };
}
