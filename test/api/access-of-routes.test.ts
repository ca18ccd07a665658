/** Who may do what: the least role of every route, for principals of AWS and for tokens. */
import { describe, expect, it } from 'vitest';
import { type AccessRole, roles } from '#domain/access.ts';
import { routes } from '#functions/api/routes.ts';
import { type ApiUnderTest, apiUnderTest, type Call } from './api-under-test.ts';

const asUser = (sub: string, claims: object = {}): Call['as'] => ({ jwt: { claims: { sub, ...claims } } });
const root = asUser('root');

function binding(name: string, role: AccessRole, namespaces: string[], subjects: object[]) {
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'RoleBinding',
    metadata: { name },
    spec: { role, namespaces, subjects },
  };
}

/** An API whose only admin is `root`, with these bindings. */
async function apiWith(...bindings: ReturnType<typeof binding>[]): Promise<ApiUnderTest> {
  const under = apiUnderTest({ KUBELOOM_ADMINS: 'user:root' });
  for (const one of bindings) {
    const { status } = await under.call('PUT', `/v1/roles/${one.metadata.name}`, { body: one, as: root });
    expect(status).toBe(200);
  }
  return under;
}

/** The least role that each operation needs; `authenticated` needs none. */
const least: Readonly<Record<string, AccessRole | 'authenticated' | 'anonymous' | 'agent'>> = {
  listManifests: 'viewer',
  getManifest: 'viewer',
  planManifest: 'viewer',
  validate: 'viewer',
  listRuns: 'viewer',
  getRun: 'viewer',
  getRunPlan: 'viewer',
  listEvents: 'viewer',
  getLive: 'viewer',
  listAllEvents: 'viewer',
  listLogs: 'viewer',
  getLog: 'viewer',
  listSecrets: 'viewer',
  getTemplate: 'viewer',
  listChanges: 'viewer',
  listGenerations: 'viewer',
  getGeneration: 'viewer',
  diffGenerations: 'viewer',
  requestState: 'operator',
  editState: 'operator',
  getState: 'operator',
  putManifest: 'operator',
  deleteManifest: 'operator',
  retryManifest: 'operator',
  cancelManifest: 'operator',
  listInventory: 'viewer',
  getInventory: 'viewer',
  planInventory: 'viewer',
  explainManifest: 'viewer',
  listRollOuts: 'viewer',
  listTroubledRollOuts: 'viewer',
  getRollOut: 'viewer',
  startRollOut: 'operator',
  changeRollOutState: 'operator',
  putInventory: 'operator',
  deleteInventory: 'operator',
  applyInventory: 'operator',
  listNotifications: 'viewer',
  getNotification: 'viewer',
  putNotification: 'operator',
  deleteNotification: 'operator',
  testNotification: 'operator',
  listGitSources: 'viewer',
  getGitSource: 'viewer',
  putGitSource: 'operator',
  deleteGitSource: 'operator',
  syncGitSource: 'operator',
  checkProvider: 'operator',
  getProviderCheck: 'viewer',
  listProviders: 'viewer',
  listTemplates: 'viewer',
  pauseManifest: 'operator',
  resumeManifest: 'operator',
  rollbackManifest: 'operator',
  getKubeconfig: 'operator',
  putSecret: 'operator',
  deleteSecret: 'operator',
  putTemplate: 'operator',
  deleteTemplate: 'operator',
  requestKubeconfig: 'viewer',
  getIssuedKubeconfig: 'viewer',
  requestSshAccess: 'operator',
  getSshAccess: 'operator',
  driftManifest: 'operator',
  approveManifest: 'approver',
  rejectPlan: 'operator',
  rejectInventoryPlan: 'operator',
  listInventoryPlans: 'viewer',
  listPlans: 'viewer',
  getPlan: 'viewer',
  diffPlan: 'viewer',
  listWaitingPlans: 'viewer',
  getInventoryPlan: 'viewer',
  scaleManifest: 'operator',
  replaceNodes: 'operator',
  listRoles: 'admin',
  putRole: 'admin',
  deleteRole: 'admin',
  getOpenapi: 'authenticated',
  getVersion: 'authenticated',
  whoAmI: 'authenticated',
  getHealth: 'anonymous',
  listAgentGroups: 'agent',
  resizeAgentGroup: 'agent',
  reportAgentHealth: 'agent',
};

const parameters: Readonly<Record<string, string>> = {
  namespace: 'team',
  name: 'shop',
  run: 'shop-abcde-g1-a1',
  cluster: 'web',
  waypoint: 'w00',
  stage: 'infrastructure',
  attempt: '1',
  pool: 'work',
  provider: 'hetzner',
  check: '1',
  generation: '1',
  id: '1',
  plan: '0'.repeat(40),
  kind: 'InventoryLayer',
  verb: 'pause',
};
const pathOf = (path: string) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? name);

describe('every route', () => {
  const known = routes.filter(({ operation }) => operation in least);
  it.each(known.map(({ operation, ...route }) => [operation, route] as const))(
    '%s is open from its least role on, and closed below',
    async (operation, route) => {
      const needed = least[operation] ?? 'admin';
      // Only an admin of all namespaces gives roles.
      const namespaces = needed === 'admin' ? ['*'] : ['team'];
      const valid = operation === 'reportAgentHealth' ? { nodes: [] } : { count: 1 };
      const body = needed === 'agent' && route.method === 'POST' ? valid : undefined;
      const under = await apiWith(...roles.map((role) => binding(role, role, namespaces, [{ user: role }])));
      const path = `${pathOf(route.path)}${operation === 'listChanges' ? '?namespace=team' : ''}`;
      const ask = async (as: Call['as']) => (await under.call(route.method, path, { as, body })).status;
      for (const role of roles) {
        const open =
          needed === 'authenticated' ||
          needed === 'anonymous' ||
          (needed !== 'agent' && roles.indexOf(role) >= roles.indexOf(needed));
        expect((await ask(asUser(role))) === 403, `${role} on ${operation}`).toBe(!open);
      }
      expect((await ask(asUser('stranger'))) === 403, 'without a role').toBe(
        needed === 'agent' || roles.includes(needed as AccessRole),
      );
      expect((await ask(null)) === 403, 'unknown to the gate').toBe(needed !== 'anonymous');
    },
  );

  it('each route has a least role in this table', () => {
    const missing = routes.filter(({ operation }) => !(operation in least)).map(({ operation }) => operation);
    expect(missing).toEqual([]);
  });
});
