/** Roll-outs of an inventory: waves, the pause after each, halts, pauses, resumptions and undos, on the real state machines. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PipelineError } from '#domain/errors.ts';
import { budgetOf } from '#domain/prices/budget-setting.ts';
import { as, bindRoles, type Call } from '#test/api/api-under-test.ts';
import { propertyRuns } from '#test/property-runs.ts';
import { clusterNamed, environment, Fleet, fleet, nameOf } from './harness/fleet.ts';

const quick = '?soak=0s';
const upgraded = environment('1.36.0');

const started = async (world: Fleet, document?: object, query = quick, plan?: string, who?: Call): Promise<string> => {
  const answer = await world.start(document, query, plan, who);
  expect(answer, answer.text).toMatchObject({ status: 202 });
  return String(answer.json.id);
};
const atVersion = async (world: Fleet, version: string): Promise<number> =>
  [...(await world.versions()).values()].filter((one) => one === version).length;

/** From the batch of this number on, the tool of this stage fails for everyone, until it is switched off. */
function failFrom(world: Fleet, batch: number): { until: () => void } {
  let batches = 0;
  let broken = true;
  const { pipeline } = world;
  pipeline.before.set('plan-batch', () => {
    batches += 1;
    if (broken && batches === batch) pipeline.runner.trouble('kubernetes', 'user', { times: 1000 });
  });
  return {
    until: () => {
      broken = false;
      pipeline.runner.calm();
    },
  };
}

describe('a roll-out', () => {
  it('CO-14: a Kubernetes upgrade of 200 clusters by one changed line goes in waves, halts at the failure, is resumed, and undone', async () => {
    const world = await Fleet.of(200);
    const plan = await world.plan(upgraded);
    // Wave 1 has one cluster, wave 2 nineteen: its third batch fails.
    const fault = failFrom(world, 6);
    const id = await started(world, upgraded, `${quick}&waves=1,10%25,100%25&maxFailed=2`, plan);
    expect((await world.rollOut(id)).waves).toEqual([
      { clusters: 1, done: 0 },
      { clusters: 19, done: 0 },
      { clusters: 180, done: 0 },
    ]);
    expect((await world.pipeline.rollOut())[0]).toMatchObject({ status: 'FAILED', error: 'RollOutHalted' });

    const halted = await world.rollOut(id);
    expect(halted).toMatchObject({ status: 'Halted', states: { failed: 2, running: 0 }, startedBy: 'tester' });
    expect(halted.waves[0]).toEqual({ clusters: 1, done: 1 });
    expect(halted.waves[1]?.done).toBeLessThan(19);
    expect(halted.waves[2]).toEqual({ clusters: 180, done: 0 });
    const done = halted.states.done ?? 0;
    expect(await atVersion(world, '1.36.0')).toBe(done);
    expect(await atVersion(world, '1.35.2')).toBe(200 - done);
    // No more than those two have seen the fault, and no one else has a new generation.
    const { items } = await world.pipeline.deps.manifests.list(fleet, 1000);
    expect(items.filter(({ status }) => status === 'Failed')).toHaveLength(2);
    expect(items.filter(({ generation }) => generation > 1)).toHaveLength(done + 2);

    fault.until();
    expect((await world.verb('resume', id)).status).toBe(202);
    expect((await world.pipeline.rollOut())[0]).toMatchObject({ status: 'SUCCEEDED' });
    expect(await world.rollOut(id)).toMatchObject({ status: 'RolledOut', states: { done: 200 }, interrupted: false });
    expect(await atVersion(world, '1.36.0')).toBe(200);

    // Kubernetes does not go back: the undo says so for each, and the inventory is as before.
    expect((await world.verb('undo', id)).status).toBe(202);
    await world.pipeline.rollOut();
    const undone = await world.rollOut(id);
    expect(undone).toMatchObject({ status: 'Undone', states: { kept: 200 } });
    expect(undone.clusters[0]?.message).toMatch(/^it cannot go back: .*1\.36\.0/);
    const stored = await world.call('GET', '/documents/InventoryLayer/prod');
    expect(stored.json).toMatchObject({ generation: 3, document: environment('1.35.2') });
  }, 600_000);

  it('an undo gives every touched cluster and the inventory what they had before', async () => {
    const world = await Fleet.of(12);
    const id = await started(world, environment('1.35.2', 3), `${quick}&maxFailed=4`);
    await world.pipeline.rollOut();
    expect([...(await world.counts()).values()]).toEqual(Array(12).fill('3'));
    expect((await world.verb('undo', id)).status).toBe(202);
    expect((await world.pipeline.rollOut())[0]).toMatchObject({ status: 'SUCCEEDED' });
    expect(await world.rollOut(id)).toMatchObject({ status: 'Undone', direction: 'back', states: { undone: 12 } });
    expect([...(await world.counts()).values()]).toEqual(Array(12).fill('1'));
    expect((await world.call('GET', '')).json).toMatchObject({
      clusters: Array(12).fill(expect.objectContaining({ state: 'current' })),
    });
    expect((await world.verb('undo', id)).json).toMatchObject({ code: 'VerbRefused' });
  });

  it('a halted roll-out is undone: what was touched goes back, and what was not is left alone', async () => {
    const world = await Fleet.of(6);
    const fault = failFrom(world, 3);
    const id = await started(world, environment('1.35.2', 3), `${quick}&waves=2,100%25`);
    await world.pipeline.rollOut();
    expect(await world.rollOut(id)).toMatchObject({ status: 'Halted', states: { done: 2, failed: 1, waiting: 3 } });
    fault.until();
    await world.verb('undo', id);
    await world.pipeline.rollOut();
    expect(await world.rollOut(id)).toMatchObject({ status: 'Undone', states: { undone: 3, kept: 3 } });
    expect([...(await world.counts()).values()]).toEqual(Array(6).fill('1'));
  });

  it('a wave is watched before the next one starts, and a cluster that fell ill meanwhile halts it', async () => {
    const world = await Fleet.of(4);
    const id = await started(world, environment('1.35.2', 2), '?waves=1,100%25&soak=30m');
    const { deps } = world.pipeline;
    let looks = 0;
    world.pipeline.before.set('plan-batch', async () => {
      looks += 1;
      // 1: first batch, 2: it soaks, 3: the pause is over.
      if (looks !== 3) return;
      expect(await world.rollOut(id)).toMatchObject({ status: 'Running', waves: [{ done: 1 }, { done: 0 }] });
      expect((await world.rollOut(id)).soakUntil).toMatch(/^2026-11-20T12:3/);
      deps.clock.advance(1801);
      const [record] = await deps.clusters.list({ namespace: fleet, name: nameOf(0) });
      if (record) await deps.clusters.put({ ...record, version: record.version + 1, status: 'NeedsAttention' });
    });
    await world.pipeline.rollOut();
    const halted = await world.rollOut(id);
    expect(halted).toMatchObject({ status: 'Halted', states: { failed: 1, waiting: 3 } });
    expect(halted.halted).toBe(`1 cluster failed (${nameOf(0)}: after its wave: ${nameOf(0)} is NeedsAttention)`);
  });

  it('a pause stops a roll-out before its next clusters, and a resumption goes on there', async () => {
    const world = await Fleet.of(5);
    const id = await started(world, environment('1.35.2', 2), `${quick}&waves=100%25`);
    world.pipeline.before.set('judge-batch', async () => {
      world.pipeline.before.delete('judge-batch');
      expect((await world.verb('undo', id)).json).toMatchObject({ code: 'VerbRefused' });
      expect((await world.verb('pause', id)).json).toMatchObject({ pausing: true });
    });
    expect((await world.pipeline.rollOut())[0]).toMatchObject({ status: 'SUCCEEDED' });
    expect(await world.rollOut(id)).toMatchObject({ status: 'Paused', states: { done: 1, waiting: 4 } });
    await world.verb('resume', id);
    await world.pipeline.rollOut();
    expect(await world.rollOut(id)).toMatchObject({ status: 'RolledOut', states: { done: 5 } });
  });

  it('BEAT-1: a roll-out whose execution is killed in a wave is resumed, and no step is repeated', async () => {
    const world = await Fleet.of(8);
    const { pipeline } = world;
    pipeline.runner.ran.length = 0;
    const id = await started(world, environment('1.35.2', 2), `${quick}&waves=2,100%25&maxFailed=3`);
    let judged = 0;
    pipeline.before.set('judge-batch', async () => {
      judged += 1;
      if (judged === 2) await pipeline.machines.abortAll();
    });
    expect((await pipeline.rollOut())[0]).toMatchObject({ status: 'ABORTED' });
    expect(await world.rollOut(id)).toMatchObject({ status: 'Running', interrupted: true });
    const ran = pipeline.runner.ran.length;
    await world.verb('resume', id);
    await pipeline.rollOut();
    expect(await world.rollOut(id)).toMatchObject({ status: 'RolledOut', states: { done: 8 } });
    const { items } = await pipeline.deps.manifests.list(fleet, 100);
    expect(items.map(({ generation, attempt }) => [generation, attempt])).toEqual(Array(8).fill([2, 1]));
    // Wave 1 and the batch under way did their stages once: the other three clusters did the rest.
    expect(pipeline.runner.ran).toHaveLength((ran / 5) * 8);
  });

  it('two roll-outs that touch one cluster never run at once, and two others do', async () => {
    const world = await Fleet.of(4);
    const first = await started(world, environment('1.35.2', 2), `${quick}&clusters=${nameOf(0)},${nameOf(1)}`);
    const second = await world.start(undefined, `${quick}&clusters=${nameOf(1)},${nameOf(2)}`);
    expect(second.json).toMatchObject({ status: 409, code: 'InUse' });
    expect(second.json.detail).toContain(`roll-out ${first} works on ${nameOf(1)}`);
    const third = await started(world, undefined, `${quick}&clusters=${nameOf(2)},${nameOf(3)}`);
    await world.pipeline.rollOut();
    for (const id of [first, third]) expect(await world.rollOut(id)).toMatchObject({ status: 'RolledOut' });
    // Once one has ended, its clusters are free.
    await world.put(environment('1.35.2', 1));
    expect((await world.start(undefined, quick)).status).toBe(202);
  });

  it('a cluster that someone else changed after the start is not touched, and counts as failed', async () => {
    const world = await Fleet.of(2);
    const id = await started(world, environment('1.35.2', 2), `${quick}&waves=1`);
    let looks = 0;
    world.pipeline.before.set('plan-batch', async () => {
      looks += 1;
      if (looks !== 2) return;
      await world.put(clusterNamed(nameOf(1), { count: 5 }));
      await world.pipeline.settle();
    });
    await world.pipeline.rollOut();
    const halted = await world.rollOut(id);
    expect(halted).toMatchObject({ status: 'Halted', states: { done: 1, failed: 1 } });
    expect(halted.halted).toContain('it was changed meanwhile: generation 2 by tester is stored');
    expect((await world.counts()).get(nameOf(1))).toBe('5');
    expect((await world.verb('cancel', id)).json).toMatchObject({ status: 'Cancelled' });
    expect((await world.verb('resume', id)).json).toMatchObject({ code: 'VerbRefused' });
  });

  it('a roll-out is listed and reported, with who started it, and with what became of it', async () => {
    const world = await Fleet.of(2);
    const id = await started(world, environment('1.35.2', 2), quick);
    await world.pipeline.rollOut();
    const { items } = (await world.call('GET', '/rollouts')).json as { items: object[] };
    expect(items).toMatchObject([{ id, status: 'RolledOut', startedBy: 'tester', states: { done: 2 } }]);
    const { items: events } = await world.pipeline.deps.events.list({ namespace: fleet, name: '@changes' }, 100);
    expect(events.map(({ kind }) => kind).filter((kind) => kind !== 'Requested')).toEqual([
      ...['RollOutStarted', 'WaveStarted', 'WaveStarted', 'RollOutEnded'],
    ]);
    const { items: runs } = await world.pipeline.deps.runs.list({ namespace: fleet, name: nameOf(0) }, 10);
    expect(runs[0]).toMatchObject({ reason: `roll-out ${id}`, status: 'Succeeded', generation: 2 });
  });

  it('every request about a roll-out is recorded with who made it', async () => {
    const world = await Fleet.of(2);
    const id = await started(world, environment('1.35.2', 2), quick);
    for (const verb of ['pause', 'resume']) expect((await world.verb(verb, id)).status, verb).toBe(202);
    await world.pipeline.rollOut();
    expect((await world.verb('undo', id)).status).toBe(202);
    const { items } = await world.pipeline.deps.events.list({ namespace: fleet, name: '@changes' }, 100);
    const asked = items.filter(({ message }) => message.startsWith(`roll-out ${id}`) && / by tester/.test(message));
    expect(asked.map(({ kind, by }) => [kind, by])).toEqual([
      ['RollOutStarted', 'tester'],
      ['RollOutPaused', 'tester'],
      ['RollOutStarted', 'tester'],
      ['RollOutStarted', 'tester'],
    ]);
  });

  it('nothing to roll out, an unknown roll-out and a cluster that is refused are said', async () => {
    const world = await Fleet.of(2);
    expect((await world.start(undefined)).json).toMatchObject({ code: 'VerbRefused' });
    expect((await world.call('GET', '/rollouts/1')).status).toBe(404);
    const refused = await world.start(environment('1.30.0'));
    expect(refused.json).toMatchObject({ status: 422, code: 'InvalidManifest' });
    expect((await world.call('GET', '/documents/InventoryLayer/prod')).json).toMatchObject({ generation: 1 });
    expect((await world.start(upgraded, '?waves=0')).status).toBe(400);
  });
});

/** What can happen between a plan and its roll-out, and whether the plan is another one then. */
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

describe('a start or an undo of a roll-out that is refused or fails', () => {
  it('an undo whose changes need an approver is refused to an operator, and nothing is changed', async () => {
    const world = await Fleet.of(2);
    const { deps } = world.pipeline;
    Object.assign(deps.config, { KUBELOOM_ADMINS: 'user:root', KUBELOOM_REQUIRE_APPROVAL: [fleet] });
    await bindRoles(deps, fleet, { viewer: 'tester', operator: 'olga', approver: 'anna' });
    const document = environment('1.35.2', 3);
    const planned = await world.call('POST', '/plan', { body: document, ...as('olga') });
    const id = await started(world, document, quick, String(planned.json.id), as('anna'));
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

  it('a start that cannot store the whole inventory takes back what it stored, and keeps no cluster from the next one', async () => {
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

  it('the undo of a roll-out that was cut off before it stored a document keeps what someone else stored in its place', async () => {
    const world = await Fleet.of(1);
    const { inventory } = world.pipeline.deps;
    const { put } = inventory;
    // As if the function ended there: nothing after it happens.
    inventory.put = () => new Promise(() => {});
    const cutOff = world.start(environment('1.35.2', 3), quick);
    await expect
      .poll(async () => (await world.call('GET', '/rollouts')).json.items)
      .toMatchObject([{ status: 'Running', interrupted: true }]);
    inventory.put = put;
    void cutOff;
    const theirs = environment('1.35.2', 2);
    await world.put(theirs);
    const { items } = (await world.call('GET', '/rollouts')).json as { readonly items: readonly { id: string }[] };
    const id = String(items[0]?.id);
    expect((await world.verb('resume', id)).json.detail).toContain(
      'it was cut off before it stored InventoryLayer prod',
    );
    expect((await world.verb('undo', id)).status).toBe(202);
    expect(await world.layer()).toMatchObject({ generation: 2, document: theirs });
  });

  it('an undo that another request overtakes leaves the inventory as it is', async () => {
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
        if (moved) expect(String(answer.json.detail)).toContain('does not fit any more');
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

  it('what moves after the start makes the run of that cluster refuse the plan, and no other', async () => {
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
