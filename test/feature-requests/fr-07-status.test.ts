import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { errorClasses } from '#domain/errors.ts';
import { SimulatedWorld } from '#test/scenarios/simulated-world.ts';
import { fleet, fleetKey } from './fleet.ts';

let world: SimulatedWorld;
beforeAll(async () => {
  world = await SimulatedWorld.start();
});
afterAll(() => world.stop());

describe('FR-7: the status says how far it is and what is wrong', () => {
  test('the status shows run, step, percent, nodes and times during a run', async () => {
    const key = fleetKey('fr-7');
    world.faults();
    // Long enough to be asked in between, however busy the machine is.
    world.stageMs(200);
    const accepted = await world.api.putManifest(key, fleet(key.name));
    const seen: ManifestDescription[] = [];
    await world.until(
      key,
      (manifest) => {
        if (manifest) seen.push(manifest);
        return manifest?.status === 'Done';
      },
      'its end',
    );
    world.stageMs(0);
    const progress = seen.flatMap(({ clusters }) => clusters.flatMap((cluster) => cluster.progress ?? []));
    const percents = progress.map(({ percent }) => percent);
    expect(percents.toSorted((left, right) => left - right)).toEqual(percents);
    expect(new Set(progress.flatMap(({ stage }) => stage ?? []))).toEqual(
      new Set(['infrastructure', 'configuration', 'kubernetes', 'nodes']),
    );
    expect(progress.at(-1)).toMatchObject({ step: 4, steps: 4, percent: 100, waypoint: 1, waypoints: 1 });
    const middle = progress.find(({ stage }) => stage === 'kubernetes');
    expect(Date.parse(middle?.updatedAt ?? '')).toBeGreaterThan(Date.parse(middle?.startedAt ?? ''));
    expect(seen.every(({ runId }) => runId === accepted.runId)).toBe(true);
    const joining = seen.flatMap(({ clusters }) => clusters.flatMap(({ nodes }) => nodes.map(({ status }) => status)));
    expect(joining).toContain('Joining');
    expect(joining.at(-1)).toBe('Ready');
  });

  // No tool reports `platform`, the services of Kubeloom itself (test/pipeline/service-faults.test.ts), or `stuck`, a build that has not ended (left-builds.test.ts).
  test.each(errorClasses.filter((errorClass) => errorClass !== 'platform' && errorClass !== 'stuck'))(
    'an error of class %s has cause, place, hint and log, and no run succeeds with it',
    async (errorClass) => {
      const key = fleetKey(`fr-7-${errorClass}`);
      world.faults({ stage: 'configuration', class: errorClass, times: 1_000_000, manifest: key.name });
      const failed = await world.apply(fleet(key.name));
      expect(failed.status).toBe('Failed');
      expect(failed.lastRun?.status).toBe('Failed');
      const failure = failed.clusters[0]?.failure;
      expect(failure).toMatchObject({
        class: errorClass,
        code: 'InjectedFault',
        stage: 'configuration',
        runId: failed.runId,
      });
      expect(failure?.message).toContain('configuration');
      expect(failure?.hint).not.toBe('');
      expect(failure?.outcome).toMatch(/undone/);
      const { text } = await world.api.readLog(failure?.logPath ?? '', 0);
      expect(text).not.toBe('');
      const execution = world.platform.executionStore.list({ limit: 10_000 }).find(({ name }) => name === failed.runId);
      expect(execution?.status).toBe('FAILED');
    },
  );
});
