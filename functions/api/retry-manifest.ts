/** POST …/retry: the same generation once more, from where it stopped or from a stage on. */
import { RetryRequest } from '#contracts/api-bodies.ts';
import { ManifestPath } from '#contracts/http-parameters.ts';
import { operator } from '../caller.ts';
import { parseInput } from '../failures.ts';
import { bodyLimits } from '../http.ts';
import { httpHandler } from '../middleware.ts';
import { nextRecord, startRun, storeNext } from '../pipeline/manifests/next-generation.ts';
import { storedManifest } from '../pipeline/manifests/stored-manifest.ts';
import { recordManifestChange } from './audit-event.ts';
import { acceptedResponse, checkPreconditions } from './manifest-version.ts';
import { refuseVerb } from './refuse-verb.ts';
import { requestDocuments } from './request-document.ts';

export const handler = httpHandler(
  { access: operator, path: ManifestPath, maxBodyBytes: bodyLimits.verb },
  async (request, deps) => {
    const [body = {}] = request.body.length > 0 ? requestDocuments(request, deps) : [];
    const { from } = parseInput(RetryRequest, body, 'the body');
    const stored = await storedManifest(deps, request.path);
    checkPreconditions(request.headers, request.path, stored);
    if (stored.paused) throw refuseVerb(stored, 'retried', 'it is paused; resume it first');
    if (stored.status === 'Done') throw refuseVerb(stored, 'retried', 'it is done, nothing failed');
    if (stored.status !== 'Failed') throw refuseVerb(stored, 'retried', 'a run is under way; wait for it or cancel it');
    const { document, deleting } = stored;
    const desired = { document, deleting, again: true, ...(from && { retryFrom: from }) };
    const record = nextRecord(deps, request.path, stored, desired);
    await storeNext(deps, stored, record);
    await recordManifestChange(deps, record, 'retried', request.caller);
    await startRun(deps, record, from ? `retry from ${from}` : 'retry');
    return acceptedResponse(record);
  },
);
