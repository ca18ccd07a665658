/** PUT /v1/templates/{namespace}/{name}: store a TemplateGitReference. */
import { DocumentPath } from '#contracts/http-parameters.ts';
import { validateTemplateReference } from '#domain/manifest/validate-template-reference.ts';
import { httpHandler } from '../middleware.ts';
import { pathFaults, refuseFaults, requestDocument, wireFaults } from './request-document.ts';
import { surroundingsOf } from './surroundings.ts';

export const handler = httpHandler({ path: DocumentPath }, async (request, deps) => {
  const { namespace, name } = request.path;
  const document = requestDocument(request, deps);
  const surroundings = await surroundingsOf(deps, request.path, document);
  const { reference, faults } = validateTemplateReference(document, surroundings);
  refuseFaults('TemplateGitReference', request.path, wireFaults([...pathFaults(document, request.path), ...faults]));
  await deps.templateReferences.put(namespace, name, reference);
  return { status: 200, json: { namespace, name } };
});
