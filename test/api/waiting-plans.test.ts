/** Plans that wait for an approval are found: in rows and descriptions of manifests, and in one list of all that one may see. */
import { describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest, as, bindRoles } from './api-under-test.ts';
import { aManifest, manifestPath } from './documents.ts';

const [operator, approver] = [as('olga'), as('anna')];

async function apiWith(): Promise<ApiUnderTest> {
  const under = apiUnderTest({ KUBELOOM_ADMINS: 'user:root', KUBELOOM_REQUIRE_APPROVAL: 'team' });
  await bindRoles(under.deps, 'team', { operator: 'olga', approver: 'anna' });
  return under;
}

/** Returns its id. */
async function proposed({ call }: ApiUnderTest, compute: number): Promise<string> {
  const { status, json } = await call('PUT', manifestPath, { body: aManifest({ compute }), ...operator });
  expect([status, json.code]).toEqual([409, 'ApprovalRequired']);
  return String((json.details as { plan?: unknown }).plan);
}

const approve = ({ call }: ApiUnderTest, plan: string) =>
  call('POST', `${manifestPath}/approve`, { body: { plan }, ...approver });
const waiting = async ({ call }: ApiUnderTest, who = approver) => (await call('GET', '/v1/plans', who)).json.items;
const fleet = async ({ call }: ApiUnderTest) =>
  (await call('GET', '/v1/manifests?counts=true&state=attention', approver)).json;

describe('a plan that waits for an approval', () => {
  it('a plan of a manifest that does not exist yet is in the list of all, until it is approved', async () => {
    const under = await apiWith();
    const id = await proposed(under, 3);
    expect(await waiting(under)).toMatchObject([
      { namespace: 'team', name: 'shop', id, by: 'olga', reason: 'created', summary: '1 cluster added; 4 nodes added' },
    ]);
    expect(await approve(under, id)).toMatchObject({ status: 202 });
    expect(await waiting(under)).toEqual([]);
  });

  it('a plan of a manifest is in its row, in its description and in what one watches, and its manifest needs attention', async () => {
    const under = await apiWith();
    await approve(under, await proposed(under, 3));
    expect(await fleet(under)).toMatchObject({ items: [], counts: { states: { attention: 0 } } });
    const id = await proposed(under, 5);
    const proposal = [expect.objectContaining({ id, by: 'olga', reason: 'changed' })];
    expect(await fleet(under)).toMatchObject({
      items: [{ name: 'shop', state: 'attention', proposed: proposal }],
      counts: { states: { attention: 1 } },
    });
    expect((await under.call('GET', manifestPath, approver)).json).toMatchObject({ proposed: proposal });
    const live = await under.call('GET', `${manifestPath}/live`, approver);
    expect(live.json).toMatchObject({ manifest: { state: 'attention', proposed: proposal } });
    await approve(under, id);
    expect(await fleet(under)).toMatchObject({ items: [], counts: { states: { attention: 0 } } });
  });

  it('a plan that something moved is in no list any more', async () => {
    const under = await apiWith();
    await approve(under, await proposed(under, 3));
    const other = await proposed(under, 5);
    Object.assign(under.deps.config, { KUBELOOM_REQUIRE_APPROVAL: [] });
    expect(await under.call('PUT', manifestPath, { body: aManifest({ compute: 4 }), ...operator })).toMatchObject({
      status: 202,
    });
    expect(await waiting(under)).toEqual([]);
    const { items } = (await under.call('GET', `${manifestPath}/plans`, approver)).json;
    expect(items).toContainEqual(expect.objectContaining({ id: other, state: 'Outdated' }));
  });

  it('a plan that is proposed again keeps who proposed it first, and is in the list once', async () => {
    const under = await apiWith();
    const id = await proposed(under, 3);
    await under.call('PUT', manifestPath, { body: aManifest({ compute: 3 }), ...approver });
    expect(await waiting(under)).toMatchObject([{ id, by: 'olga' }]);
  });

  it('a plan is shown only to those who may see its namespace, and unchanged lists are not sent again', async () => {
    const under = await apiWith();
    await proposed(under, 3);
    await bindRoles(under.deps, 'other', { viewer: 'vera' });
    expect(await waiting(under, as('vera'))).toEqual([]);
    const { headers } = await under.call('GET', '/v1/plans', approver);
    const again = await under.call('GET', '/v1/plans', {
      ...approver,
      headers: { 'if-none-match': headers.etag ?? '' },
    });
    expect(again.status).toBe(304);
  });

  it('a proposed document is compared with the stored one, line by line; of a deletion all is removed', async () => {
    const under = await apiWith();
    const first = await proposed(under, 3);
    const diff = async (plan: string) => (await under.call('GET', `${manifestPath}/plans/${plan}/diff`, operator)).json;
    expect(String((await diff(first)).diff)).toMatch(/^\+kind: InputManifest$/m);
    await approve(under, first);
    expect(await diff(await proposed(under, 5))).toMatchObject({
      changes: ['nodePools.dynamic "compute".count 3 → 5'],
      diff: expect.stringMatching(/^- +count: 3\n\+ +count: 5$/m),
    });
    const deletion = await under.call('DELETE', manifestPath, operator);
    const removed = await diff(String((deletion.json.details as { readonly plan: string }).plan));
    expect(String(removed.diff)).toMatch(/^-kind: InputManifest$/m);
  });
});
