/** PUT /v1/roles/{name}: give a role, or change to whom it is given. */
import { RolePath } from '#contracts/http-parameters.ts';
import { error } from '#domain/manifest/fault.ts';
import { validateRoleBinding } from '#domain/manifest/role-binding.ts';
import { admin } from '../caller.ts';
import { bodyLimits } from '../http.ts';
import { httpHandler } from '../middleware.ts';
import { installationChanges, recordChange } from './audit-event.ts';
import { refuseFaults, requestDocuments, storageFaults, wireFaults } from './request-document.ts';

export const handler = httpHandler(
  { access: admin, path: RolePath, maxBodyBytes: bodyLimits.document },
  async (request, deps) => {
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
    refuseFaults('RoleBinding', { namespace: '*', name }, wireFaults(all, document));
    if (binding) await deps.roleBindings.put(binding);
    await recordChange(deps, installationChanges, `RoleBinding ${name} stored`, request.caller);
    return { status: 200, json: binding };
  },
);
