/** Resources are removed, moved or imported in a Terraform state of a cluster, by a run of its own. */
import { operations } from '#contracts/operations/operations.ts';
import { storedManifest } from '../pipeline/records/stored-manifest.ts';
import { submitEdit } from '../pipeline/state-edits/submit-edit.ts';
import { namedCluster } from './clusters.ts';
import { handle } from './http/handle.ts';
import { acceptedResponse, checkPreconditions } from './http/manifest-version.ts';

export const editState = handle(operations.editState, async ({ path, body, headers, caller }, deps) => {
  const stored = await storedManifest(deps, path);
  checkPreconditions(headers, path, stored);
  const record = namedCluster(await deps.clusters.list(path), path);
  return acceptedResponse(await submitEdit(deps, path, { stored, record, edit: body, caller, terms: {} }));
});
