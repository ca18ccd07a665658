/** What the caller may do where, as `GET /v1/whoami` says it. The API decides; this is only about what is offered. */
import type { WhoAmI } from '#contracts/http-documents.ts';

type Role = WhoAmI['grants'][number]['role'];

/** Each includes the ones before it. */
const order: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, approver: 2, admin: 3 };

export function may(me: Pick<WhoAmI, 'grants'> | undefined, role: Role, namespace: string): boolean {
  return (me?.grants ?? []).some(
    (grant) =>
      order[grant.role] >= order[role] && (grant.namespaces.includes('*') || grant.namespaces.includes(namespace)),
  );
}

/** Authors do not approve their own plans, unless the installation allows it. */
export function mayApprovePlan(me: WhoAmI | undefined, namespace: string, { by }: { readonly by: string }): boolean {
  return may(me, 'approver', namespace) && !(me?.ownApprovals === 'refused' && me.name === by);
}
