/** What exists is checked and repaired at its interval, also while the manifest is Failed; what failed stays as it is. */
import { describe, expect, it } from 'vitest';
import { allNodes } from '#domain/cluster-state.ts';
import type { DriftItem } from '#domain/drift.ts';
import type { ErrorClass } from '#domain/errors.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';
import type { Trouble } from './harness/scripted-runner.ts';
import { eventsOf, pass } from './harness/time.ts';
import { existing, healed, powerOff } from './harness/unhealthy-nodes.ts';

type Compute = Readonly<Record<string, number>>;

function wanted(compute: Compute, changes: { readonly interval?: string; readonly labels?: boolean } = {}) {
  const { interval = '30m', labels } = changes;
  const plain = manifestOf([{ compute, ...(labels && { labels: { tier: 'new' } }) }]);
  const driftChecks = { interval, onDrift: 'repair' as const };
  return { ...plain, spec: { ...plain.spec, driftChecks } } satisfies InputManifest;
}

/** Its cluster works apart from a new pool that cannot be created. */
async function degraded(errorClass: ErrorClass = 'user'): Promise<Pipeline> {
  const pipeline = new Pipeline();
  await pipeline.apply(wanted({ work: 3 }));
  pipeline.runner.trouble('infrastructure', { lost: ['web-bad'], class: errorClass });
  await pipeline.apply(wanted({ work: 3, bad: 2 }));
  expect(await pipeline.cluster()).toMatchObject({ status: 'Degraded' });
  return calm(pipeline);
}

/** A grow of it failed and was undone. */
async function rolledBack(): Promise<Pipeline> {
  const pipeline = new Pipeline();
  await pipeline.apply(wanted({ work: 3 }));
  pipeline.runner.trouble('infrastructure', 'user');
  await pipeline.apply(wanted({ work: 5 }, { labels: true }));
  expect(await pipeline.cluster()).toMatchObject({ status: 'RolledBack' });
  return calm(pipeline);
}

function calm(pipeline: Pipeline): Pipeline {
  pipeline.runner.ran.length = 0;
  pipeline.runner.documents.length = 0;
  return pipeline;
}

/** The machine of the first worker is gone. */
async function loseMachine(pipeline: Pipeline): Promise<string> {
  const { current } = await pipeline.cluster();
  const node = (current && allNodes(current).find(({ pool }) => pool.name === 'web-work')?.node.name) ?? '';
  const item: DriftItem = {
    kind: 'machine',
    where: { node, pool: 'web-work', provider: 'sim-1' },
    message: `the machine of ${node} is gone`,
    repairable: true,
    gone: true,
  };
  pipeline.runner.drift = [item];
  return node;
}

const repairStages = ['infrastructure', 'configuration', 'kubernetes', 'nodes'];

describe.each([
  ['Degraded', degraded],
  ['RolledBack', rolledBack],
] as const)('a manifest that failed, with a cluster that is %s', (status, failed) => {
  it('is checked at its interval, and stays as it was', async () => {
    const pipeline = await failed();
    const before = await pipeline.cluster();
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', dueAt: expect.any(String) });
    await pass(pipeline, 70);
    expect(pipeline.runner.ran).toEqual(['drift', 'drift']);
    const { heldPools, failure, current } = before;
    const after = await pipeline.cluster();
    expect(after).toMatchObject({ status, failure, current });
    expect(after.heldPools).toEqual(heldPools);
    expect(after).not.toHaveProperty('unreached');
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', attempt: 1, generation: 2 });
    const [run] = await pipeline.runs();
    expect(run).toMatchObject({ reason: 'drift check', status: 'Succeeded', clusters: { web: { status } } });
    expect(run?.clusters.web?.message).toMatch(/^as before: /);
  });

  it('gets a machine that is gone back: from the current state to the current state', async () => {
    const pipeline = await failed();
    const before = await pipeline.cluster();
    await loseMachine(pipeline);
    await pass(pipeline, 40);
    expect(pipeline.runner.ran).toEqual(['drift', ...repairStages, 'drift']);
    for (const { direction, before: from, target } of pipeline.runner.documents) {
      expect(direction).toBe('repair');
      expect({ from, target }).toEqual({ from: before.current, target: before.current });
    }
    expect(await eventsOf(pipeline, 'DriftRepaired')).toHaveLength(1);
    const after = await pipeline.cluster();
    expect(after).toMatchObject({ status, failure: before.failure, current: before.current, attempted: null });
    expect(after.heldPools ?? []).toEqual(before.heldPools ?? []);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', attempt: 1 });
  });

  it('is checked on request, and answers with what was found', async () => {
    const pipeline = await failed();
    await loseMachine(pipeline);
    expect((await pipeline.call('/drift', { body: { repair: false } })).status).toBe(202);
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(pipeline.runner.ran).toEqual(['drift']);
    expect((await pipeline.cluster()).drift).toMatchObject({ items: [{ kind: 'machine' }] });
    expect((await pipeline.call('/drift', { body: { repair: true } })).status).toBe(202);
    await pipeline.settle();
    expect((await pipeline.cluster()).drift).toMatchObject({ items: [], repair: { state: 'helped' } });
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed' });
  });

  it('is retried after checks and repairs like before them', async () => {
    const pipeline = await failed();
    await loseMachine(pipeline);
    await pass(pipeline, 40);
    expect((await pipeline.call('/retry')).status).toBe(202);
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', failure: null, heldPools: [] });
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', attempt: 2 });
    expect(await pipeline.manifest()).not.toHaveProperty('failed');
  });

  it('a repair that fails keeps what was known before, and the next check decides again', async () => {
    const pipeline = await failed();
    const before = await pipeline.cluster();
    await loseMachine(pipeline);
    pipeline.runner.trouble('configuration', 'user');
    await pass(pipeline, 35);
    expect(await pipeline.cluster()).toMatchObject({ status: 'NeedsAttention', failure: { stage: 'configuration' } });
    expect((await pipeline.runs())[0]).toMatchObject({ status: 'Failed' });
    await pass(pipeline, 40);
    const { failure, current } = before;
    expect(await pipeline.cluster()).toMatchObject({ status, failure, current, attempted: null, drift: { items: [] } });
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', attempt: 1 });
  });

  it.each(['check', 'repair'] as const)('an interrupted %s is followed by a check, never by a retry', async (which) => {
    const pipeline = await failed();
    const before = await pipeline.cluster();
    await loseMachine(pipeline);
    pipeline.faults.set(which === 'check' ? 'record-drift' : 'commit-waypoint', new Error('gone'));
    pipeline.faults.set('record-standstill', new Error('gone, too'));
    pipeline.before.set('settle-manifest', () => {
      pipeline.before.delete('settle-manifest');
      throw new Error('interrupted');
    });
    await pass(pipeline, 60);
    expect(await eventsOf(pipeline, 'RunCutOff')).toEqual([expect.stringContaining('another one follows in some')]);
    expect(await pipeline.cluster()).toMatchObject({ status, current: before.current, drift: { items: [] } });
    expect(pipeline.runner.documents.every(({ direction }) => direction === 'repair')).toBe(true);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', attempt: 1 });
  });

  it('is checked by a tick when an earlier release left it without a time', async () => {
    const pipeline = await failed();
    const { dueAt: _due, failed: _failed, ...record } = await pipeline.manifest();
    await pipeline.deps.manifests.replace(record, record);
    expect(await pipeline.invoke('tick', {})).toMatchObject({ broughtIn: 1 });
    await pass(pipeline, 40);
    expect(pipeline.runner.ran).toEqual(['drift']);
  });
});

describe('a node that is not ready, in a cluster of a manifest that failed', () => {
  const repair = { onUnhealthy: 'replace', after: '10m' } as const;

  /** With pools of six workers and three control nodes, and a change that fails. */
  async function healable(change: (manifest: InputManifest) => InputManifest, trouble: Trouble = 'user') {
    const pipeline = await existing({ repair });
    pipeline.runner.trouble('infrastructure', trouble);
    await pipeline.apply(change(healed({ repair })));
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed' });
    return calm(pipeline);
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
    ['a new pool that failed', () => healable(withBadPool, { lost: ['web-bad'], class: 'user' })],
    ['a grow that was undone', () => healable(larger)],
  ];

  /** Without the nodes. */
  const shapeOf = async (pipeline: Pipeline) =>
    (await pipeline.cluster()).current?.pools.map(({ nodes, ...pool }) => ({ ...pool, count: nodes.length }));

  describe.each(failures)('after %s', (_title, failed) => {
    it.each(['work', 'control'])('it is replaced in pool %s, and nothing else changes', async (pool) => {
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
