/** Our state machines do the same on two implementations of Step Functions: the local platform's, and moto's. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Observed, observe, tasks } from './observation.ts';
import { startOnLocal } from './on-local.ts';
import { type Moto, startOnMoto } from './on-moto.ts';
import { scenarios } from './scenarios.ts';

let moto: Moto;
beforeAll(async () => {
  moto = await startOnMoto();
});
afterAll(() => moto.close());

describe('on both implementations', () => {
  for (const scenario of scenarios) {
    it(scenario.name, async () => {
      const there = await observe(scenario, (around) => moto.machinesFor(around));
      let close = async (): Promise<void> => {};
      const here: Observed = await observe(scenario, async (around) => {
        const local = await startOnLocal(around, tasks);
        close = local.close;
        return local.machines;
      }).finally(() => close());
      expect(there.records).toMatchObject(scenario.expected);
      expect(here.records).toEqual(there.records);
      if (!scenario.loose) expect(here.walked).toEqual(there.walked);
    });
  }
});
