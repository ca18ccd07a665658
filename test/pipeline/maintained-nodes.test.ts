/** Nodes are healed also while the manifest is Failed: from the current state to the same state with another node. */
import { describe, expect, it } from 'vitest';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import type { Pipeline } from './harness/pipeline.ts';
import type { Trouble } from './harness/scripted-runner.ts';
import { eventsOf, pass } from './harness/time.ts';
import { existing, healed, powerOff } from './harness/unhealthy-nodes.ts';

describe('a node that is not ready, in a cluster of a manifest that failed', () => {
  const repair = { onUnhealthy: 'replace', after: '10m' } as const;

  /** With pools of six workers and three control nodes, and a change that fails. */
  async function healable(change: (manifest: InputManifest) => InputManifest, trouble: Trouble = 'user') {
    const pipeline = await existing({ repair });
    pipeline.runner.trouble('infrastructure', trouble);
    await pipeline.apply(change(healed({ repair })));
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed' });
    pipeline.runner.documents.length = 0;
    return pipeline;
  }

  const withBadPool = (manifest: InputManifest): InputManifest => {
    const { spec } = manifest;
    const { dynamic } = spec.nodePools;
    const bad = dynamic.flatMap((pool) => (pool.name === 'web-work' ? [{ ...pool, name: 'web-bad', count: 2 }] : []));
    const clusters = spec.kubernetes.clusters.map((cluster) => ({
      ...cluster,
      pools: { ...cluster.pools, compute: [...cluster.pools.compute, 'web-bad'] },
    }));
    const nodePools = { ...spec.nodePools, dynamic: [...dynamic, ...bad] };
    return { ...manifest, spec: { ...spec, nodePools, kubernetes: { ...spec.kubernetes, clusters } } };
  };
  const larger = (manifest: InputManifest): InputManifest => {
    const { spec } = manifest;
    const dynamic = spec.nodePools.dynamic.map((pool) =>
      pool.name === 'web-work' ? { ...pool, count: 9, labels: { tier: 'new' } } : pool,
    );
    return { ...manifest, spec: { ...spec, nodePools: { ...spec.nodePools, dynamic } } };
  };
  const failures: readonly (readonly [string, () => Promise<Pipeline>])[] = [
    ['a new pool that failed', () => healable(withBadPool, { failedPools: ['web-bad'], class: 'user' })],
    ['a grow that was undone', () => healable(larger)],
  ];

  /** Without the nodes. */
  const shapeOf = async (pipeline: Pipeline) =>
    (await pipeline.cluster()).current?.pools.map(({ nodes, ...pool }) => ({ ...pool, count: nodes.length }));

  describe.each(failures)('after %s', (_title, failed) => {
    it.each(['work', 'control'])('a node of pool %s is replaced, and nothing else changes', async (pool) => {
      const pipeline = await failed();
      const [before, shape] = [await pipeline.cluster(), await shapeOf(pipeline)];
      const nodes = await pipeline.nodes();
      const [lost = ''] = await powerOff(pipeline, pool);
      await pass(pipeline, 50);
      const after = await pipeline.nodes();
      expect(after).not.toContain(lost);
      expect(after.filter((name) => !nodes.includes(name))).toHaveLength(1);
      expect(after).toHaveLength(nodes.length);
      expect(await shapeOf(pipeline)).toEqual(shape);
      const { status, failure, current } = await pipeline.cluster();
      expect({ status, failure, documents: current?.documents }).toEqual({
        status: before.status,
        failure: before.failure,
        documents: before.current?.documents,
      });
      for (const { target } of pipeline.runner.documents)
        expect(target?.pools.some(({ name }) => name === 'web-bad')).toBe(false);
      expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', attempt: 1, generation: 2 });
      expect(await eventsOf(pipeline, 'NodeReplaced')).toHaveLength(1);
      await pass(pipeline, 120);
      expect(await pipeline.nodes()).toEqual(after);
    });

    it('a replacement whose machine cannot be created is undone, and the failure of the manifest is kept', async () => {
      const pipeline = await failed();
      const [before, nodes] = [await pipeline.cluster(), await pipeline.nodes()];
      await powerOff(pipeline, 'work');
      pipeline.runner.trouble('infrastructure', 'capacity', { times: 9 });
      await pass(pipeline, 50);
      expect(await pipeline.nodes()).toEqual(nodes);
      expect(await eventsOf(pipeline, 'DemandDropped')).toHaveLength(1);
      pipeline.runner.calm();
      pipeline.runner.health.clear();
      await pass(pipeline, 40);
      const { status, failure, current, heldPools = [] } = before;
      const after = await pipeline.cluster();
      expect({ ...after, heldPools: after.heldPools ?? [] }).toMatchObject({ status, failure, current, heldPools });
      expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', attempt: 1, failed: {} });
    });

    it.each(['infrastructure', 'nodes'] as const)(
      'a replacement that is interrupted in %s continues with the next check, and the pool keeps its number',
      async (stage) => {
        const pipeline = await failed();
        const [shape, nodes] = [await shapeOf(pipeline), await pipeline.nodes()];
        const [lost = ''] = await powerOff(pipeline, 'work');
        await pass(pipeline, 30);
        pipeline.runner.trouble(stage, () => pipeline.machines.abortAll());
        await pass(pipeline, 60);
        expect(await eventsOf(pipeline, 'RunCutOff')).toHaveLength(1);
        expect(await pipeline.nodes()).not.toContain(lost);
        expect(await pipeline.nodes()).toHaveLength(nodes.length);
        expect(await shapeOf(pipeline)).toEqual(shape);
        expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', attempt: 1 });
      },
    );
  });

  it('a replacement that a person takes back after it was interrupted is undone, and the node is kept', async () => {
    const pipeline = await healable(larger);
    const [before, nodes] = [await pipeline.cluster(), await pipeline.nodes()];
    await powerOff(pipeline, 'work');
    await pass(pipeline, 30);
    pipeline.runner.trouble('kubernetes', () => pipeline.machines.abortAll());
    while ((await eventsOf(pipeline, 'RunCutOff')).length === 0) await pass(pipeline, 5);
    pipeline.runner.health.clear();
    const [demand] = await pipeline.deps.demands.list(await pipeline.manifest());
    if (demand) await pipeline.deps.demands.put({ ...demand, version: demand.version + 1, replace: [] });
    await pass(pipeline, 60);
    expect(await pipeline.nodes()).toEqual(nodes);
    const { status, current } = before;
    expect(await pipeline.cluster()).toMatchObject({ status, current, attempted: null });
  });

  it('a node of a pool that the failed manifest no longer has is reported and kept', async () => {
    const pipeline = await existing({ repair });
    pipeline.runner.trouble('nodes', 'user');
    const without = healed({ repair });
    const { kubernetes, nodePools } = without.spec;
    const clusters = kubernetes.clusters.map((one) => ({ ...one, pools: { ...one.pools, compute: [] } }));
    const dynamic = nodePools.dynamic.filter(({ name }) => name !== 'web-work');
    pipeline.faults.set('plan-cluster', new Error('broken'));
    await pipeline.apply({
      ...without,
      spec: { ...without.spec, nodePools: { ...nodePools, dynamic }, kubernetes: { ...kubernetes, clusters } },
    });
    const nodes = await pipeline.nodes();
    const [lost] = await powerOff(pipeline, 'work');
    await pass(pipeline, 120);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', attempt: 1 });
    expect(await pipeline.nodes()).toEqual(nodes);
    expect(await eventsOf(pipeline, 'RepairRefused')).toEqual([
      `${lost} is not replaced: the manifest no longer has pool web-work`,
    ]);
  });
});
