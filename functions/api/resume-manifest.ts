/** POST …/resume: what waits is started, as the next attempt; a run that has not stopped yet is followed by it. */
import { ManifestPath } from '#contracts/http-parameters.ts';
import { operator } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { nextRecord, startRun, storeNext } from '../pipeline/next-generation.ts';
import { storedManifest } from '../pipeline/stored-manifest.ts';
import { acceptedResponse } from './manifest-version.ts';
import { refuseVerb } from './refuse-verb.ts';
import { tellManifestChange } from './told-change.ts';

export const handler = httpHandler({ access: operator, path: ManifestPath }, async ({ path, caller }, deps) => {
  if (!(await storedManifest(deps, path)).paused) {
    throw refuseVerb(await storedManifest(deps, path), 'resumed', 'it is not paused');
  }
  const stored = await deps.manifests.setPaused(path, false);
  await tellManifestChange(deps, stored, 'resumed', caller);
  // What has ended stays as it is: a failed one is retried, not resumed.
  if (stored.status === 'Done' || stored.status === 'Failed') return acceptedResponse(stored);
  const { document, deleting } = stored;
  const record = nextRecord(deps, path, stored, { document, deleting, again: true });
  await storeNext(deps, stored, record);
  await startRun(deps, record, 'resumed');
  return acceptedResponse(record);
});
