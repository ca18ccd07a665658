import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SimulatedWorld } from '#test/scenarios/simulated-world.ts';
import { fleet, fleetKey } from './fleet.ts';

let world: SimulatedWorld;
beforeAll(async () => {
  world = await SimulatedWorld.start();
});
afterAll(() => world.stop());

describe('FR-8: one log a run and stage, found by the run id', () => {
  test('the run id leads to events, runs and logs, and nothing is restarted to see more', async () => {
    const key = fleetKey('fr-8');
    world.faults({ stage: 'kubernetes', class: 'transient' });
    const { runId } = await world.apply(fleet(key.name));
    const { items } = await world.api.listLogs({ ...key, run: runId });
    expect(items.map(({ stage, attempt }) => `${stage} ${attempt}`)).toEqual([
      'infrastructure 1',
      'configuration 1',
      'kubernetes 1',
      'kubernetes 2',
      'nodes 1',
    ]);
    for (const { path } of items) {
      const { text, ended } = await world.api.readLog(path, 0);
      expect(text).not.toBe('');
      expect(ended).toBe(true);
    }
    const events = await world.events(key);
    expect(new Set(events.map((event) => event.runId))).toEqual(new Set([runId]));
    expect((await world.api.getRun({ ...key, run: runId })).status).toBe('Succeeded');
  });
});
