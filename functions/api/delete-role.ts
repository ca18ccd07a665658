/** DELETE /v1/roles/{name}: take a role away. */
import { RolePath } from '#contracts/http-parameters.ts';
import { admin } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { installationChanges, recordChange } from './audit-event.ts';

export const handler = httpHandler({ access: admin, path: RolePath }, async ({ path, caller }, deps) => {
  await deps.roleBindings.remove(path.name);
  await recordChange(deps, installationChanges, `RoleBinding ${path.name} removed`, caller);
  return { status: 204 };
});
