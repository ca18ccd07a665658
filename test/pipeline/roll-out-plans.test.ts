/** Roll-outs of an inventory and their plans: what moved meanwhile, and starts and undos that are refused or fail. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PipelineError } from '#domain/errors.ts';
import { budgetOf } from '#domain/prices/budget-setting.ts';
import { as, bindRoles, type Call } from '#test/api/api-under-test.ts';
import { propertyRuns } from '#test/property-runs.ts';
import { clusterNamed, environment, Fleet, fleet, nameOf } from './harness/fleet.ts';

const quick = '?soak=0s';
const started = async (world: Fleet, document?: object, query = quick, plan?: string, who?: Call): Promise<string> => {
  const answer = await world.start(document, query, plan, who);
  expect(answer, answer.text).toMatchObject({ status: 202 });
  return String(answer.json.id);
};
/** What can happen between a plan and its roll-out, and whether the plan has changed then. */
const happenings: Readonly<Record<string, readonly [moves: boolean, act: (world: Fleet) => Promise<unknown>]>> = {
  'another layer': [
    true,
    (world) => world.put({ ...environment('1.35.2'), metadata: { name: 'test', namespace: fleet } }),
  ],
  'another value of a cluster': [true, (world) => world.put(clusterNamed(nameOf(1), { count: 4 }))],
  'a new cluster': [true, (world) => world.put(clusterNamed('new'))],
  'a retry of nothing': [false, (world) => world.pipeline.settle()],
  'a plan': [false, (world) => world.plan(environment('1.35.2', 7))],
  'the same document again': [false, (world) => world.put(clusterNamed(nameOf(1)))],
  'a day': [false, async (world) => world.pipeline.deps.clock.advance(86_400)],
};

describe('the cost of a plan', () => {
  it('a plan of an inventory says what the machines of all clusters that change cost a month, and none where nothing changes', async () => {
    const world = await Fleet.of(2);
    const planned = async (document: object) => (await world.call('POST', '/plan', { body: document })).json;
    const usd = (amount: number) => ({ currency: 'USD', amount });
    // One machine in each cluster, then three; each costs $10.
    expect(await planned(environment('1.35.2', 3))).toMatchObject({
      changes: 2,
      costOfMonth: {
        before: [usd(20)],
        after: [usd(40)],
        difference: [usd(20)],
        notKnown: { before: 0, after: 0 },
        lists: [expect.objectContaining({ provider: 'sim' })],
      },
    });
    const same = await planned(environment('1.35.2'));
    expect(same).toMatchObject({ changes: 0, refused: 0 });
    expect(same).not.toHaveProperty('costOfMonth');
  });
});

describe('a start or an undo of a roll-out that is refused or fails', () => {
  it('an undo whose changes need an approver is refused to an operator, and nothing is changed', async () => {
    const world = await Fleet.of(2);
    const { deps } = world.pipeline;
    Object.assign(deps.config, { KUBELOOM_ADMINS: 'user:root', KUBELOOM_REQUIRE_APPROVAL: [fleet] });
    await bindRoles(deps, fleet, { viewer: 'tester', operator: 'olga', approver: 'anna' });
    const document = environment('1.35.2', 3);
    const proposed = await world.start(document, quick, undefined, as('olga'));
    const { plan } = proposed.json.details as { readonly plan: string };
    const id = await started(world, document, quick, plan, as('anna'));
    await world.pipeline.rollOut();
    const refused = await world.verb('undo', id, as('olga'));
    expect(refused).toMatchObject({ status: 409, json: { code: 'ApprovalRequired' } });
    expect(refused.json.detail).toContain(`changes of ${nameOf(0)} and ${nameOf(1)} have to be approved`);
    expect(await world.rollOut(id)).toMatchObject({ status: 'RolledOut', direction: 'forward' });
    expect((await world.layer()).generation).toBe(2);
    expect((await world.verb('undo', id, as('anna'))).status).toBe(202);
    await world.pipeline.rollOut();
    expect(await world.rollOut(id)).toMatchObject({ status: 'Undone', states: { undone: 2 } });
  });

  it('a roll-out and its undo whose changes are beyond a budget all together need an approver', async () => {
    const world = await Fleet.of(2);
    const { deps } = world.pipeline;
    Object.assign(deps.config, { KUBELOOM_ADMINS: 'user:root', KUBELOOM_BUDGETS: [budgetOf(`${fleet}=30USD`)] });
    await bindRoles(deps, fleet, { viewer: 'tester', operator: 'olga', approver: 'anna' });
    // Two machines in each cluster cost $20; one more in each is $30, two more are beyond it, though not in one cluster alone.
    const within = environment('1.35.2', 2);
    const beyond = environment('1.35.2', 3);
    const planned = async (document: object, who: Call) =>
      (await world.call('POST', '/plan', { body: document, ...who })).json;
    expect(await planned(within, as('olga'))).toMatchObject({ budgets: [{ needsApproval: false }] });
    const { id: plan, budgets } = await planned(beyond, as('olga'));
    expect(budgets).toMatchObject([{ amounts: [{ before: 20, after: 40 }], needsApproval: true }]);
    const refused = await world.start(beyond, quick, undefined, as('olga'));
    expect(refused).toMatchObject({ status: 409, json: { code: 'ApprovalRequired' } });
    expect(refused.json.detail).toContain('$10.00 beyond $30.00');
    const id = await started(world, beyond, quick, String(plan), as('anna'));
    await world.pipeline.rollOut();
    const back = await started(world, environment('1.35.2', 1), quick, undefined, as('olga'));
    await world.pipeline.rollOut();
    expect(await world.verb('undo', back, as('olga'))).toMatchObject({
      status: 409,
      json: { code: 'ApprovalRequired' },
    });
    expect(await world.verb('undo', back, as('anna'))).toMatchObject({ status: 202 });
    expect(id).not.toBe(back);
  });

  it('a start that cannot store what it will do changes nothing, and keeps no cluster from the next one', async () => {
    const world = await Fleet.of(2);
    const { artifacts } = world.pipeline.deps;
    const { putText } = artifacts;
    artifacts.putText = async (key, ...rest) => {
      if (key.startsWith('rollouts/')) throw new Error('the store is gone');
      return putText.call(artifacts, key, ...rest);
    };
    expect((await world.start(environment('1.35.2', 3), quick)).status).toBe(500);
    artifacts.putText = putText;
    expect((await world.layer()).generation).toBe(1);
    const id = await started(world, environment('1.35.2', 3), `${quick}&maxFailed=2`);
    await world.pipeline.rollOut();
    expect(await world.rollOut(id)).toMatchObject({ status: 'RolledOut', states: { done: 2 } });
  });

  it('a start whose inventory another request changes after it was planned changes nothing', async () => {
    const world = await Fleet.of(1);
    const { rollOuts } = world.pipeline.deps;
    const { putClaims } = rollOuts;
    rollOuts.putClaims = async (claims) => {
      rollOuts.putClaims = putClaims;
      await world.put(environment('1.35.2', 2));
      return putClaims.call(rollOuts, claims);
    };
    const answer = await world.start(environment('1.35.2', 3), quick);
    expect(answer.json).toMatchObject({ code: 'VersionConflict' });
    expect(await world.layer()).toMatchObject({ generation: 2, document: environment('1.35.2', 2) });
  });

  it('a start that cannot store the whole inventory restores what it stored, and blocks no cluster for the next start', async () => {
    const world = await Fleet.of(1);
    const { inventory } = world.pipeline.deps;
    const { put } = inventory;
    inventory.put = async (record) => {
      if (record.name === nameOf(0)) throw new PipelineError('VersionConflict', 'another request was faster');
      return put.call(inventory, record);
    };
    const documents = [
      environment('1.35.2', 3),
      { ...environment('1.35.2'), metadata: { name: 'new', namespace: fleet } },
    ];
    const answer = await world.start([...documents, clusterNamed(nameOf(0), { count: 2 })], quick);
    expect(answer.json).toMatchObject({ code: 'VersionConflict' });
    inventory.put = put;
    expect(await world.layer()).toMatchObject({ document: environment('1.35.2') });
    expect((await world.call('GET', '/documents/InventoryLayer/new')).status).toBe(404);
    expect((await world.call('GET', '/rollouts')).json).toMatchObject({ items: [{ status: 'Cancelled' }] });
    await started(world, environment('1.35.2', 4));
  });

  it('the undo of a roll-out that was interrupted before it stored a document keeps what someone else stored in its place', async () => {
    const world = await Fleet.of(1);
    const { inventory } = world.pipeline.deps;
    const { put } = inventory;
    // As if the function ended there: nothing after it happens.
    inventory.put = () => new Promise(() => {});
    const killed = world.start(environment('1.35.2', 3), quick);
    await expect
      .poll(async () => (await world.call('GET', '/rollouts')).json.items)
      .toMatchObject([{ status: 'Interrupted', interrupted: true }]);
    inventory.put = put;
    void killed;
    const theirs = environment('1.35.2', 2);
    await world.put(theirs);
    const { items } = (await world.call('GET', '/rollouts')).json as { readonly items: readonly { id: string }[] };
    const id = String(items[0]?.id);
    expect((await world.verb('resume', id)).json.detail).toContain(
      'it was interrupted before it stored InventoryLayer prod',
    );
    expect((await world.verb('undo', id)).status).toBe(202);
    expect(await world.layer()).toMatchObject({ generation: 2, document: theirs });
  });

  it('an undo that is overtaken by another request does not change the inventory', async () => {
    const world = await Fleet.of(1);
    const id = await started(world, environment('1.35.2', 3));
    await world.pipeline.rollOut();
    const { rollOuts } = world.pipeline.deps;
    const { putClaims } = rollOuts;
    rollOuts.putClaims = async (claims) => {
      const record = await rollOuts.get({ namespace: fleet, id });
      if (record) await rollOuts.put({ ...record, version: record.version + 1 });
      return putClaims.call(rollOuts, claims);
    };
    expect((await world.verb('undo', id)).json).toMatchObject({ code: 'VersionConflict' });
    expect((await world.layer()).generation).toBe(2);
  });
});

describe('the plan of an inventory', () => {
  it('a plan of an inventory is carried out or refused: refused exactly when anything moved since, with what moved', async () => {
    const names = Object.keys(happenings);
    await fc.assert(
      fc.asyncProperty(fc.subarray(names, { minLength: 0, maxLength: 3 }), async (chosen) => {
        const world = await Fleet.of(2);
        const document = environment('1.35.2', 2);
        const plan = await world.plan(document);
        expect(plan).toMatch(/^[0-9a-f]{40}$/);
        for (const name of chosen) await happenings[name]?.[1](world);
        await world.pipeline.settle();
        const moved = chosen.some((name) => happenings[name]?.[0]);
        const answer = await world.start(document, quick, plan);
        expect(answer.json.code ?? 'started').toBe(moved ? 'PlanMoved' : 'started');
        const layer = await world.call('GET', '/documents/InventoryLayer/prod');
        expect(layer.json.generation).toBe(moved ? 1 : 2);
        if (moved) expect(String(answer.json.detail)).toContain('is no longer valid');
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it('a plan is refused with another document, and one that no one made here is unknown', async () => {
    const world = await Fleet.of(1);
    const plan = await world.plan(environment('1.35.2', 2));
    const other = await world.start(environment('1.35.2', 3), quick, plan);
    expect(other.json.detail).toContain('InventoryLayer prod is not the document that was planned');
    const unknown = await world.start(environment('1.35.2', 3), quick, 'a'.repeat(40));
    expect(unknown.json).toMatchObject({ status: 409, code: 'PlanMoved' });
  });

  it('a plan without documents is about the clusters that are behind, and binds their roll-out', async () => {
    const world = await Fleet.of(3);
    await world.put(environment('1.35.2', 2));
    await world.call('POST', `/clusters/${nameOf(0)}/apply`);
    await world.pipeline.settle();
    const { json } = await world.call('POST', '/plan');
    expect(json).toMatchObject({ changes: 2, refused: 0 });
    const id = await started(world, undefined, `${quick}&maxFailed=2`, String(json.id));
    await world.pipeline.rollOut();
    expect(await world.rollOut(id)).toMatchObject({ status: 'RolledOut', states: { done: 2 } });
    expect((await world.call('POST', '/plan')).json).toMatchObject({ changes: 0 });
  });

  it('a change after the start makes only the run of that cluster refuse its plan', async () => {
    const world = await Fleet.of(3);
    const document = environment('1.35.2', 2);
    const id = await started(world, document, `${quick}&waves=100%25&maxFailed=3`, await world.plan(document));
    const key = { namespace: fleet, name: nameOf(1) };
    const [record] = await world.pipeline.deps.clusters.list(key);
    if (record?.current) {
      const attempted = { ...record.current, protect: true as const };
      await world.pipeline.deps.clusters.put({ ...record, version: record.version + 1, attempted });
    }
    await world.pipeline.rollOut();
    const halted = await world.rollOut(id);
    expect(halted).toMatchObject({ status: 'Halted', states: { done: 2, failed: 1 } });
    expect(halted.clusters.find(({ name }) => name === nameOf(1))?.message).toContain('PlanMoved');
  });
});
