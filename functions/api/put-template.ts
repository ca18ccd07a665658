/** PUT /v1/templates/{namespace}/{name}: store a TemplateGitReference. */
import { DocumentPath } from '#contracts/http-parameters.ts';
import { validateTemplateReference } from '#domain/manifest/validate-template-reference.ts';
import { operator } from '../caller.ts';
import { bodyLimits } from '../http.ts';
import { httpHandler } from '../middleware.ts';
import { recordChange } from './audit-event.ts';
import { pathFaults, refuseFaults, requestDocument, storageFaults, wireFaults } from './request-document.ts';
import { validationContextOf } from './surroundings.ts';

export const handler = httpHandler(
  { access: operator, path: DocumentPath, maxBodyBytes: bodyLimits.document },
  async (request, deps) => {
    const { namespace, name } = request.path;
    const document = requestDocument(request, deps);
    const context = await validationContextOf(deps, request.path, document, request.caller);
    const { reference, faults } = validateTemplateReference(document, context);
    const all = [...storageFaults(document), ...pathFaults(document, request.path), ...faults];
    refuseFaults('TemplateGitReference', request.path, wireFaults(all, document));
    await deps.templateReferences.put(namespace, name, reference);
    await recordChange(deps, namespace, `TemplateGitReference ${name} stored`, request.caller);
    return { status: 200, json: { namespace, name } };
  },
);
