/** TemplateGitReferences: stored, read and deleted. */
import { operations } from '#contracts/operations/operations.ts';
import { PipelineError } from '#domain/errors.ts';
import { validateTemplateReference } from '#domain/manifest/validate-template-reference.ts';
import { recordChange } from './audit-event.ts';
import { handle } from './handle.ts';
import { manifestsThatUse } from './manifests-that-use.ts';
import { pathFaults, refuseFaults, requestDocument, storageFaults, wireFaults } from './request-document.ts';
import { validationContextOf } from './surroundings.ts';

export const putTemplate = handle(operations.putTemplate, async (request, deps) => {
  const { namespace, name } = request.path;
  const document = requestDocument(request, deps);
  const context = await validationContextOf(deps, request.path, document, request.caller);
  const { reference, faults } = validateTemplateReference(document, context);
  const all = [...storageFaults(document), ...pathFaults(document, request.path), ...faults];
  refuseFaults('TemplateGitReference', request.path, wireFaults(all, document));
  await deps.templateReferences.put(namespace, name, reference);
  await recordChange(deps, namespace, `TemplateGitReference ${name} stored`, request.caller);
  return { json: { namespace, name } };
});

export const getTemplate = handle(operations.getTemplate, async ({ path: { namespace, name } }, deps) => {
  const json = await deps.templateReferences.get(namespace, name);
  if (json === undefined) throw missing(namespace, name);
  return { json };
});

export const deleteTemplate = handle(operations.deleteTemplate, async ({ path, caller }, deps) => {
  const { namespace, name } = path;
  if ((await deps.templateReferences.get(namespace, name)) === undefined) throw missing(namespace, name);
  const users = await manifestsThatUse(deps, caller, 'templatesRef', path);
  if (users.length > 0) {
    const used = `TemplateGitReference "${namespace}/${name}" is used by ${users.join(', ')}`;
    throw new PipelineError('InUse', `${used}; delete those or change them first`);
  }
  await deps.templateReferences.remove(namespace, name);
  await recordChange(deps, namespace, `TemplateGitReference ${name} deleted`, caller);
  return {};
});

const missing = (namespace: string, name: string): PipelineError =>
  new PipelineError('NotFound', `there is no TemplateGitReference "${namespace}/${name}"`);
