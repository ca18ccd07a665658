import type { ApiClient } from '#client/api-client.ts';
import { addUser, subjectOf } from '#local/users.ts';

export type UserRole = 'viewer' | 'operator' | 'approver';

/** Returns the token of a new user of the platform in `dataDir` who holds the role in all namespaces. */
export async function userWithRole(api: Pick<ApiClient, 'putRole'>, dataDir: string, role: UserRole): Promise<string> {
  const { token, user } = await addUser(dataDir, { name: role, groups: [], now: new Date() });
  const spec = { role, namespaces: ['*'], subjects: [{ user: subjectOf(user.name) }] };
  const document = { apiVersion: 'kubeloom.dev/v1', kind: 'RoleBinding', metadata: { name: role }, spec };
  await api.putRole({ name: role }, document);
  return token;
}
