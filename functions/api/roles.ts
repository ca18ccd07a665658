/** RoleBindings: who has which role where. */
import { operations } from '#contracts/operations/operations.ts';
import { error } from '#domain/manifest/fault.ts';
import { validateRoleBinding } from '#domain/manifest/role-binding.ts';
import { installationChanges, recordChange } from './audit-event.ts';
import { handle } from './handle.ts';
import { faultsError, requestDocuments, storageFaults, wireFaults } from './request-document.ts';

export const putRole = handle(operations.putRole, async (request, deps) => {
  const { name } = request.path;
  const [document, ...more] = requestDocuments(request, deps);
  const { binding, faults } = validateRoleBinding(document);
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

export const listRoles = handle(operations.listRoles, async (_request, deps) => ({
  json: { items: [...(await deps.roleBindings.list())] },
}));

export const deleteRole = handle(operations.deleteRole, async ({ path, caller }, deps) => {
  await deps.roleBindings.remove(path.name);
  await recordChange(deps, installationChanges, `RoleBinding ${path.name} removed`, caller);
  return {};
});
