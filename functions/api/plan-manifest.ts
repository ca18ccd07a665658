/** POST …/plan: what a document, or the stored one, would lead to; changes nothing. */
import type { PlanReport } from '#contracts/http.ts';
import { ManifestPath } from '#contracts/http-parameters.ts';
import { viewer } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { storedManifest } from '../pipeline/stored-manifest.ts';
import { judgeManifest } from './judge-manifest.ts';
import { requestDocument } from './request-document.ts';
import { driftRows } from './views/drift-rows.ts';

export const handler = httpHandler({ access: viewer, path: ManifestPath }, async (request, deps) => {
  const key = request.path;
  const given = request.body.length > 0;
  const stored = given ? await deps.manifests.get(key) : await storedManifest(deps, key);
  const document = given ? requestDocument(request, deps) : stored?.document;
  const deleting = !given && stored?.deleting === true;
  const { faults, warnings, plans } = await judgeManifest(deps, key, {
    document,
    stored,
    deleting,
    caller: request.caller,
  });
  const json: PlanReport = {
    namespace: key.namespace,
    name: key.name,
    hasWork: plans.some((plan) => plan.waypoints.length > 0),
    faults: [...faults],
    warnings: [...warnings],
    clusters: [...plans],
    drift: given && !stored ? [] : driftRows(await deps.clusters.list(key)),
  };
  return { status: 200, json };
});
