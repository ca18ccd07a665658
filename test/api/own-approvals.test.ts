/** Who proposes a plan does not approve it: someone else with the role does, unless the installation allows it. */
import { describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest, as, bindRoles } from './api-under-test.ts';
import { aManifest, manifestPath } from './documents.ts';

const anna = as('anna');

async function apiWith(
  environment: Readonly<Record<string, string>>,
  approvers = ['anna', 'arno'],
): Promise<ApiUnderTest> {
  const under = apiUnderTest({ KUBELOOM_ADMINS: 'user:root', ...environment });
  await bindRoles(under.deps, 'team', { operator: 'olga', viewer: 'vera' });
  const subjects = approvers.map((user) => ({ user }));
  const spec = { role: 'approver', namespaces: ['team'], subjects };
  const body = { apiVersion: 'kubeloom.dev/v1', kind: 'RoleBinding', metadata: { name: 'approvers' }, spec };
  await under.call('PUT', '/v1/roles/approvers', { body, ...as('root') });
  return under;
}

async function proposed({ call }: ApiUnderTest, body: unknown, who = anna): Promise<string> {
  const { status, json } = await call('PUT', manifestPath, { body, ...who });
  expect([status, json.code]).toEqual([409, 'ApprovalRequired']);
  return String((json.details as { plan?: unknown }).plan);
}

const approve = ({ call }: ApiUnderTest, plan: string, who = anna) =>
  call('POST', `${manifestPath}/approve`, { body: { plan }, ...who });
const document = aManifest();

describe('an author who may approve', () => {
  it.each([
    ['a namespace that requires approvals', { KUBELOOM_REQUIRE_APPROVAL: 'team' }, document],
    ['a manifest that requires them', {}, { ...document, spec: { ...document.spec, requireApproval: true } }],
    ['a budget', { KUBELOOM_BUDGETS: 'team=1USD' }, document],
  ])(
    'an author cannot approve their own plan because of %s; the refusal says who may, and one of them does',
    async (_, environment, body) => {
      const under = await apiWith(environment as Readonly<Record<string, string>>);
      const plan = await proposed(under, body);
      const refused = await approve(under, plan);
      expect(refused).toMatchObject({ status: 403, json: { code: 'Forbidden' } });
      expect(refused.json.detail).toBe(
        `anna proposed plan ${plan}, so someone else has to approve it: user:arno or user:root; the option ownApprovals of the installation lets authors approve their own plans`,
      );
      expect(under.deps.workflows.started).toEqual([]);
      expect(await approve(under, plan, as('arno'))).toMatchObject({ status: 202 });
    },
  );

  it('an author cannot approve a plan that they proposed first and someone else proposed again', async () => {
    const under = await apiWith({ KUBELOOM_REQUIRE_APPROVAL: 'team' });
    const plan = await proposed(under, document);
    expect(await proposed(under, document, as('olga'))).toBe(plan);
    expect(await approve(under, plan)).toMatchObject({ status: 403 });
  });

  it('an author who is the only approver reads that no one else may, and an admin who proposes is refused, too', async () => {
    const under = await apiWith({ KUBELOOM_REQUIRE_APPROVAL: 'team' }, ['anna']);
    Object.assign(under.deps.config, { KUBELOOM_ADMINS: 'user:anna' });
    const refused = await approve(under, await proposed(under, document));
    expect(refused.status).toBe(403);
    expect(refused.json.detail).toContain('no one else has the role approver in namespace "team" now');
  });

  it('an author may approve where the installation allows it', async () => {
    const under = await apiWith({ KUBELOOM_REQUIRE_APPROVAL: 'team', KUBELOOM_OWN_APPROVALS: 'allowed' });
    expect(await approve(under, await proposed(under, document))).toMatchObject({ status: 202 });
  });

  it('whoami says whether authors approve their own plans', async () => {
    const under = await apiWith({});
    expect((await under.call('GET', '/v1/whoami', anna)).json).toMatchObject({ ownApprovals: 'refused' });
  });
});
