/** DELETE /v1/manifests/{namespace}/{name}: a new generation that wishes for nothing, and its run. */
import { ManifestPath } from '#contracts/http-parameters.ts';
import type { ClusterRecord, ManifestRecord } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import { InputManifest } from '#domain/manifest/input-manifest.ts';
import { deletionFaults } from '#domain/manifest/validate-update.ts';
import { httpHandler } from '../middleware.ts';
import type { Deps } from '../ports.ts';
import { acceptedResponse, checkPreconditions, nextRecord, startRun, storeNext } from './next-generation.ts';
import { planClusters } from './plan-clusters.ts';
import { wireFaults } from './request-document.ts';
import { storedManifest } from './stored-manifest.ts';

export const handler = httpHandler({ path: ManifestPath }, async ({ path, headers }, deps) => {
  const stored = await storedManifest(deps, path);
  checkPreconditions(headers, path, stored);
  if (stored.deleting && stored.status !== 'Failed') return acceptedResponse(stored, true, []);

  const wish = { document: stored.document, deleting: true, again: stored.deleting };
  const record = nextRecord(deps, path, stored, wish);
  refuseProtected(deps, record, await deps.clusters.list(path));
  await storeNext(deps, stored, record);
  await startRun(deps, record, stored.deleting ? 'deleted again after a failed run' : 'deleted');
  return acceptedResponse(record, false, []);
});

/** Throws `Protected` that names what protects it, in the document or in what stands, and how to lift that. */
function refuseProtected(deps: Pick<Deps, 'ids'>, record: ManifestRecord, clusters: readonly ClusterRecord[]): void {
  const wished = wireFaults(deletionFaults(InputManifest.parse(record.document)));
  const said = new Set(wished.map(({ path }) => path));
  const standing = planClusters(deps, record, clusters).flatMap(({ refusals }) => refusals);
  const faults = [...wished, ...standing.filter(({ path }) => !said.has(path))];
  if (faults.length === 0) return;
  const reasons = faults.map(({ path, reason, fix }) => `${path}: ${reason}; ${fix}`);
  const name = `${record.namespace}/${record.name}`;
  throw new PipelineError('Protected', `manifest "${name}" cannot be deleted. ${reasons.join('. ')}`, {
    details: faults,
  });
}
