/** Our state machines do the same on two implementations of Step Functions: the local platform's, and moto's. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { machineNames, machineOf } from '#test/pipeline/harness/asl-files.ts';
import { type Observed, observe, tasks } from './observation.ts';
import { startOnLocal } from './on-local.ts';
import { type Moto, startOnMoto } from './on-moto.ts';
import { scenarios } from './scenarios.ts';

let moto: Moto;
beforeAll(async () => {
  moto = await startOnMoto();
});
afterAll(() => moto.close());

/** `machine/state`, in all scenarios on moto. */
const entered = new Set<string>();

/** Retries of states, and pauses of a fixed length, take their time on both: two minutes where CodeBuild does not answer. */
const longest = 400_000;

/** One of each state machine: a run of CI has some minutes for them. */
const short = process.env.KUBELOOM_CONFORMANCE === 'short';

describe('on both implementations', () => {
  for (const scenario of short ? scenarios.filter(({ short: chosen }) => chosen) : scenarios) {
    it(
      scenario.name,
      async () => {
        const there = await observe(scenario, (around) => moto.machinesFor(around));
        for (const [machine, executions] of Object.entries(there.walked))
          for (const step of executions.flat()) entered.add(`${machine}/${step.slice(step.indexOf(' ') + 1)}`);
        let close = async (): Promise<void> => {};
        const here: Observed = await observe(scenario, async (around) => {
          const local = await startOnLocal(around, tasks);
          close = local.close;
          return local.machines;
        }).finally(() => close());
        expect(there.records).toMatchObject(scenario.expected);
        expect(here.records).toEqual(there.records);
        if (!scenario.loose) expect(here.walked).toEqual(there.walked);
      },
      longest,
    );
  }

  it.skipIf(short)('the scenarios enter every state apart from those that are listed', () => {
    const all = machineNames.flatMap((machine) => statesOf(machineOf(machine)).map((state) => `${machine}/${state}`));
    expect(all.filter((state) => !entered.has(state)).toSorted()).toEqual([...notEntered].toSorted());
  });
});

/** What scenarios in test/pipeline enter on our own interpreter alone: executions of one roll-out that overtake each other, and runs that continue elsewhere. */
const notEntered: readonly string[] = ['roll-out/Superseded', 'roll-out/Wait For Runs'];

function statesOf(machine: object): readonly string[] {
  const { States = {} } = machine as { States?: Readonly<Record<string, object>> };
  return Object.entries(States).flatMap(([name, state]) => {
    const { ItemProcessor, Branches = [] } = state as { ItemProcessor?: object; Branches?: readonly object[] };
    return [name, ...[...(ItemProcessor ? [ItemProcessor] : []), ...Branches].flatMap(statesOf)];
  });
}
