/** A roll-out whose execution ended early continues automatically, a bounded number of times, and is never shown as Running meanwhile. */
import { describe, expect, it } from 'vitest';
import { changesOf } from '#contracts/change-events.ts';
import { continueRollOut } from '#functions/pipeline/roll-outs/continue-roll-out.ts';
import { watchQuietRollOuts } from '#functions/pipeline/schedule/quiet-roll-outs.ts';
import { callApi } from '#test/api/api-under-test.ts';
import { environment, Fleet, fleet } from './harness/fleet.ts';
import { internalFault } from './harness/state-machines.ts';

const quick = '?waves=1,100%25&soak=0s&maxFailed=3';

async function started(world: Fleet, query = quick): Promise<string> {
  const { status, json } = await world.start(environment('1.35.2', 2), query);
  expect(status).toBe(202);
  return String(json.id);
}

/** Kills the execution at one call of a step: the n-th from 1 on, or at each. */
function killAt(world: Fleet, step: string, call?: number): void {
  let calls = 0;
  world.pipeline.before.set(step, async () => {
    calls += 1;
    if (call === undefined || calls === call) await world.pipeline.machines.abortAll();
  });
}

async function eventsOf(world: Fleet, kind: string): Promise<readonly string[]> {
  const { items } = await world.pipeline.deps.events.list(changesOf(fleet), 200);
  return items.filter((event) => event.kind === kind).map(({ message }) => message);
}

describe('roll-outs that need a person', () => {
  const troubled = async ({ pipeline }: Fleet) => (await callApi(pipeline.deps, 'GET', '/v1/rollouts', {})).json.items;

  it('one that was interrupted, and one that halted, are in one list until they continue', async () => {
    const world = await Fleet.of(2);
    expect(await troubled(world)).toEqual([]);
    const id = await started(world);
    killAt(world, 'judge-batch');
    await world.pipeline.rollOut();
    expect(await troubled(world)).toMatchObject([{ namespace: fleet, id, status: 'Interrupted', halted: null }]);
    const record = await world.pipeline.deps.rollOuts.get({ namespace: fleet, id });
    if (record)
      await continueRollOut(
        { status: 'FAILED', input: { namespace: fleet, id, execution: record.execution } },
        { ...world.pipeline.deps, config: { ...world.pipeline.deps.config, KUBELOOM_MAX_CUT_OFFS: 1 } },
      );
    const halted = expect.stringContaining('in a row were interrupted');
    expect(await troubled(world)).toMatchObject([{ namespace: fleet, id, status: 'Halted', halted }]);
    await callApi(world.pipeline.deps, 'POST', `/v1/inventory/${fleet}/rollouts/${id}/cancel`, {});
    expect(await troubled(world)).toEqual([]);
  });
});

describe('a roll-out that is interrupted', () => {
  it('a roll-out in a batch continues without a person, and repeats no cluster that is done', async () => {
    const world = await Fleet.of(5);
    const id = await started(world);
    killAt(world, 'judge-batch', 2);
    expect((await world.pipeline.rollOut())[0]).toMatchObject({ status: 'ABORTED' });
    expect(await world.rollOut(id)).toMatchObject({ status: 'Interrupted' });

    expect((await world.pipeline.finishRollOuts())[0]).toMatchObject({ status: 'SUCCEEDED' });
    await world.pipeline.rollOut();

    expect(await world.rollOut(id)).toMatchObject({ status: 'RolledOut', states: { done: 5 }, interrupted: false });
    const { items } = await world.pipeline.deps.manifests.list(fleet, 100);
    expect(items.map(({ generation, attempt }) => [generation, attempt])).toEqual(Array(5).fill([2, 1]));
  });

  it('a roll-out while a wave is watched continues as often as that happens', async () => {
    const world = await Fleet.of(3);
    const id = await started(world, '?waves=1,100%25&soak=1h');
    let execution = 0;
    for (let kills = 0; kills < 6; kills += 1) {
      killAt(world, 'plan-batch', kills === 0 ? 3 : 2);
      expect((await world.pipeline.rollOut())[0]).toMatchObject({ status: 'ABORTED' });
      expect(await world.rollOut(id)).toMatchObject({ status: 'Interrupted' });
      await world.pipeline.finishRollOuts();
      const record = await world.pipeline.deps.rollOuts.get({ namespace: fleet, id });
      expect(record).toMatchObject({ status: 'Running' });
      expect(record?.execution).toBeGreaterThan(execution);
      execution = record?.execution ?? 0;
    }
  });

  it('again and again in one batch halts with the reason', async () => {
    const world = await Fleet.of(2);
    const id = await started(world);
    killAt(world, 'judge-batch');
    for (let kills = 0; kills < 3; kills += 1) {
      expect((await world.pipeline.rollOut())[0]).toMatchObject({ status: 'ABORTED' });
      await world.pipeline.finishRollOuts();
    }
    expect(await world.pipeline.rollOut()).toEqual([]);
    const halted = expect.stringContaining('3 executions in a row were interrupted');
    expect(await world.rollOut(id)).toMatchObject({ status: 'Halted', halted });
    world.pipeline.before.delete('judge-batch');
    await world.verb('resume', id);
    await world.pipeline.rollOut();
    expect(await world.rollOut(id)).toMatchObject({ status: 'RolledOut' });
  });

  it('a roll-out continues once when its end is reported twice', async () => {
    const world = await Fleet.of(2);
    const id = await started(world);
    killAt(world, 'judge-batch', 1);
    await world.pipeline.rollOut();
    world.pipeline.endedRollOuts.push(...world.pipeline.endedRollOuts);
    await world.pipeline.finishRollOuts();
    expect(await world.pipeline.deps.rollOuts.get({ namespace: fleet, id })).toMatchObject({ execution: 2 });
    await world.pipeline.rollOut();
    expect(await world.rollOut(id)).toMatchObject({ status: 'RolledOut' });
  });

  it('a roll-out after a pause was requested stops as Paused, and one that was cancelled stays so', async () => {
    const world = await Fleet.of(3);
    const id = await started(world);
    killAt(world, 'judge-batch', 1);
    world.pipeline.before.set('submit-cluster', async () => {
      await world.verb('pause', id);
      world.pipeline.before.delete('submit-cluster');
    });
    await world.pipeline.rollOut();
    await world.pipeline.finishRollOuts();
    await world.pipeline.rollOut();
    expect(await world.rollOut(id)).toMatchObject({ status: 'Paused' });
    await world.verb('resume', id);
    killAt(world, 'judge-batch', 1);
    await world.pipeline.rollOut();
    expect((await world.verb('cancel', id)).status).toBe(202);
    await world.pipeline.finishRollOuts();
    expect(await world.pipeline.rollOut()).toEqual([]);
    expect(await world.rollOut(id)).toMatchObject({ status: 'Cancelled' });
  });

  it('a roll-out is left as Interrupted, and can be resumed, when it cannot be continued', async () => {
    const world = await Fleet.of(1);
    const id = await started(world);
    killAt(world, 'judge-batch', 1);
    await world.pipeline.rollOut();
    world.pipeline.faults.set('continue-roll-out', internalFault());
    expect((await world.pipeline.finishRollOuts())[0]).toMatchObject({ status: 'FAILED' });
    expect(await world.rollOut(id)).toMatchObject({ status: 'Interrupted' });
    world.pipeline.before.delete('judge-batch');
    await world.verb('resume', id);
    await world.pipeline.rollOut();
    expect(await world.rollOut(id)).toMatchObject({ status: 'RolledOut' });
  });

  it.each(['lost', 'fails'] as const)(
    'a roll-out is continued by the scheduler when the event of its end is %s',
    async (event) => {
      const world = await Fleet.of(3);
      const id = await started(world);
      killAt(world, 'judge-batch', 1);
      await world.pipeline.rollOut();
      if (event === 'lost') world.pipeline.endedRollOuts.length = 0;
      else world.pipeline.faults.set('continue-roll-out', internalFault());
      await world.pipeline.finishRollOuts();
      await world.pipeline.invoke('tick', {});
      // The event may still come.
      expect(await world.rollOut(id)).toMatchObject({ status: 'Interrupted' });
      world.pipeline.deps.clock.advance(601);
      expect(await world.pipeline.invoke('tick', {})).toMatchObject({ rollOuts: 1 });
      expect(await eventsOf(world, 'RollOutInterrupted')).toHaveLength(1);
      await world.pipeline.rollOut();
      expect(await world.rollOut(id)).toMatchObject({ status: 'RolledOut', states: { done: 3 } });
      world.pipeline.deps.clock.advance(3600);
      expect(await world.pipeline.invoke('tick', {})).not.toHaveProperty('rollOuts');
    },
  );

  it('a roll-out whose execution could not be started is started by the scheduler, and counts as no interruption', async () => {
    const world = await Fleet.of(2);
    const { workflows, rollOuts } = world.pipeline.deps;
    const { startRollOut } = workflows;
    workflows.startRollOut = () => Promise.reject(new Error('the service is away'));
    const id = await started(world);
    workflows.startRollOut = startRollOut;
    world.pipeline.deps.clock.advance(601);
    expect(await world.pipeline.invoke('tick', {})).toMatchObject({ rollOuts: 1 });
    expect(await rollOuts.get({ namespace: fleet, id })).not.toHaveProperty('interruptions');
    await world.pipeline.rollOut();
    expect(await world.rollOut(id)).toMatchObject({ status: 'RolledOut' });
  });

  it('a roll-out that waits between waves is left alone by the scheduler, however long it waits', async () => {
    const world = await Fleet.of(2);
    const id = await started(world);
    const { rollOuts, clock } = world.pipeline.deps;
    clock.advance(601);
    expect(await world.pipeline.invoke('tick', {})).not.toHaveProperty('rollOuts');
    expect(await rollOuts.get({ namespace: fleet, id })).toMatchObject({ execution: 1, status: 'Running' });
    // It is asked for again after a while, and not at each tick.
    expect(await rollOuts.quiet(clock.now().toISOString(), 9)).toHaveLength(1);
    clock.advance(300);
    const { version } = (await rollOuts.get({ namespace: fleet, id })) ?? {};
    await world.pipeline.invoke('tick', {});
    expect(await rollOuts.get({ namespace: fleet, id })).toMatchObject({ version });
  });

  it('the scheduler halts a roll-out that is interrupted again and again, too', async () => {
    const world = await Fleet.of(2);
    const id = await started(world);
    killAt(world, 'judge-batch');
    for (let kills = 0; kills < 3; kills += 1) {
      await world.pipeline.rollOut();
      world.pipeline.endedRollOuts.length = 0;
      world.pipeline.deps.clock.advance(601);
      // Without the rest of a tick, which would finish what the kill left of the cluster.
      expect(await watchQuietRollOuts(world.pipeline.deps)).toBe(1);
    }
    expect(await world.pipeline.rollOut()).toEqual([]);
    expect(await world.rollOut(id)).toMatchObject({ status: 'Halted' });
  });

  it('a roll-out says so in an event', async () => {
    const world = await Fleet.of(2);
    await started(world);
    killAt(world, 'judge-batch', 1);
    await world.pipeline.rollOut();
    await world.pipeline.finishRollOuts();
    expect(await eventsOf(world, 'RollOutInterrupted')).toEqual([
      expect.stringContaining('its execution ended ABORTED; it continues where it was'),
    ]);
  });
});
