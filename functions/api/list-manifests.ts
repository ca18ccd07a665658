/** GET /v1/manifests: those that the caller may see, or those of one namespace, page by page. */
import type { ManifestPage } from '#contracts/api-bodies.ts';
import { NamespacedPageQuery, type PageQuery } from '#contracts/http-parameters.ts';
import type { ManifestKey } from '#contracts/records.ts';
import { namespacesWith } from '#domain/access.ts';
import { PipelineError } from '#domain/errors.ts';
import { viewerAnywhere } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import type { ManifestPage as StoredPage } from '../ports.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { summaryOf, summaryOfRemains } from './views/unreadable-manifest.ts';

export const handler = httpHandler(
  { access: viewerAnywhere, query: NamespacedPageQuery },
  async ({ query, caller }, deps) => {
    const { namespace, limit, next } = query;
    const seen = namespacesWith(caller.grants, 'viewer');
    const page =
      namespace === undefined && seen !== '*'
        ? await pageOfSome(deps, seen, query)
        : await deps.manifests.list(namespace, limit, next);
    const read = await Promise.all(page.items.map((record) => summaryOf(deps, record)));
    const items = [...read, ...page.unreadable.map(summaryOfRemains)].sort(byKey);
    return { status: 200, json: { items, ...(page.next !== undefined && { next: page.next }) } satisfies ManifestPage };
  },
);

/**
 * Namespace by namespace: a cursor through all of them would name what stands in those of others. The cursor is
 * `<namespace>:<cursor in it>`; without the latter, the namespace is begun.
 */
async function pageOfSome(
  deps: Pick<ApiPorts, 'manifests'>,
  namespaces: readonly string[],
  { limit, next }: PageQuery,
): Promise<StoredPage> {
  const [, from = '', cursor = ''] = /^([^:]+):(.*)$/.exec(next ?? '') ?? [];
  if (next !== undefined && from === '') {
    const message = '`next` is not a cursor of this listing; leave it out to begin again';
    throw new PipelineError('InvalidInput', message);
  }
  const items: StoredPage['items'][number][] = [];
  const unreadable: StoredPage['unreadable'][number][] = [];
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

function byKey(one: ManifestKey, other: ManifestKey): number {
  const [a, b] = [`${one.namespace}#${one.name}`, `${other.namespace}#${other.name}`];
  return a < b ? -1 : a > b ? 1 : 0;
}
