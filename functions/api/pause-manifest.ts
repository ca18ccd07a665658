/** POST …/pause: nothing is started any more; a run under way stops after its waypoint. */
import { ManifestPath } from '#contracts/http-parameters.ts';
import { operator } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { storedManifest } from '../pipeline/manifests/stored-manifest.ts';
import { recordManifestChange } from './audit-event.ts';
import { acceptedResponse, checkPreconditions } from './manifest-version.ts';
import { refuseVerb } from './refuse-verb.ts';

export const handler = httpHandler(
  { access: operator, path: ManifestPath },
  async ({ path, headers, caller }, deps) => {
    const stored = await storedManifest(deps, path);
    checkPreconditions(headers, path, stored);
    if (stored.paused) throw refuseVerb(stored, 'paused', 'it is paused already');
    await recordManifestChange(deps, stored, 'paused', caller);
    return acceptedResponse(await deps.manifests.setPaused(path, true));
  },
);
