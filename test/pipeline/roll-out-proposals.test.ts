/** Roll-outs that need an approval: kept as proposed, with their documents and settings, until an approver starts exactly that. */
import { expect, it } from 'vitest';
import { as, bindRoles, callApi } from '#test/api/api-under-test.ts';
import { environment, Fleet, fleet } from './harness/fleet.ts';

const quick = '?soak=0s';

/** The id of the roll-out of a proposed plan. */
async function startedBy(world: Fleet, plan: string, person: string): Promise<string> {
  const answer = await world.start(undefined, '', plan, as(person));
  expect(answer, answer.text).toMatchObject({ status: 202 });
  return String(answer.json.id);
}

it('a roll-out that needs an approval is kept as proposed, found by an approver, and started exactly so by the id of its plan', async () => {
  const world = await Fleet.of(2);
  const { deps } = world.pipeline;
  Object.assign(deps.config, { KUBELOOM_ADMINS: 'user:root', KUBELOOM_REQUIRE_APPROVAL: [fleet] });
  await bindRoles(deps, fleet, { viewer: 'tester', operator: 'olga', approver: 'anna' });
  const document = environment('1.35.2', 3);
  const planned = await world.call('POST', '/plan', { body: document, ...as('olga') });
  expect(planned.json).toMatchObject({ needsApproval: true });
  const id = String(planned.json.id);
  const proposed = await world.start(document, '?soak=0s&waves=2', id, as('olga'));
  expect(proposed).toMatchObject({ status: 409, json: { code: 'ApprovalRequired', details: { plan: id } } });
  expect(proposed.json.detail).toContain(`kubeloom rollout start -n ${fleet} --plan ${id}`);
  expect((await world.layer()).generation).toBe(1);
  // Who plans the same meanwhile takes nothing of it.
  await world.call('POST', '/plan', { body: document, ...as('anna') });
  const waiting = async () => (await callApi(deps, 'GET', '/v1/plans', as('anna'))).json.items;
  expect(await waiting()).toMatchObject([
    { namespace: fleet, name: null, id, by: 'olga', summary: '2 clusters changed; 4 nodes added' },
  ]);
  const shown = (await world.call('GET', `/plans/${id}`, as('anna'))).json;
  expect(shown).toMatchObject({ id, changes: 2, proposed: { by: 'olga', settings: { waves: [2], soak: '0s' } } });
  expect(String((shown.proposed as { readonly diff: string }).diff)).toMatch(/^\+ +count: 3$/m);
  expect(await world.start(undefined, '', id, as('olga'))).toMatchObject({ json: { code: 'ApprovalRequired' } });
  const rollOut = await startedBy(world, id, 'anna');
  expect(await waiting()).toEqual([]);
  await world.pipeline.rollOut();
  expect(await world.rollOut(rollOut)).toMatchObject({ status: 'RolledOut', plan: id, waves: [{ clusters: 2 }] });
  expect((await world.layer()).generation).toBe(2);
});

it('a proposed roll-out whose inventory has changed is in no list, has another id, and is refused to an approver, too', async () => {
  const world = await Fleet.of(1);
  const { deps } = world.pipeline;
  Object.assign(deps.config, { KUBELOOM_ADMINS: 'user:root', KUBELOOM_REQUIRE_APPROVAL: [fleet] });
  await bindRoles(deps, fleet, { operator: 'olga', approver: 'anna' });
  const proposed = await world.start(environment('1.35.2', 3), quick, undefined, as('olga'));
  const { plan } = proposed.json.details as { readonly plan: string };
  expect(
    await world.call('PUT', `/documents/InventoryLayer/${environment('1.35.2').metadata.name}`, {
      body: environment('1.35.2', 2),
      ...as('olga'),
    }),
  ).toMatchObject({ status: 200 });
  expect((await callApi(deps, 'GET', '/v1/plans', as('anna'))).json.items).toEqual([]);
  expect((await world.call('GET', `/plans/${plan}`, as('anna'))).json.id).not.toBe(plan);
  expect(await world.start(undefined, '', plan, as('anna'))).toMatchObject({
    status: 409,
    json: { code: 'PlanMoved' },
  });
  expect((await world.call('GET', `/plans/${'0'.repeat(40)}`, as('anna'))).status).toBe(404);
});

it('a proposed roll-out keeps no Secret: it says that they are applied first', async () => {
  const world = await Fleet.of(1);
  const { deps } = world.pipeline;
  Object.assign(deps.config, { KUBELOOM_ADMINS: 'user:root', KUBELOOM_REQUIRE_APPROVAL: [fleet] });
  await bindRoles(deps, fleet, { operator: 'olga', approver: 'anna' });
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, stringData: { a: 'hidden' } };
  const refused = await world.start([environment('1.35.2', 3), secret], quick, undefined, as('olga'));
  expect(refused.json.detail).toContain('a plan is kept without Secrets');
  expect((await callApi(deps, 'GET', '/v1/plans', as('anna'))).json.items).toEqual([]);
});

it('a proposed roll-out is superseded by a newer one of the same document, rejected with a reason, or withdrawn, and never started after that', async () => {
  const world = await Fleet.of(1);
  const { deps } = world.pipeline;
  Object.assign(deps.config, { KUBELOOM_ADMINS: 'user:root', KUBELOOM_REQUIRE_APPROVAL: [fleet] });
  await bindRoles(deps, fleet, { operator: 'olga', approver: 'anna' });
  const propose = async (count: number): Promise<string> => {
    const { json } = await world.start(environment('1.35.2', count), quick, undefined, as('olga'));
    return (json.details as { readonly plan: string }).plan;
  };
  const reject = (plan: string, who: string, body: object) =>
    world.call('POST', `/plans/${plan}/reject`, { body, ...as(who) });
  const superseded = await propose(3);
  const rejected = await propose(2);
  expect(await reject(rejected, 'anna', { reason: 'after the holidays' })).toMatchObject({ status: 200 });
  const withdrawn = await propose(4);
  expect(await reject(withdrawn, 'olga', {})).toMatchObject({ status: 200, json: { state: 'Withdrawn' } });
  expect((await callApi(deps, 'GET', '/v1/plans', as('anna'))).json.items).toEqual([]);
  for (const plan of [superseded, rejected, withdrawn])
    expect(await world.start(undefined, '', plan, as('anna'))).toMatchObject({
      status: 409,
      json: { code: 'VerbRefused' },
    });
  expect((await world.call('GET', '/plans', as('anna'))).json.items).toMatchObject([
    { id: withdrawn, state: 'Withdrawn', closed: { by: 'olga' } },
    { id: rejected, state: 'Rejected', closed: { by: 'anna', reason: 'after the holidays' } },
    { id: superseded, state: 'Superseded', closed: { plan: rejected } },
  ]);
  const { items } = (await callApi(deps, 'GET', `/v1/changes?namespace=${fleet}`, as('anna'))).json;
  const kinds = (items as readonly { readonly kind: string }[]).map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(['PlanSuperseded', 'PlanRejected', 'PlanWithdrawn']));
  const again = await propose(2);
  expect(again).toBe(rejected);
  expect(await world.start(undefined, '', again, as('anna'))).toMatchObject({ status: 202 });
});

it('an approver cannot start what they proposed: their own documents are kept as proposed, and someone else starts them', async () => {
  const world = await Fleet.of(1);
  const { deps } = world.pipeline;
  Object.assign(deps.config, { KUBELOOM_ADMINS: 'user:root', KUBELOOM_REQUIRE_APPROVAL: [fleet] });
  await bindRoles(deps, fleet, { viewer: 'tester', operator: 'olga', approver: 'anna', admin: 'arno' });
  const document = environment('1.35.2', 3);
  const planned = await world.call('POST', '/plan', { body: document, ...as('anna') });
  const plan = String(planned.json.id);
  for (const _ of ['first', 'again'])
    expect(await world.start(document, quick, plan, as('anna'))).toMatchObject({
      status: 409,
      json: { code: 'ApprovalRequired', details: { plan } },
    });
  const own = await world.start(undefined, '', plan, as('anna'));
  expect(own).toMatchObject({ status: 403, json: { code: 'Forbidden' } });
  expect(own.json.detail).toContain('someone else has to approve it: user:arno or user:root');
  expect((await world.layer()).generation).toBe(1);
  expect(await world.start(document, quick, plan, as('arno'))).toMatchObject({ status: 202 });
  expect((await world.call('GET', '/plans', as('olga'))).json.items).toMatchObject([
    { id: plan, by: 'anna', state: 'Approved', approved: { by: 'arno' } },
  ]);
});
