/** POST …/drift: what stands is compared with what was made, now; repaired as the manifest or the caller says. */
import { DriftRequest } from '#contracts/http-drift.ts';
import { ManifestPath } from '#contracts/http-parameters.ts';
import { operator } from '../caller.ts';
import { parseInput } from '../failures.ts';
import { bodyLimits } from '../http.ts';
import { httpHandler } from '../middleware.ts';
import { checkPolicyOf } from '../pipeline/drift/drift-policy.ts';
import { startDriftCheck } from '../pipeline/drift/start-drift-check.ts';
import { storedManifest } from '../pipeline/manifests/stored-manifest.ts';
import { recordManifestChange } from './audit-event.ts';
import { acceptedResponse, checkPreconditions } from './manifest-version.ts';
import { refuseVerb } from './refuse-verb.ts';
import { requestDocuments } from './request-document.ts';

export const handler = httpHandler(
  { access: operator, path: ManifestPath, maxBodyBytes: bodyLimits.verb },
  async (request, deps) => {
    const [body = {}] = request.body.length > 0 ? requestDocuments(request, deps) : [];
    const { repair } = parseInput(DriftRequest, body, 'the body');
    const stored = await storedManifest(deps, request.path);
    checkPreconditions(request.headers, request.path, stored);
    if (stored.paused) throw refuseVerb(stored, 'checked for drift', 'it is paused; resume it first');
    if (stored.status === 'Failed') throw refuseVerb(stored, 'checked for drift', 'it has failed; retry it first');
    if (stored.status !== 'Done') throw refuseVerb(stored, 'checked for drift', 'a run is under way; wait for it');
    const policy = repair === undefined ? checkPolicyOf(stored) : repair ? 'repairAll' : 'report';
    const reason = repair ? 'drift check with repair, asked for' : 'drift check, asked for';
    const record = await startDriftCheck(deps, stored, { policy, reason });
    await recordManifestChange(deps, record, reason, request.caller);
    return acceptedResponse(record);
  },
);
