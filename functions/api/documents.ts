/** Secrets (their values are never answered, logged or put into faults), TemplateGitReferences and RoleBindings. */
import { changesOf, installationChanges } from '#contracts/change-events.ts';
import { operations } from '#contracts/operations/operations.ts';
import { faultsError, pathFaults, refuseFaults, storageFaults, wireFaults } from '#documents/wire-faults.ts';
import { PipelineError } from '#domain/errors.ts';
import { error } from '#domain/manifest/faults/fault.ts';
import { referenceName } from '#domain/manifest/references-in.ts';
import { validateRoleBinding } from '#domain/manifest/role-binding.ts';
import { secretValues } from '#domain/manifest/schema/secret.ts';
import { validateSecret } from '#domain/manifest/secrets/validate-secret.ts';
import { validateTemplateReference } from '#domain/manifest/validate-template-reference.ts';
import { recordChange, recordReading } from '../pipeline/records/audit-event.ts';
import { secretPath } from '../pipeline/records/secret-path.ts';
import { manifestsThatUse, storedSecretUses } from '../pipeline/submission/manifests-that-use.ts';
import { retryForSecret } from '../pipeline/submission/retry-for-secret.ts';
import { validationContextOf } from '../pipeline/submission/validation-context.ts';
import { sourcesThatUse } from './git-sources.ts';
import { handle } from './http/handle.ts';
import { unlessSeen } from './http/not-modified.ts';
import { requestDocument, requestDocuments } from './http/request-document.ts';
import { notificationsThatUse } from './notifications.ts';

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
  await retryForSecret(deps, { namespace, name });
  const keys = Object.keys(values).sort();
  return { json: { namespace, name, keys, warnings: wireFaults(warnings, document) } };
});

export const listSecrets = handle(operations.listSecrets, async ({ query, caller, headers }, deps) => {
  const paths = await deps.secrets.list(query.namespace === undefined ? 'user' : `user/${query.namespace}`);
  const items = paths.flatMap((path) => {
    const [, namespace, name] = path.split('/');
    return namespace !== undefined && name !== undefined && caller.may('viewer', namespace)
      ? [{ namespace, name }]
      : [];
  });
  const place = query.namespace ?? installationChanges;
  const where = query.namespace === undefined ? 'all namespaces that the caller sees' : `namespace ${query.namespace}`;
  const read = { kind: 'SecretsListed' as const, message: `names of Secrets of ${where} listed` };
  await recordReading(deps, changesOf(place), 'secrets', read, caller);
  return unlessSeen(headers, { items });
});

export const deleteSecret = handle(operations.deleteSecret, async ({ path, caller }, deps) => {
  const name = `Secret "${path.namespace}/${path.name}"`;
  const stored = secretPath(path.namespace, path.name);
  if (!(await deps.secrets.exists(stored))) throw new PipelineError('NotFound', `there is no ${name}`);
  const users = await manifestsThatUse(deps, caller, 'secretRef', path);
  refuseUsed(name, [...users, ...(await sourcesThatUse(deps, path)), ...(await notificationsThatUse(deps, path))]);
  await deps.secrets.remove(stored);
  await recordChange(deps, path.namespace, `Secret ${path.name} deleted`, caller);
  return {};
});

export const putTemplate = handle(operations.putTemplate, async (request, deps) => {
  const { namespace, name } = request.path;
  const document = requestDocument(request, deps);
  const context = await validationContextOf(deps, request.path, document, request.caller);
  const { document: reference, faults } = validateTemplateReference(document, context);
  const all = [...storageFaults(document), ...pathFaults(document, request.path), ...faults];
  refuseFaults('TemplateGitReference', request.path, wireFaults(all, document));
  if (reference === undefined) throw new PipelineError('InternalFault', 'a reference without faults has a document');
  const { storeTemplateReference } = await import('../pipeline/templates/store-template-reference.ts');
  const users = await storeTemplateReference(deps, request.path, reference, request.caller);
  return { json: { namespace, name, behind: [...users.behind], others: users.others } };
});

export const listTemplates = handle(operations.listTemplates, async ({ path: { namespace }, headers }, deps) => {
  const names = await deps.templateReferences.list(namespace);
  return unlessSeen(headers, { items: [...names].sort().map((name) => ({ namespace, name })) });
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
  refuseUsed(`TemplateGitReference "${namespace}/${name}"`, users);
  await deps.templateReferences.remove(namespace, name);
  await recordChange(deps, namespace, `TemplateGitReference ${name} deleted`, caller);
  return {};
});

function refuseUsed(title: string, users: readonly string[]): void {
  if (users.length === 0) return;
  throw new PipelineError('InUse', `${title} is used by ${users.join(', ')}; delete those or change them first`);
}

const missing = (namespace: string, name: string): PipelineError =>
  new PipelineError('NotFound', `there is no TemplateGitReference "${namespace}/${name}"`);

export const putRole = handle(operations.putRole, async (request, deps) => {
  const { name } = request.path;
  const [document, ...more] = requestDocuments(request, deps);
  const { document: binding, faults } = validateRoleBinding(document);
  const all = [
    ...storageFaults(document),
    ...faults,
    ...(more.length > 0 ? [error([], 'is followed by other documents', 'send each in a request of its own')] : []),
    ...(binding && binding.metadata.name !== name
      ? [error(['metadata', 'name'], `the path of the request says "${name}"`, 'make them the same')]
      : []),
  ];
  if (binding === undefined || all.length > 0) {
    throw faultsError('RoleBinding', { namespace: '*', name }, wireFaults(all, document));
  }
  await deps.roleBindings.put(binding);
  await recordChange(deps, installationChanges, `RoleBinding ${name} stored`, request.caller);
  return { json: binding };
});

export const listRoles = handle(operations.listRoles, async ({ headers }, deps) =>
  unlessSeen(headers, { items: [...(await deps.roleBindings.list())] }),
);

export const deleteRole = handle(operations.deleteRole, async ({ path, caller }, deps) => {
  await deps.roleBindings.remove(path.name);
  await recordChange(deps, installationChanges, `RoleBinding ${path.name} removed`, caller);
  return {};
});
