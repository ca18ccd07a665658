/** Roll-outs of an inventory: waves, the pause after each, halts, pauses, resumptions and undos, on the real state machines. */
import { describe, expect, it } from 'vitest';
import type { Call } from '#test/api/api-under-test.ts';
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

  it('a roll-out that was cancelled is undone as a halted one, as long as no other works on its clusters', async () => {
    const world = await Fleet.of(6);
    const fault = failFrom(world, 3);
    const id = await started(world, environment('1.35.2', 3), `${quick}&waves=2,100%25`);
    await world.pipeline.rollOut();
    fault.until();
    expect((await world.verb('cancel', id)).json).toMatchObject({ status: 'Cancelled' });
    const other = await started(world, environment('1.35.2', 4), `${quick}&waves=1,100%25`);
    expect((await world.verb('undo', id)).json).toMatchObject({ code: 'InUse' });
    expect((await world.verb('cancel', other)).json).toMatchObject({ status: 'Cancelled' });
    await world.verb('undo', id);
    await world.pipeline.rollOut();
    expect(await world.rollOut(id)).toMatchObject({ status: 'Undone', states: { undone: 3, kept: 3 } });
    expect([...(await world.counts()).values()]).toEqual(Array(6).fill('1'));
    expect((await world.verb('undo', id)).json).toMatchObject({ code: 'VerbRefused' });
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

  it('a pause stops a roll-out before its next clusters, and a resume continues there', async () => {
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
    expect(await world.rollOut(id)).toMatchObject({ status: 'Interrupted', interrupted: true });
    const ran = pipeline.runner.ran.length;
    await world.verb('resume', id);
    await pipeline.rollOut();
    expect(await world.rollOut(id)).toMatchObject({ status: 'RolledOut', states: { done: 8 } });
    const { items } = await pipeline.deps.manifests.list(fleet, 100);
    expect(items.map(({ generation, attempt }) => [generation, attempt])).toEqual(Array(8).fill([2, 1]));
    // Wave 1 and the batch in progress did their stages once: the other three clusters did the rest.
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

  it('a roll-out is listed and reported with the user who started it and with its outcome', async () => {
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

  it('the API refuses a roll-out without changes, an unknown roll-out and a cluster with faults, each with its reason', async () => {
    const world = await Fleet.of(2);
    expect((await world.start(undefined)).json).toMatchObject({ code: 'VerbRefused' });
    expect((await world.call('GET', '/rollouts/1')).status).toBe(404);
    const refused = await world.start(environment('1.30.0'));
    expect(refused.json).toMatchObject({ status: 422, code: 'InvalidManifest' });
    expect((await world.call('GET', '/documents/InventoryLayer/prod')).json).toMatchObject({ generation: 1 });
    expect((await world.start(upgraded, '?waves=0')).status).toBe(400);
  });
});
