/** DELETE /v1/templates/{namespace}/{name}: forget a TemplateGitReference that nothing needs any more. */
import { DocumentPath } from '#contracts/http-parameters.ts';
import { PipelineError } from '#domain/errors.ts';
import { operator } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { recordChange } from './audit-event.ts';
import { manifestsThatUse } from './manifests-that-use.ts';

export const handler = httpHandler({ access: operator, path: DocumentPath }, async ({ path, caller }, deps) => {
  const name = `TemplateGitReference "${path.namespace}/${path.name}"`;
  if ((await deps.templateReferences.get(path.namespace, path.name)) === undefined) {
    throw new PipelineError('NotFound', `there is no ${name}`);
  }
  const users = await manifestsThatUse(deps, caller, 'templatesRef', path);
  if (users.length > 0) {
    throw new PipelineError('InUse', `${name} is used by ${users.join(', ')}; delete those or change them first`);
  }
  await deps.templateReferences.remove(path.namespace, path.name);
  await recordChange(deps, path.namespace, `TemplateGitReference ${path.name} deleted`, caller);
  return { status: 204 };
});
