/** Every Catch of the machines of roll-outs is walked once: a roll-out ends truthfully whatever of it breaks. */
import { describe, expect, it } from 'vitest';
import { catchesOf } from './harness/asl-files.ts';
import { environment, Fleet } from './harness/fleet.ts';
import { internalFault } from './harness/state-machines.ts';

const walked = new Set<string>();

describe('roll-outs that break', () => {
  for (const name of ['plan-batch', 'judge-batch']) {
    it(`a failure of ${name} halts the roll-out with the cause, and resuming it finishes it`, async () => {
      const world = await Fleet.of(1);
      const { id } = (await world.start(environment('1.35.2', 2))).json;
      world.pipeline.faults.set(name, internalFault());
      expect((await world.pipeline.rollOut())[0]).toMatchObject({ status: 'FAILED', error: 'InternalFault' });
      for (const state of world.pipeline.machines.caught) walked.add(state);
      const halted = await world.rollOut(String(id));
      expect(halted).toMatchObject({ status: 'Halted', halted: 'a step of the roll-out failed: it broke' });
      await world.verb('resume', String(id));
      await world.pipeline.rollOut();
      expect(await world.rollOut(String(id))).toMatchObject({ status: 'RolledOut', states: { done: 1 } });
    });
  }

  it('a failure of record-halt fails the execution, and the roll-out is shown as interrupted', async () => {
    const world = await Fleet.of(1);
    const { id } = (await world.start(environment('1.35.2', 2))).json;
    for (const name of ['plan-batch', 'record-halt']) world.pipeline.faults.set(name, internalFault());
    expect((await world.pipeline.rollOut())[0]).toMatchObject({ status: 'FAILED' });
    for (const state of world.pipeline.machines.caught) walked.add(state);
    expect(await world.rollOut(String(id))).toMatchObject({ status: 'Interrupted', interrupted: true });
    await world.verb('resume', String(id));
    await world.pipeline.rollOut();
    expect(await world.rollOut(String(id))).toMatchObject({ status: 'RolledOut' });
  });

  it('a failure of continue-roll-out leaves an interrupted roll-out as it is, for a person to resume', async () => {
    const world = await Fleet.of(1);
    const { id } = (await world.start(environment('1.35.2', 2))).json;
    for (const name of ['plan-batch', 'record-halt', 'continue-roll-out'])
      world.pipeline.faults.set(name, internalFault());
    await world.pipeline.rollOut();
    expect((await world.pipeline.finishRollOuts())[0]).toMatchObject({ status: 'FAILED', error: 'InternalFault' });
    for (const state of world.pipeline.machines.caught) walked.add(state);
    expect(await world.rollOut(String(id))).toMatchObject({ status: 'Interrupted', interrupted: true });
  });

  it('a cluster that cannot be submitted, or whose run fails, is a failed one and stops no other of its batch', async () => {
    const world = await Fleet.of(3);
    const { id } = (await world.start(environment('1.35.2', 2), '?waves=100%25&maxFailed=3')).json;
    world.pipeline.faults.set('submit-cluster', internalFault());
    world.pipeline.runner.trouble('kubernetes', 'user');
    await world.pipeline.rollOut();
    for (const state of world.pipeline.machines.caught) walked.add(state);
    const { states, clusters } = await world.rollOut(String(id));
    expect(states).toMatchObject({ done: 1, failed: 2 });
    expect(clusters.flatMap(({ message }) => message ?? []).sort()).toEqual([
      'it broke',
      expect.stringContaining('ToolFailed'),
    ]);
  });
});

it('every Catch of the state machines of roll-outs is entered by these scenarios', () => {
  const all = ['roll-out', 'finish-roll-out'].flatMap(catchesOf);
  expect(all.filter((state) => !walked.has(state))).toEqual([]);
});
