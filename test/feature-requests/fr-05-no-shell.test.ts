import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SimulatedWorld, statusText } from '#test/scenarios/simulated-world.ts';
import { fleet, fleetKey } from './fleet.ts';

let world: SimulatedWorld;
beforeAll(async () => {
  world = await SimulatedWorld.start();
});
afterAll(() => world.stop());

describe('FR-5: no one needs a shell to continue', () => {
  test('a failed run is found, read, and repeated from any stage through the API alone', async () => {
    const key = fleetKey('fr-5');
    world.faults();
    await world.apply(fleet(key.name));
    world.faults({ stage: 'infrastructure', direction: 'shrink', class: 'conflict', times: 1_000_000 });
    const stuck = await world.apply(fleet(key.name, { pools: {} }));
    expect(stuck.clusters[0]).toMatchObject({ status: 'NeedsAttention', failure: { stage: 'infrastructure' } });

    const { items } = await world.api.listLogs({ ...key, run: stuck.runId });
    const log = items.find(({ stage }) => stage === 'infrastructure');
    expect(log).toBeDefined();
    const { text } = await world.api.readLog(log?.path ?? '', 0);
    expect(text.length).toBeGreaterThan(0);

    world.faults();
    const accepted = await world.api.retryManifest(key, { from: 'nodes' });
    const again = await world.settled(key, accepted);
    expect(again && statusText(again)).toMatch(/^Done/);
    const redone = (await world.events(key)).filter(
      ({ runId, kind }) => runId === accepted.runId && kind === 'StageSucceeded',
    );
    expect(redone.map(({ stage }) => stage)).toEqual(['nodes', 'configuration', 'infrastructure']);
    const [run] = (await world.api.listRuns(key)).items.filter(({ runId }) => runId === accepted.runId);
    expect(run).toMatchObject({ reason: 'retry from nodes', status: 'Succeeded' });
  });

  test('a run is cancelled while a tool works, and ends in a valid state', async () => {
    const key = fleetKey('fr-5-cancel');
    world.faults();
    const before = await world.apply(fleet(key.name));
    // Longer than anything here waits: without the cancellation the run would not end.
    world.stageMs(3_600_000);
    const accepted = await world.api.putManifest(key, fleet(key.name, { pools: { a: 3 } }));
    await world.until(
      key,
      (manifest) => Boolean(manifest?.clusters[0]?.progress?.stage && manifest.status === 'Running'),
      'a stage',
    );
    await world.api.cancelManifest(key);
    world.stageMs(0);
    const cancelled = await world.settled(key, accepted);
    expect(cancelled?.lastRun?.status).toBe('Aborted');
    expect(cancelled?.clusters[0]?.status).toBe('RolledBack');
    expect(cancelled?.clusters[0]?.nodes).toEqual(before.clusters[0]?.nodes);
  });
});
