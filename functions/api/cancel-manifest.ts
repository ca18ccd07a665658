/** POST …/cancel: what is under way stops as soon as it can; a grow is taken back, everything else stays where it is. */
import { ManifestPath } from '#contracts/http-parameters.ts';
import { operator } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { storedManifest } from '../pipeline/manifests/stored-manifest.ts';
import { cancelRun } from '../pipeline/runs/cancel-run.ts';
import { isCancelled } from '../pipeline/runs/cancellation.ts';
import { recordManifestChange } from './audit-event.ts';
import { acceptedResponse, checkPreconditions } from './manifest-version.ts';
import { refuseVerb } from './refuse-verb.ts';

export const handler = httpHandler(
  { access: operator, path: ManifestPath },
  async ({ path, headers, caller }, deps) => {
    const stored = await storedManifest(deps, path);
    checkPreconditions(headers, path, stored);
    if (stored.status === 'Done' || stored.status === 'Failed') {
      throw refuseVerb(stored, 'cancelled', 'nothing is under way');
    }
    if (stored.paused && !stored.lease) throw refuseVerb(stored, 'cancelled', 'it is paused, and nothing is under way');
    if (isCancelled(stored, stored)) throw refuseVerb(stored, 'cancelled', 'it is being cancelled already');
    await recordManifestChange(deps, stored, 'cancelled', caller);
    return acceptedResponse(await cancelRun(deps, path, { runId: stored.runId }));
  },
);
