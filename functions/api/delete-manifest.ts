/** DELETE /v1/manifests/{namespace}/{name}: a new generation that wishes for nothing, and its run. */
import { ManifestPath } from '#contracts/http-parameters.ts';
import { PipelineError } from '#domain/errors.ts';
import { InputManifest } from '#domain/manifest/input-manifest.ts';
import { deletionFaults } from '#domain/manifest/validate-update.ts';
import { httpHandler } from '../middleware.ts';
import { acceptedResponse, checkPreconditions, nextRecord, startRun, storeNext } from './next-generation.ts';
import { wireFaults } from './request-document.ts';
import { storedManifest } from './stored-manifest.ts';

export const handler = httpHandler({ path: ManifestPath }, async ({ path, headers }, deps) => {
  const stored = await storedManifest(deps, path);
  checkPreconditions(headers, path, stored);
  if (stored.deleting && stored.status !== 'Failed') return acceptedResponse(stored, true, []);
  refuseProtected(stored.document, `${path.namespace}/${path.name}`);

  const record = nextRecord(deps, path, stored, {
    document: stored.document,
    deleting: true,
    again: stored.deleting,
  });
  await storeNext(deps, stored, record);
  await startRun(deps, record, stored.deleting ? 'deleted again after a failed run' : 'deleted');
  return acceptedResponse(record, false, []);
});

/** Throws `Protected` that names what protects it and how to lift that. */
function refuseProtected(document: unknown, name: string): void {
  const faults = deletionFaults(InputManifest.parse(document));
  if (faults.length === 0) return;
  const reasons = faults.map(({ path, reason, fix }) => `${path}: ${reason}; ${fix}`);
  throw new PipelineError('Protected', `manifest "${name}" cannot be deleted. ${reasons.join('. ')}`, {
    details: wireFaults(faults),
  });
}
