/** PUT /v1/manifests/{namespace}/{name}: judge everything, store the next generation, start its run. */
import { ManifestPath } from '#contracts/http-parameters.ts';
import { httpHandler } from '../middleware.ts';
import { judgeManifest } from './judge-manifest.ts';
import {
  acceptedResponse,
  checkPreconditions,
  checksumOf,
  nextRecord,
  startRun,
  storeNext,
} from './next-generation.ts';
import { refuseFaults, requestDocument } from './request-document.ts';

export const handler = httpHandler({ path: ManifestPath }, async (request, deps) => {
  const key = request.path;
  const document = requestDocument(request, deps);
  const stored = await deps.manifests.get(key);
  checkPreconditions(request.headers, key, stored);
  const { manifest, faults, warnings, refusals } = await judgeManifest(deps, key, { document, stored });
  refuseFaults('manifest', key, [...faults, ...refusals]);

  const same = stored !== undefined && !stored.deleting && stored.checksum === checksumOf(manifest);
  if (same && stored.status !== 'Failed') return acceptedResponse(stored, true, [...warnings]);
  const record = nextRecord(deps, key, stored, { document: manifest, deleting: false, again: same });
  await storeNext(deps, stored, record);
  await startRun(deps, record, same ? 'applied again after a failed run' : stored ? 'changed' : 'created');
  return acceptedResponse(record, false, [...warnings]);
});
