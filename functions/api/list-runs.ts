/** GET …/runs: the runs of a manifest, newest first; also of one that is deleted. */
import type { RunPage } from '#contracts/api-bodies.ts';
import { ManifestPath, PageQuery } from '#contracts/http-parameters.ts';
import { viewer } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { storedManifest } from '../pipeline/manifests/stored-manifest.ts';
import { asItStands } from '../pipeline/runs/passed-over.ts';

export const handler = httpHandler(
  { access: viewer, path: ManifestPath, query: PageQuery },
  async ({ path, query }, deps) => {
    const page = await deps.runs.list(path, query.limit, query.next);
    if (page.items.length === 0) await storedManifest(deps, path);
    const waits = page.items.some(({ status }) => status === 'Queued');
    const manifest = waits ? await deps.manifests.get(path) : undefined;
    const json: RunPage = {
      items: page.items.map((run) => asItStands(run, manifest)),
      ...(page.next !== undefined && { next: page.next }),
    };
    return { status: 200, json };
  },
);
