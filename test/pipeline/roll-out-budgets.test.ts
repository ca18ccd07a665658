/** Roll-outs within budgets: the clusters of all waves count from the start on. */
import { describe, expect, it } from 'vitest';
import { budgetOf } from '#domain/prices/budget-setting.ts';
import { as, bindRoles, callApi } from '#test/api/api-under-test.ts';
import { clusterNamed, environment, Fleet, fleet, nameOf } from './harness/fleet.ts';
import { manifestOf } from './harness/manifests.ts';

const operator = as('olga');
const refused = { status: 409, json: { code: 'ApprovalRequired' } } as const;
/** $5 a month each, and one more for the control plane. */
const workers = (name: string, count: number, namespace: string) => {
  const document = manifestOf([{ compute: { work: count } }]);
  return { ...document, metadata: { ...document.metadata, name, namespace } };
};

describe('roll-outs', () => {
  /** Clusters of one worker each, $10. */
  async function fleetOf(clusters: number, budget: number): Promise<Fleet> {
    const found = await Fleet.of(clusters);
    const { deps } = found.pipeline;
    Object.assign(deps.config, {
      KUBELOOM_ADMINS: 'user:root',
      KUBELOOM_BUDGETS: [budgetOf(`${fleet}=${budget}USD`), budgetOf('*=9999USD')],
    });
    await bindRoles(deps, fleet, { operator: 'olga', approver: 'anna' });
    return found;
  }
  const ownCount = (name: string, count: number) => clusterNamed(name, { count });
  const start = (found: Fleet, document: object, query = '?soak=0s') =>
    found.start(document, query, undefined, operator);
  const other = (found: Fleet, count: number) =>
    callApi(found.pipeline.deps, 'PUT', `/v1/manifests/${fleet}/other`, {
      body: workers('other', count, fleet),
      ...operator,
    });
  const left = async (found: Fleet): Promise<unknown> => {
    const body = workers('not-stored', 1, fleet);
    const answer = await callApi(found.pipeline.deps, 'POST', `/v1/manifests/${fleet}/not-stored/plan`, {
      body,
      ...operator,
    });
    const [own] = answer.json.budgets as [{ amounts: [{ before: number; amount: number }] }];
    return own.amounts[0].amount - own.amounts[0].before;
  };

  it('the clusters of all waves count from the start on', async () => {
    const found = await fleetOf(3, 60);
    expect((await start(found, environment('1.35.2', 2))).status).toBe(202);
    expect(await left(found)).toBe(15);
    expect(await other(found, 3)).toMatchObject(refused);
    await found.pipeline.rollOut();
    expect(await left(found)).toBe(15);
    expect(await other(found, 2)).toMatchObject({ status: 202 });
  });

  it('new clusters of a roll-out count before they have a manifest', async () => {
    const found = await fleetOf(1, 30);
    expect((await start(found, clusterNamed('new', { count: 2 }))).status).toBe(202);
    expect(await left(found)).toBe(5);
    await found.pipeline.rollOut();
    expect(await left(found)).toBe(5);
  });

  it('one of two roll-outs at once starts where both together are beyond the budget, and the other claims nothing', async () => {
    const found = await fleetOf(2, 30);
    const answers = await Promise.all([0, 1].map((n) => start(found, ownCount(nameOf(n), 3))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409]);
    expect(answers.find(({ status }) => status !== 202)).toMatchObject(refused);
    const { claims } = await found.pipeline.deps.rollOuts.claims(fleet);
    expect(claims).toHaveLength(1);
  });

  it('a roll-out and a document at once share what is left', async () => {
    const found = await fleetOf(1, 20);
    const answers = await Promise.all([start(found, ownCount(nameOf(0), 3)), other(found, 1)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409]);
  });

  it('a roll-out that is cancelled leaves what its waiting clusters would have taken', async () => {
    const found = await fleetOf(2, 60);
    const id = String((await start(found, environment('1.35.2', 4))).json.id);
    expect(await left(found)).toBe(10);
    expect(await found.verb('cancel', id, operator)).toMatchObject({ status: 202 });
    expect(await left(found)).toBe(40);
  });

  it('an undo counts the clusters as they were before, from its start on', async () => {
    const found = await fleetOf(2, 45);
    const { deps } = found.pipeline;
    await start(found, environment('1.35.2', 2));
    await found.pipeline.rollOut();
    const id = String((await start(found, environment('1.35.2', 1))).json.id);
    await found.pipeline.rollOut();
    expect(await left(found)).toBe(25);
    expect(await found.verb('undo', id, operator)).toMatchObject({ status: 202 });
    expect(await left(found)).toBe(15);
    await found.pipeline.rollOut();
    expect(await left(found)).toBe(15);
    expect((await deps.budgets.get(fleet)).rollOuts).toEqual([{ namespace: fleet, id }]);
  });
});
