/** GET /v1/templates/{namespace}/{name}: a TemplateGitReference as it was stored. */
import { DocumentPath } from '#contracts/http-parameters.ts';
import { PipelineError } from '#domain/errors.ts';
import { viewer } from '../caller.ts';
import { httpHandler } from '../middleware.ts';

export const handler = httpHandler({ access: viewer, path: DocumentPath }, async ({ path }, deps) => {
  const document = await deps.templateReferences.get(path.namespace, path.name);
  if (document !== undefined) return { status: 200, json: document };
  throw new PipelineError('NotFound', `there is no TemplateGitReference "${path.namespace}/${path.name}"`);
});
