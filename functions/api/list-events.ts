/** GET …/events: what happened to a manifest, oldest first; a follower asks again with `next`. */
import type { EventPage } from '#contracts/api-bodies.ts';
import { ManifestPath, PageQuery } from '#contracts/http-parameters.ts';
import { viewer } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { storedManifest } from '../pipeline/manifests/stored-manifest.ts';

export const handler = httpHandler(
  { access: viewer, path: ManifestPath, query: PageQuery },
  async ({ path, query }, deps) => {
    const page = await deps.events.list(path, query.limit, query.next);
    if (page.items.length === 0 && query.next === undefined) await storedManifest(deps, path);
    const json: EventPage = { items: [...page.items], ...(page.next !== undefined && { next: page.next }) };
    return { status: 200, json };
  },
);
