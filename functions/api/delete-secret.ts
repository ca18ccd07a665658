/** DELETE /v1/secrets/{namespace}/{name}: forget a Secret that nothing needs any more. */
import { DocumentPath } from '#contracts/http-parameters.ts';
import { PipelineError } from '#domain/errors.ts';
import { operator } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { recordChange } from './audit-event.ts';
import { manifestsThatUse } from './manifests-that-use.ts';
import { secretPath } from './surroundings.ts';

export const handler = httpHandler({ access: operator, path: DocumentPath }, async ({ path, caller }, deps) => {
  const name = `Secret "${path.namespace}/${path.name}"`;
  const stored = secretPath(path.namespace, path.name);
  if (!(await deps.secrets.exists(stored))) throw new PipelineError('NotFound', `there is no ${name}`);
  const users = await manifestsThatUse(deps, caller, 'secretRef', path);
  if (users.length > 0) {
    throw new PipelineError('InUse', `${name} is used by ${users.join(', ')}; delete those or change them first`);
  }
  await deps.secrets.remove(stored);
  await recordChange(deps, path.namespace, `Secret ${path.name} deleted`, caller);
  return { status: 204 };
});
