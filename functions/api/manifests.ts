/** Manifests: listed, described and put. */
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import type { PageQuery } from '#contracts/http-parameters.ts';
import { operations } from '#contracts/operations/operations.ts';
import type { ManifestKey } from '#contracts/records.ts';
import { namespacesWith } from '#domain/access.ts';
import { PipelineError } from '#domain/errors.ts';
import { replaceableManifest, storedOrRemains } from '../pipeline/manifests/stored-manifest.ts';
import type { StoredManifests as StoredPage } from '../ports.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { handle } from './handle.ts';
import { refuseInventoryOwned } from './manifest-owner.ts';
import { checkPreconditions, manifestTag } from './manifest-version.ts';
import { requestDocument } from './request-document.ts';
import { wantedPlans } from './stored-plans.ts';
import { submitDocument } from './submit-document.ts';
import {
  describeManifest,
  describeRemains,
  remainsWithout,
  summaryOf,
  summaryOfRemains,
} from './views/manifest-description.ts';

/** Those that the caller may see, or those of one namespace. */
export const listManifests = handle(operations.listManifests, async ({ query, caller }, deps) => {
  const { namespace, limit, next } = query;
  const seen = namespacesWith(caller.grants, 'viewer');
  const page =
    namespace === undefined && seen !== '*'
      ? await pageOfSome(deps, seen, query)
      : await deps.manifests.list(namespace, limit, next);
  const read = await Promise.all(page.items.map((record) => summaryOf(deps, record)));
  const items = [...read, ...page.unreadable.map(summaryOfRemains)].sort(byKey);
  return { json: { items, ...(page.next !== undefined && { next: page.next }) } };
});

/** Judges everything, stores the next generation, starts its run. */
export const putManifest = handle(operations.putManifest, async (request, deps) => {
  const document = requestDocument(request, deps);
  const stored = await replaceableManifest(deps, request.path);
  checkPreconditions(request.headers, request.path, stored);
  await refuseInventoryOwned(deps, request.path, [document, stored?.document]);
  const { headers, caller } = request;
  const sameIsFine = headers['if-match'] === undefined && headers['if-none-match'] === undefined;
  const terms = { wanted: wantedPlans(headers) };
  return submitDocument(deps, request.path, { document, stored, caller, sameIsFine, terms });
});

/** The tag is for `If-Match` only: the answer also changes with progress, so it is never "not modified". */
export const getManifest = handle(operations.getManifest, async ({ path }, deps) => {
  const found = await foundManifest(deps, path);
  const json = await described(deps, found);
  return { json, headers: { etag: manifestTag('reason' in found ? found.record : found) } };
});

/** As `getManifest` answers. Throws `NotFound`. */
export async function describeStored(
  deps: Pick<ApiPorts, 'manifests' | 'clusters' | 'demands' | 'runs'>,
  key: ManifestKey,
): Promise<ManifestDescription> {
  return described(deps, await foundManifest(deps, key));
}

type Found = NonNullable<Awaited<ReturnType<typeof storedOrRemains>>>;

async function foundManifest(deps: Pick<ApiPorts, 'manifests'>, key: ManifestKey): Promise<Found> {
  const found = await storedOrRemains(deps, key);
  if (found) return found;
  throw new PipelineError('NotFound', `there is no manifest "${key.name}" in namespace "${key.namespace}"`);
}

/**
 * Namespace by namespace: a cursor through all of them would name manifests in namespaces of others. The cursor is
 * `<namespace>:<cursor in it>`; without the latter, the namespace starts from the beginning.
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

/** With what of it can be read. */
async function described(
  deps: Pick<ApiPorts, 'clusters' | 'demands' | 'runs'>,
  record: Found,
): Promise<ManifestDescription> {
  if ('reason' in record) return describeRemains(record);
  try {
    const [clusters, demands, lastRun] = await Promise.all([
      deps.clusters.list(record),
      deps.demands.list(record),
      deps.runs.get(record, record.runId),
    ]);
    return describeManifest(record, clusters, { lastRun, demands });
  } catch (error) {
    return describeRemains(remainsWithout(record, error));
  }
}
