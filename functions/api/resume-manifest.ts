/** POST …/resume: what waits is started, as the next attempt; a run that has not stopped yet is followed by it. */
import { ManifestPath } from '#contracts/http-parameters.ts';
import type { ManifestRecord } from '#contracts/records.ts';
import { isPipelineError } from '#domain/errors.ts';
import { operator } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { nextRecord, startRun, storeNext } from '../pipeline/manifests/next-generation.ts';
import { storedManifest } from '../pipeline/manifests/stored-manifest.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { recordManifestChange } from './audit-event.ts';
import { acceptedResponse, checkPreconditions } from './manifest-version.ts';
import { refuseVerb } from './refuse-verb.ts';

export const handler = httpHandler(
  { access: operator, path: ManifestPath },
  async ({ path, headers, caller }, deps) => {
    const stored = await storedManifest(deps, path);
    checkPreconditions(headers, path, stored);
    if (!stored.paused) throw refuseVerb(stored, 'resumed', 'it is not paused');
    const awake = await deps.manifests.setPaused(path, false);
    await recordManifestChange(deps, awake, 'resumed', caller);
    return acceptedResponse(await startWaiting(deps, awake));
  },
);

/**
 * What has ended stays as it is: a failed one is retried, not resumed. Whoever saw the pause may store a generation at this
 * moment and start nothing: it is started here, too.
 */
async function startWaiting(deps: ApiPorts, awake: ManifestRecord): Promise<ManifestRecord> {
  for (let stored = awake, tries = 1; ; tries++) {
    if (stored.status === 'Done' || stored.status === 'Failed') return stored;
    const { document, deleting } = stored;
    const record = nextRecord(deps, stored, stored, { document, deleting, again: true });
    try {
      await storeNext(deps, stored, record);
      await startRun(deps, record, 'resumed');
      return record;
    } catch (error) {
      if (!isPipelineError(error, 'VersionConflict') || tries === 5) throw error;
    }
    stored = await storedManifest(deps, stored);
  }
}
