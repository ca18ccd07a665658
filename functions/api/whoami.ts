/** GET /v1/whoami: who calls, and what it may do where. */
import type { WhoAmI } from '#contracts/http-documents.ts';
import { httpHandler } from '../middleware.ts';

export const handler = httpHandler({ access: 'anybody' }, async ({ caller: { name, kind, from, grants } }) => {
  const json: WhoAmI = {
    ...{ name, kind, from },
    grants: grants.map(({ role, namespaces }) => ({ role, namespaces: [...namespaces] })),
  };
  return { status: 200, json };
});
