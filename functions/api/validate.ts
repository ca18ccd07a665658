/** POST /v1/validate: every fault of every document, judged together with each other and with what is stored. */
import type { ValidationReport } from '#contracts/http.ts';
import { nameOf, validateDocuments } from '#domain/manifest/validate-documents.ts';
import { viewerAnywhere } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { requestDocuments, wireFaults } from './request-document.ts';
import { storedReferences } from './surroundings.ts';

export const handler = httpHandler({ access: viewerAnywhere }, async (request, deps) => {
  const bodies = requestDocuments(request, deps);
  // Whose machines are taken is asked when a manifest is applied.
  const placed = bodies.map((document) => ({ key: nameOf(document), document }));
  const verdicts = validateDocuments(bodies, await storedReferences(deps, placed, request.caller));
  const documents = verdicts.map(({ kind, namespace, name, faults, warnings }, index) => ({
    index,
    kind: kind ?? null,
    namespace: kind === 'RoleBinding' ? null : namespace,
    name: name || null,
    faults: wireFaults(faults),
    warnings: wireFaults(warnings),
  }));
  const valid = documents.every(({ faults }) => faults.length === 0);
  return { status: 200, json: { valid, documents } satisfies ValidationReport };
});
