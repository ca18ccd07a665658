/** Plans that someone has to approve: who may, what is kept, and that exactly that is carried out. */
import { describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest, as, bindRoles } from './api-under-test.ts';
import { aManifest, key, manifestPath } from './documents.ts';

const operator = as('olga');
const approver = as('anna');

function withApproval(document = aManifest()) {
  return { ...document, spec: { ...document.spec, requireApproval: true } };
}

/** With an admin, an operator and an approver of the namespace. */
async function apiWith(environment: Readonly<Record<string, string>> = {}): Promise<ApiUnderTest> {
  const under = apiUnderTest({ KUBELOOM_ADMINS: 'user:root', ...environment });
  await bindRoles(under.deps, 'team', { operator: 'olga', approver: 'anna' });
  return under;
}

const put = ({ call }: ApiUnderTest, body: unknown, caller = operator) =>
  call('PUT', manifestPath, { body, ...caller });
const approve = ({ call }: ApiUnderTest, plan: unknown, caller = approver) =>
  call('POST', `${manifestPath}/approve`, { body: { plan }, ...caller });
const proposed = async (under: ApiUnderTest, body: unknown): Promise<string> => {
  const { status, json } = await put(under, body);
  expect([status, json.code]).toEqual([409, 'ApprovalRequired']);
  return String((json.details as { plan?: unknown }).plan);
};
const listed = async ({ call }: ApiUnderTest) => (await call('GET', `${manifestPath}/plans`, operator)).json.items;

describe('a plan that has to be approved', () => {
  it('a plan that has to be approved is kept as proposed, and nothing is stored or started', async () => {
    const under = await apiWith();
    const plan = await proposed(under, withApproval());
    expect(await under.deps.manifests.get(key)).toBeUndefined();
    expect(under.deps.workflows.started).toEqual([]);
    expect(await listed(under)).toMatchObject([
      { id: plan, by: 'olga', state: 'Proposed', reason: 'created', summary: '1 cluster added; 3 nodes added' },
    ]);
    const shown = await under.call('GET', `${manifestPath}/plans/${plan}`, operator);
    expect(shown).toMatchObject({ status: 200, json: { id: plan, hasWork: true, needsApproval: true } });
  });

  it('a plan that has to be approved is carried out once an approver approves it; generation, run and event say who did', async () => {
    const under = await apiWith();
    const plan = await proposed(under, withApproval());
    const answer = await approve(under, plan);
    expect(answer).toMatchObject({ status: 202, json: { generation: 1 } });
    const run = await under.deps.runs.get(key, String(answer.json.runId));
    expect(run).toMatchObject({ plan: { id: plan, approvedBy: 'anna' }, reason: 'created, proposed by olga' });
    const { items } = await under.deps.events.list(key, 10);
    expect(items[0]).toMatchObject({ kind: 'PlanProposed', by: 'olga' });
    expect(items[0]?.message).toContain(`approve it: kubeloom approve shop -n ${key.namespace} --plan ${plan}`);
    expect(items[1]?.message).toMatch(new RegExp(`plan ${plan}, approved by anna`));
    expect(await listed(under)).toMatchObject([{ state: 'Approved', approved: { by: 'anna' } }]);
  });

  it('a plan that has to be approved is approved once, and by no one without the role', async () => {
    const under = await apiWith();
    const plan = await proposed(under, withApproval());
    expect(await approve(under, plan, operator)).toMatchObject({ status: 403 });
    expect(await approve(under, plan)).toMatchObject({ status: 202 });
    expect(await approve(under, plan)).toMatchObject({ status: 409, json: { code: 'VerbRefused' } });
    expect(await approve(under, 'a'.repeat(40))).toMatchObject({ status: 404 });
    expect(await approve(under, 'a')).toMatchObject({ status: 400 });
  });

  it('a proposed plan is refused and shown as outdated once anything has changed', async () => {
    const under = await apiWith();
    const second = await proposed(under, withApproval(aManifest({ compute: 3 })));
    expect(await put(under, aManifest())).toMatchObject({ status: 202 });
    const answer = await approve(under, second);
    expect(answer).toMatchObject({ status: 409, json: { code: 'PlanMoved' } });
    expect(answer.json.detail).toContain('the manifest was created meanwhile');
    const states = (await listed(under)) as readonly { readonly id: string; readonly state: string }[];
    expect(states.find(({ id }) => id === second)?.state).toBe('Outdated');
  });

  it('a plan that has to be approved is needed for the change that switches approvals off, for a deletion and for a rollback', async () => {
    const under = await apiWith();
    await approve(under, await proposed(under, withApproval()));
    expect(await put(under, aManifest({ compute: 4 }))).toMatchObject({ json: { code: 'ApprovalRequired' } });
    const deletion = await under.call('DELETE', manifestPath, operator);
    expect(deletion).toMatchObject({ status: 409, json: { code: 'ApprovalRequired' } });
    expect((await under.deps.manifests.get(key))?.deleting).toBe(false);
    const { plan } = deletion.json.details as { readonly plan: string };
    expect(await under.call('GET', `${manifestPath}/plans/${plan}`, operator)).toMatchObject({ json: { id: plan } });
    expect(await approve(under, plan)).toMatchObject({ status: 202 });
    expect((await under.deps.manifests.get(key))?.deleting).toBe(true);
  });

  it('a plan that has to be approved can be approved again when the same is created after a deletion', async () => {
    const under = await apiWith();
    const plan = await proposed(under, withApproval());
    expect(await approve(under, plan)).toMatchObject({ status: 202 });
    const deletion = await under.call('DELETE', manifestPath, operator);
    expect(await approve(under, (deletion.json.details as { readonly plan: string }).plan)).toMatchObject({
      status: 202,
    });
    const taken = await under.deps.manifests.takeLease(key, 'run', { now: '0', expiresAt: '1', dueAt: '1' });
    await under.deps.manifests.remove(key, taken?.lease.fence ?? 0, 2);
    expect(await under.deps.manifests.get(key)).toBeUndefined();
    expect(await proposed(under, withApproval())).toBe(plan);
    expect(await listed(under)).toContainEqual(expect.objectContaining({ id: plan, state: 'Proposed' }));
    expect(await approve(under, plan)).toMatchObject({ status: 202, json: { generation: 1 } });
  });

  it.each(['*', 'other,team'])('an approval is what an installation asks for with %s', async (namespaces) => {
    const under = await apiWith({ KUBELOOM_REQUIRE_APPROVAL: namespaces });
    expect(await approve(under, await proposed(under, aManifest()))).toMatchObject({ status: 202 });
  });

  it('a plan that has to be approved is not asked for elsewhere', async () => {
    const under = await apiWith({ KUBELOOM_REQUIRE_APPROVAL: 'other' });
    expect(await put(under, aManifest())).toMatchObject({ status: 202 });
    // The same document again changes nothing, even where an approval is required.
    const strict = await apiWith({ KUBELOOM_REQUIRE_APPROVAL: '*' });
    await approve(strict, await proposed(strict, aManifest()));
    expect(await put(strict, aManifest())).toMatchObject({ status: 200, json: { unchanged: true } });
  });
});

describe('a plan id', () => {
  it('a plan id follows from the commit of templates, which the refusal names', async () => {
    const under = apiUnderTest();
    let commit = 'a'.repeat(40);
    Object.assign(under.deps, { templateSources: { resolve: async () => ({ commit }) } });
    const { aTemplateReference } = await import('./documents.ts');
    await under.call('PUT', '/v1/templates/team/own-templates', { body: aTemplateReference() });
    const document = aManifest();
    const [provider] = document.spec.providers;
    const body = {
      ...document,
      spec: { ...document.spec, providers: [{ ...provider, templatesRef: { name: 'own-templates' } }] },
    };
    const { json } = await under.call('POST', `${manifestPath}/plan`, { body });
    commit = 'b'.repeat(40);
    const headers = { 'kubeloom-plan': String(json.id) };
    const answer = await under.call('PUT', manifestPath, { body, headers });
    expect(answer).toMatchObject({ status: 409, json: { code: 'PlanMoved' } });
    expect(answer.json.detail).toMatch(/templates of provider sim-1 moved from \S+@a{40}\S* to \S+@b{40}/);
  });

  it('a plan id contains nothing that can be guessed back: the stored plan has digests and versions only', async () => {
    const { deps, call } = apiUnderTest();
    const { json } = await call('POST', `${manifestPath}/plan`, { body: aManifest() });
    const text = (await deps.artifacts.getText(`plans/team/shop/${json.id}.json`)) ?? '';
    expect(text).not.toContain('sim-1');
    expect(Object.keys(JSON.parse(text).basis)).toEqual([
      ...['schema', 'kubeloom', 'settings', 'manifest', 'goal', 'templates', 'clusters'],
    ]);
  });
});
