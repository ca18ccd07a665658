/** PUT /v1/manifests/{namespace}/{name}: judge everything, store the next generation, start its run. */
import { ManifestPath } from '#contracts/http-parameters.ts';
import { operator } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { replaceableManifest } from '../pipeline/manifests/stored-manifest.ts';
import { checkPreconditions } from './manifest-version.ts';
import { requestDocument } from './request-document.ts';
import { submitDocument } from './submit-document.ts';

export const handler = httpHandler({ access: operator, path: ManifestPath }, async (request, deps) => {
  const document = requestDocument(request, deps);
  const stored = await replaceableManifest(deps, request.path);
  checkPreconditions(request.headers, request.path, stored);
  const { headers, caller } = request;
  const sameIsFine = headers['if-match'] === undefined && headers['if-none-match'] === undefined;
  return submitDocument(deps, request.path, { document, stored, caller, sameIsFine });
});
