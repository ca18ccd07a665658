/** A change that takes long pauses between two waypoints for a machine that is gone, and continues after its repair. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allNodes } from '#domain/cluster-state.ts';
import type { DriftItem } from '#domain/drift.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { propertyRuns } from '#test/property-runs.ts';
import { Pipeline } from './harness/pipeline.ts';
import { eventsOf } from './harness/time.ts';
import { healed, powerOff } from './harness/unhealthy-nodes.ts';

const from = (changes: Parameters<typeof healed>[0] = {}): InputManifest =>
  healed({ workers: 3, onDrift: 'repair', version: '1.34.2', ...changes });
const to = (changes: Parameters<typeof healed>[0] = {}): InputManifest =>
  healed({ workers: 2, onDrift: 'repair', version: '1.35.2', ...changes });

/** Done, and each stage takes so many minutes from now on. */
async function slow(manifest: InputManifest, minutes: number): Promise<Pipeline> {
  const pipeline = new Pipeline();
  await pipeline.apply(manifest);
  pipeline.runner.ran.length = 0;
  pipeline.runner.documents.length = 0;
  pipeline.before.set('collect-result', () => pipeline.deps.clock.advance(minutes * 60));
  return pipeline;
}

async function goneItem(pipeline: Pipeline, pool: string, place: number): Promise<DriftItem> {
  const { current } = await pipeline.cluster();
  const nodes = current ? allNodes(current).filter((one) => one.pool.name === pool) : [];
  const node = nodes.at(place)?.node.name ?? '';
  const where = { node, pool, provider: 'sim-1' };
  return { kind: 'machine', where, message: `the machine of ${node} is gone`, repairable: true, gone: true };
}

const directionsOf = ({ runner }: Pipeline): readonly string[] =>
  runner.documents.map(({ direction }) => direction).filter((one, place, all) => one !== all[place - 1]);

describe('a change in progress', () => {
  it('a machine that is gone is repaired before the next waypoint, and the change continues to its goal', async () => {
    const pipeline = await slow(from(), 40);
    pipeline.runner.drift = [await goneItem(pipeline, 'web-work', 0)];
    expect(await pipeline.apply(to())).toEqual({ status: 'SUCCEEDED' });
    expect(directionsOf(pipeline)).toEqual(['shrink', 'repair', 'upgrade']);
    const repair = pipeline.runner.documents.find(({ direction }) => direction === 'repair');
    expect(repair?.target).toEqual(repair?.before);
    expect(await eventsOf(pipeline, 'DriftRepaired')).toHaveLength(1);
    expect(await pipeline.nodes()).toHaveLength(5);
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', current: { kubernetesVersion: '1.35.2' } });
  });

  it('a machine that the rest of the change deletes is not recreated before', async () => {
    const pipeline = await slow(from(), 40);
    pipeline.runner.drift = [await goneItem(pipeline, 'web-work', -1)];
    await pipeline.apply(to({ control: 5 }));
    expect(directionsOf(pipeline)).toEqual(['grow', 'shrink', 'upgrade']);
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged' });
  });

  it('a change that is quicker than the interval is not interrupted by checks', async () => {
    const pipeline = await slow(from(), 1);
    await pipeline.apply(to());
    expect(pipeline.runner.ran).not.toContain('drift');
  });

  it.each(['notReady', 'unknown'] as const)('a node that is %s waits for the end of the change', async (health) => {
    const pipeline = await slow(from({ repair: { onUnhealthy: 'replace', after: '5m' } }), 40);
    await powerOff(pipeline, 'work', { health });
    await pipeline.apply(to({ repair: { onUnhealthy: 'replace', after: '5m' } }));
    expect(pipeline.runner.ran).toContain('drift');
    expect(await eventsOf(pipeline, 'NodeReplaced')).toEqual([]);
    expect(directionsOf(pipeline)).toEqual(['shrink', 'upgrade']);
  });

  it('drift of other kinds waits for the end of the change', async () => {
    const pipeline = await slow(from(), 40);
    pipeline.runner.drift = [{ kind: 'network', where: { provider: 'sim-1' }, message: 'differs', repairable: true }];
    await pipeline.apply(to());
    expect(directionsOf(pipeline)).toEqual(['shrink', 'upgrade']);
    expect((await pipeline.cluster()).drift).toMatchObject({ items: [{ kind: 'network' }] });
  });

  it('a manifest that asks for reports only is reported, and the change continues', async () => {
    const pipeline = await slow(from({ onDrift: 'report' }), 40);
    pipeline.runner.drift = [await goneItem(pipeline, 'web-work', 0)];
    await pipeline.apply(to({ onDrift: 'report' }));
    expect(directionsOf(pipeline)).toEqual(['shrink', 'upgrade']);
    expect(await eventsOf(pipeline, 'DriftFound')).not.toEqual([]);
  });

  it('a check that fails does not stop the change, and is not repeated before the next waypoint', async () => {
    const pipeline = await slow(from(), 40);
    pipeline.runner.trouble('drift', 'user', { times: 9 });
    expect(await pipeline.apply(to())).toEqual({ status: 'SUCCEEDED' });
    expect(pipeline.runner.ran.filter((stage) => stage === 'drift')).toHaveLength(1);
  });

  it('a repair that fails is repeated after pauses, and stops the change, which a retry continues', async () => {
    const pipeline = await slow(from(), 40);
    pipeline.runner.drift = [await goneItem(pipeline, 'web-work', 0)];
    pipeline.runner.trouble('infrastructure', 'capacity', { times: 20 });
    expect(await pipeline.apply(to({ workers: 3, version: '1.36.0' }))).toMatchObject({ status: 'FAILED' });
    expect(directionsOf(pipeline)).toEqual(['upgrade', 'repair']);
    pipeline.runner.calm();
    await pipeline.retry();
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(directionsOf(pipeline)).toEqual(['upgrade', 'repair', 'upgrade']);
  });
});

it('random changes reach their goal, whatever machine is lost at whatever moment', async () => {
  const change = fc.record({
    workers: fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })),
    upgrade: fc.boolean(),
    pool: fc.constantFrom('web-work', 'web-control'),
    place: fc.nat(4),
    after: fc.nat(12),
    minutes: fc.constantFrom(3, 15, 45),
  });
  await fc.assert(
    fc.asyncProperty(change, async ({ workers, upgrade, pool, place, after, minutes }) => {
      const pipeline = await slow(from({ workers: workers[0] }), minutes);
      const goal = to({ workers: workers[1], version: upgrade ? '1.35.2' : '1.34.2' });
      let stages = 0;
      pipeline.before.set('collect-result', async () => {
        pipeline.deps.clock.advance(minutes * 60);
        stages += 1;
        if (stages === after) pipeline.runner.drift = [await goneItem(pipeline, pool, place % 2)];
      });
      await pipeline.apply(goal);
      const { current, attempted, status } = await pipeline.cluster();
      expect({ attempted, status }).toEqual({ attempted: null, status: 'Converged' });
      const counts = current?.pools.map(({ name, nodes }) => [name, nodes.length]);
      expect(counts).toEqual([
        ['web-control', 3],
        ['web-work', workers[1]],
      ]);
      expect(current?.kubernetesVersion).toBe(upgrade ? '1.35.2' : '1.34.2');
      for (const { direction, before, target } of pipeline.runner.documents)
        if (direction === 'repair') expect(target).toEqual(before);
    }),
    { numRuns: propertyRuns(100) },
  );
});
