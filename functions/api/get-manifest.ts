/** GET /v1/manifests/{namespace}/{name}: the document and how far it is, in one answer. */
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { ManifestPath } from '#contracts/http-parameters.ts';
import type { ManifestRecord } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import { viewer } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { storedOrRemains } from '../pipeline/manifests/stored-manifest.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { manifestTag } from './manifest-version.ts';
import { describeManifest } from './views/manifest-description.ts';
import { describeRemains, remainsWithout } from './views/unreadable-manifest.ts';

/** The tag is for `If-Match` only: the answer also changes with progress, so it is never "not modified". */
export const handler = httpHandler({ access: viewer, path: ManifestPath }, async ({ path }, deps) => {
  const found = await storedOrRemains(deps, path);
  if (!found)
    throw new PipelineError('NotFound', `there is no manifest "${path.name}" in namespace "${path.namespace}"`);
  const json = 'reason' in found ? describeRemains(found) : await describe(deps, found);
  return { status: 200, json, headers: { etag: manifestTag('reason' in found ? found.record : found) } };
});

async function describe(
  deps: Pick<ApiPorts, 'clusters' | 'runs'>,
  record: ManifestRecord,
): Promise<ManifestDescription> {
  try {
    const clusters = await deps.clusters.list(record);
    return describeManifest(record, clusters, await deps.runs.get(record, record.runId));
  } catch (error) {
    return describeRemains(remainsWithout(record, error));
  }
}
