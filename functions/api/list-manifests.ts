/** GET /v1/manifests: all manifests, or those of one namespace, page by page. */
import type { ManifestPage } from '#contracts/http.ts';
import { NamespacedPageQuery } from '#contracts/http-parameters.ts';
import { viewerAnywhere } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { summarizeManifest } from './views/manifest-description.ts';

export const handler = httpHandler(
  { access: viewerAnywhere, query: NamespacedPageQuery },
  async ({ query, caller }, deps) => {
    const page = await deps.manifests.list(query.namespace, query.limit, query.next);
    const items = await Promise.all(
      page.items
        .filter(({ namespace }) => caller.may('viewer', namespace))
        .map(async (record) => summarizeManifest(record, await deps.clusters.list(record))),
    );
    return { status: 200, json: { items, ...(page.next !== undefined && { next: page.next }) } satisfies ManifestPage };
  },
);
