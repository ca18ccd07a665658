/** POST /v1/validate: every fault of every document, judged together with each other and with what is stored. */
import type { ValidationReport } from '#contracts/http.ts';
import type { Surroundings } from '#domain/manifest/rules/survey.ts';
import { nameOf, validateDocuments } from '#domain/manifest/validate-documents.ts';
import type { AdmittedCaller } from '../caller.ts';
import { viewerAnywhere } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import type { Deps } from '../ports.ts';
import { requestDocuments, wireFaults } from './request-document.ts';
import { surroundingsOf } from './surroundings.ts';

export const handler = httpHandler({ access: viewerAnywhere }, async (request, deps) => {
  const bodies = requestDocuments(request, deps);
  const verdicts = validateDocuments(bodies, await sharedSurroundings(deps, bodies, request.caller));
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

/** What any of the documents refers to and is stored. Whose machines are taken is asked when a manifest is applied. */
async function sharedSurroundings(
  deps: Deps,
  documents: readonly unknown[],
  caller: AdmittedCaller,
): Promise<Surroundings> {
  const each = await Promise.all(documents.map((document) => surroundingsOf(deps, nameOf(document), document, caller)));
  return {
    providerTypes: deps.config.KUBELOOM_PROVIDER_TYPES,
    ownTemplates: deps.config.KUBELOOM_TEMPLATE_SOURCES !== 'builtin',
    secrets: new Set(each.flatMap(({ secrets }) => [...secrets])),
    templateReferences: new Set(each.flatMap(({ templateReferences }) => [...templateReferences])),
  };
}
