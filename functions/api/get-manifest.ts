/** GET /v1/manifests/{namespace}/{name}: the document and how far it is, in one answer. */
import { ManifestPath } from '#contracts/http-parameters.ts';
import { viewer } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { storedManifest } from '../pipeline/stored-manifest.ts';
import { manifestTag } from './manifest-version.ts';
import { describeManifest } from './views/manifest-description.ts';

/** The tag is for `If-Match` only: the answer also changes with progress, so it is never "not modified". */
export const handler = httpHandler({ access: viewer, path: ManifestPath }, async ({ path }, deps) => {
  const [record, clusters] = await Promise.all([storedManifest(deps, path), deps.clusters.list(path)]);
  const run = await deps.runs.get(path, record.runId);
  return { status: 200, json: describeManifest(record, clusters, run), headers: { etag: manifestTag(record) } };
});
