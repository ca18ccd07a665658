/** Secrets: stored, listed by name and deleted; their values are never answered, logged or put into faults. */
import { operations } from '#contracts/operations/operations.ts';
import { PipelineError } from '#domain/errors.ts';
import { secretValues } from '#domain/manifest/secret.ts';
import { validateSecret } from '#domain/manifest/validate-secret.ts';
import { recordChange } from './audit-event.ts';
import { handle } from './handle.ts';
import { manifestsThatUse } from './manifests-that-use.ts';
import { referenceName } from './references.ts';
import { pathFaults, refuseFaults, requestDocument, wireFaults } from './request-document.ts';
import { storedSecretUses } from './stored-secret-uses.ts';
import { secretPath } from './surroundings.ts';

export const putSecret = handle(operations.putSecret, async (request, deps) => {
  const { namespace, name } = request.path;
  const document = requestDocument(request, deps);
  const wanted = referenceName(request.path);
  const uses = await storedSecretUses(deps, new Set([wanted]));
  const { secret, faults, warnings } = validateSecret(document, uses.get(wanted));
  refuseFaults('Secret', request.path, wireFaults([...pathFaults(document, request.path), ...faults], document));
  const values = secret ? secretValues(secret) : {};
  await deps.secrets.put(secretPath(namespace, name), values);
  await recordChange(deps, namespace, `Secret ${name} stored`, request.caller);
  const keys = Object.keys(values).sort();
  return { json: { namespace, name, keys, warnings: wireFaults(warnings, document) } };
});

export const listSecrets = handle(operations.listSecrets, async ({ query, caller }, deps) => {
  const paths = await deps.secrets.list(query.namespace === undefined ? 'user' : `user/${query.namespace}`);
  const items = paths.flatMap((path) => {
    const [, namespace, name] = path.split('/');
    return namespace !== undefined && name !== undefined && caller.may('viewer', namespace)
      ? [{ namespace, name }]
      : [];
  });
  return { json: { items } };
});

export const deleteSecret = handle(operations.deleteSecret, async ({ path, caller }, deps) => {
  const name = `Secret "${path.namespace}/${path.name}"`;
  const stored = secretPath(path.namespace, path.name);
  if (!(await deps.secrets.exists(stored))) throw new PipelineError('NotFound', `there is no ${name}`);
  const users = await manifestsThatUse(deps, caller, 'secretRef', path);
  if (users.length > 0) {
    throw new PipelineError('InUse', `${name} is used by ${users.join(', ')}; delete those or change them first`);
  }
  await deps.secrets.remove(stored);
  await recordChange(deps, path.namespace, `Secret ${path.name} deleted`, caller);
  return {};
});
