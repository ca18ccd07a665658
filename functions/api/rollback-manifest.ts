/** POST …/rollback: an earlier document becomes the next generation, judged like any other. */
import { RollbackRequest } from '#contracts/api-bodies.ts';
import { ManifestPath } from '#contracts/http-parameters.ts';
import type { ManifestRecord } from '#contracts/records.ts';
import { operator } from '../caller.ts';
import { parseInput } from '../failures.ts';
import { httpHandler } from '../middleware.ts';
import { lastDone } from '../pipeline/manifests/rollback-goal.ts';
import { storedManifest } from '../pipeline/manifests/stored-manifest.ts';
import type { StoredGeneration } from '../ports.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { checkPreconditions } from './manifest-version.ts';
import { refuseVerb } from './refuse-verb.ts';
import { requestDocuments } from './request-document.ts';
import { submitDocument } from './submit-document.ts';

export const handler = httpHandler({ access: operator, path: ManifestPath }, async (request, deps) => {
  const [body = {}] = request.body.length > 0 ? requestDocuments(request, deps) : [];
  const { to } = parseInput(RollbackRequest, body, 'the body');
  const stored = await storedManifest(deps, request.path);
  checkPreconditions(request.headers, request.path, stored);
  const { generation, document } = await rollbackGoal(deps, stored, to);
  return submitDocument(deps, request.path, {
    ...{ document, stored, caller: request.caller },
    rolledBackTo: generation,
    reason: `rolled back to generation ${generation}`,
  });
});

/** The generation to go back to. Throws `VersionConflict` that says which there are. */
export async function rollbackGoal(
  deps: Pick<ApiPorts, 'manifests' | 'runs'>,
  stored: ManifestRecord,
  to: number | undefined,
): Promise<StoredGeneration> {
  const refuse = (because: string) => refuseVerb(stored, 'rolled back', because);
  if (stored.deleting) throw refuse('it is being deleted; apply a document to keep it');
  if (to !== undefined && to >= stored.generation)
    throw refuse(`generation ${to} is not before the present one, ${stored.generation}`);
  const kept = (await deps.manifests.generations(stored)).filter(({ generation }) => generation < stored.generation);
  const goal = to === undefined ? await lastDone(deps, stored, kept) : kept.find(({ generation }) => generation === to);
  if (goal !== undefined) return goal;
  const numbers = kept.map(({ generation }) => generation).join(', ');
  const choice = kept.length === 0 ? 'no earlier document is kept' : `the documents of ${numbers} are kept`;
  if (to !== undefined) throw refuse(`the document of generation ${to} is not kept; ${choice}`);
  const fix = kept.length === 0 ? 'apply the one you want' : `${choice}: name one, or apply the document you want`;
  throw refuse(`no earlier generation that differs was done; ${fix}`);
}
