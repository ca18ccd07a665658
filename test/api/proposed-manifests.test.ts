/** What is proposed and does not exist yet is visible: in the fleet, under its own address, and in the inventory; until someone decides about it. */
import { describe, expect, it } from 'vitest';
import { aComponent, aPlane } from '#test/planes/planes.ts';
import { type Answer, type ApiUnderTest, apiUnderTest, as, bindRoles } from './api-under-test.ts';
import { aManifest, key, manifestPath } from './documents.ts';

const [operator, approver, viewer] = [as('olga'), as('anna'), as('vera')];

async function guarded(): Promise<ApiUnderTest> {
  const under = apiUnderTest({ KUBELOOM_ADMINS: 'user:root', KUBELOOM_REQUIRE_APPROVAL: 'team' });
  await bindRoles(under.deps, 'team', { operator: 'olga', approver: 'anna', viewer: 'vera' });
  return under;
}

function planIn({ status, json }: Answer): string {
  expect([status, json.code]).toEqual([409, 'ApprovalRequired']);
  return String((json.details as { plan?: unknown }).plan);
}

const proposed = async ({ call }: ApiUnderTest, compute = 3, who = operator): Promise<string> =>
  planIn(await call('PUT', manifestPath, { body: aManifest({ compute }), ...who }));
const list = async ({ call }: ApiUnderTest, query = '', who = viewer) =>
  (await call('GET', `/v1/manifests${query}`, who)).json;
const row = (id: string) =>
  expect.objectContaining({ ...key, id, by: 'olga', at: expect.any(String), reason: 'created' });

describe('a manifest that is proposed and does not exist yet', () => {
  it('a proposed manifest is in the list, with who proposed it, when, and its plan', async () => {
    const under = await guarded();
    expect(await list(under)).toEqual({ items: [] });
    const plan = await proposed(under);
    expect(await list(under)).toEqual({ items: [], proposed: [row(plan)] });
    expect(await list(under, '?namespace=team')).toEqual({ items: [], proposed: [row(plan)] });
  });

  it('a proposed manifest is in the fleet where it fits the filters, and is counted as what needs a person', async () => {
    const under = await guarded();
    const plan = await proposed(under);
    const fitting = [
      '?state=attention',
      '?status=Proposed',
      '?search=sho',
      '?sort=state',
      '?namespace=team&sort=state',
    ];
    for (const query of fitting) expect([query, (await list(under, query)).proposed]).toEqual([query, [row(plan)]]);
    const others = ['?state=running', '?status=Done', '?search=other', '?provider=sim-1'];
    for (const query of others) expect([query, (await list(under, query)).proposed]).toEqual([query, undefined]);
    const counts = { all: 1, fitting: 1, states: { attention: 1, running: 0 }, namespaces: { team: 1 } };
    expect(await list(under, '?counts=true')).toMatchObject({ items: [], counts });
    expect(await list(under, '?counts=true&state=running')).toMatchObject({ counts: { all: 1, fitting: 0 } });
  });

  it('a proposed manifest is on the first page only, whatever the size of pages is', async () => {
    const under = await guarded();
    for (const name of ['a', 'b', 'c']) {
      const body = { ...aManifest(), metadata: { namespace: 'team', name } };
      const plan = planIn(await under.call('PUT', `/v1/manifests/team/${name}`, { body, ...operator }));
      await under.call('POST', `/v1/manifests/team/${name}/approve`, { body: { plan }, ...approver });
    }
    const plan = await proposed(under);
    for (const query of ['limit=2', 'limit=2&sort=state']) {
      const first = await list(under, `?${query}`);
      expect(first).toMatchObject({ proposed: [row(plan)] });
      const rest = await list(under, `?${query}&next=${String(first.next)}`);
      expect(rest.proposed).toBeUndefined();
      expect([...(first.items as unknown[]), ...(rest.items as unknown[])]).toHaveLength(3);
    }
  });

  it('a proposed manifest says under its own address who proposed it, since when, and the next command', async () => {
    const under = await guarded();
    const plan = await proposed(under);
    for (const path of [manifestPath, `${manifestPath}/live`]) {
      const { status, json } = await under.call('GET', path, viewer);
      expect([status, json.code]).toEqual([404, 'NotFound']);
      expect(json.detail).toMatch(
        new RegExp(
          `^manifest "shop" in namespace "team" does not exist yet: olga proposed it at \\S+ \\(1 cluster added; .*\\), and its plan waits for an approval: .kubeloom approve shop -n team --plan ${plan}. carries it out, .kubeloom reject`,
        ),
      );
      expect(json.details).toMatchObject({ proposed: [{ id: plan, by: 'olga' }] });
    }
    const missing = await under.call('GET', '/v1/manifests/team/nothing', viewer);
    expect(missing.json).toMatchObject({ status: 404, detail: 'there is no manifest "nothing" in namespace "team"' });
    expect(missing.json.details).toBeUndefined();
  });

  it('a proposed manifest is not shown to those who may not read its namespace', async () => {
    const under = await guarded();
    await proposed(under);
    await bindRoles(under.deps, 'other', { viewer: 'otto' });
    for (const query of ['', '?sort=state', '?counts=true'])
      expect((await list(under, query, as('otto'))).proposed).toBeUndefined();
    expect(await list(under, '?counts=true', as('otto'))).toMatchObject({
      counts: { all: 0, states: { attention: 0 } },
    });
    expect(await under.call('GET', manifestPath, as('otto'))).toMatchObject({ status: 403 });
    expect(await under.call('DELETE', manifestPath, as('otto'))).toMatchObject({ status: 403 });
  });

  it('a proposed manifest that is approved is an ordinary one, and one that is rejected is gone', async () => {
    const under = await guarded();
    const first = await proposed(under);
    await under.call('POST', `${manifestPath}/plans/${first}/reject`, { body: { reason: 'no' }, ...approver });
    expect(await list(under)).toEqual({ items: [] });
    expect((await under.call('GET', manifestPath, viewer)).json.detail).toMatch(/^there is no manifest/);
    const second = await proposed(under, 4);
    await under.call('POST', `${manifestPath}/approve`, { body: { plan: second }, ...approver });
    const after = await list(under);
    expect(after.proposed).toBeUndefined();
    expect(after).toMatchObject({ items: [{ ...key, status: 'Pending' }] });
  });

  it('a proposal that no longer fits, because the manifest was created without it, is shown nowhere', async () => {
    const under = await guarded();
    await proposed(under);
    Object.assign(under.deps.config, { KUBELOOM_REQUIRE_APPROVAL: [] });
    await under.call('PUT', manifestPath, { body: aManifest({ compute: 5 }), ...operator });
    expect((await list(under)).proposed).toBeUndefined();
    expect((await list(under, '?counts=true')).counts).toMatchObject({ all: 1 });
  });
});

describe('the deletion of a manifest that is only proposed', () => {
  const states = async ({ call }: ApiUnderTest) =>
    ((await call('GET', `${manifestPath}/plans`, viewer)).json.items as readonly { readonly state: string }[]).map(
      ({ state }) => state,
    );

  it('the author who deletes it withdraws its plan: no one can approve it any more', async () => {
    const under = await guarded();
    const plan = await proposed(under);
    const answer = await under.call('DELETE', manifestPath, operator);
    expect(answer).toMatchObject({ status: 200, json: { ...key, generation: 0, runId: '' } });
    expect(await states(under)).toEqual(['Withdrawn']);
    expect(await list(under)).toEqual({ items: [] });
    const approval = await under.call('POST', `${manifestPath}/approve`, { body: { plan }, ...approver });
    expect(approval).toMatchObject({ status: 409, json: { code: 'VerbRefused' } });
    expect(await under.call('DELETE', manifestPath, operator)).toMatchObject({ status: 404 });
  });

  it('another operator, or a request about a version that was read, deletes nothing of it', async () => {
    const under = await guarded();
    await proposed(under);
    const spec = { role: 'operator', namespaces: ['team'], subjects: [{ user: 'otto' }] };
    const body = { apiVersion: 'kubeloom.dev/v1', kind: 'RoleBinding', metadata: { name: 'others' }, spec };
    await under.call('PUT', '/v1/roles/others', { body, ...as('root') });
    const refused = await under.call('DELETE', manifestPath, as('otto'));
    expect(refused).toMatchObject({ status: 403, json: { code: 'Forbidden' } });
    expect(refused.json.detail).toMatch(/olga, who proposed it, or someone with the role approver/);
    const bound = { ...operator, headers: { 'if-match': '"abc-g1-a1"' } };
    expect(await under.call('DELETE', manifestPath, bound)).toMatchObject({ status: 412 });
    expect(await states(under)).toEqual(['Proposed']);
  });
});

describe('a document of an inventory that is proposed and does not exist yet', () => {
  const inventory = '/v1/inventory/team';
  const listed = async ({ call }: ApiUnderTest) => (await call('GET', inventory, viewer)).json.proposed;

  it('a proposed plane is in the list of its namespace and says under its own address how it is approved', async () => {
    const under = await guarded();
    await under.call('POST', `${manifestPath}/approve`, { body: { plan: await proposed(under) }, ...approver });
    expect(await listed(under)).toBeUndefined();
    const cluster = { manifest: 'shop', name: aManifest().spec.kubernetes.clusters[0]?.name ?? '' };
    const { spec, ...rest } = aPlane([aComponent({})]);
    const body = { ...rest, metadata: { namespace: 'team', name: 'capi' }, spec: { ...spec, cluster } };
    const path = `${inventory}/documents/ManagementPlane/capi`;
    const plan = planIn(await under.call('PUT', path, { body, ...operator }));
    expect(await listed(under)).toEqual({ 'ManagementPlane capi': expect.objectContaining({ ...key, id: plan }) });
    const { status, json } = await under.call('GET', path, viewer);
    expect(status).toBe(404);
    expect(json.detail).toMatch(
      new RegExp(`does not exist yet: olga proposed it at .* kubeloom approve shop -n team --plan ${plan}$`),
    );
    await under.call('POST', `${manifestPath}/plans/${plan}/reject`, { body: { reason: 'no' }, ...approver });
    expect(await listed(under)).toBeUndefined();
    expect((await under.call('GET', path, viewer)).json.detail).toBe('there is no ManagementPlane "team/capi"');
  });
});
