/** GET /v1/roles: who has which role where. */
import type { RoleList } from '#contracts/http-documents.ts';
import { admin } from '../caller.ts';
import { httpHandler } from '../middleware.ts';

export const handler = httpHandler({ access: admin }, async (_request, deps) => {
  const items = [...(await deps.roleBindings.list())];
  return { status: 200, json: { items } satisfies RoleList };
});
