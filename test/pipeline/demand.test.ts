/** Sizes and replacements that are asked for apart from the manifest, walked by the real state machines. */
import { describe, expect, it } from 'vitest';
import { type Demand, noDemand } from '#domain/demand.ts';
import { demandOf } from '#functions/pipeline/records/demand-records.ts';
import { manifestOf } from './harness/manifests.ts';
import { key, Pipeline } from './harness/pipeline.ts';

const scaled = manifestOf([{ compute: { work: { min: 1, max: 5 }, fixed: 2 } }]);

async function existing(document = scaled): Promise<Pipeline> {
  const pipeline = new Pipeline();
  await pipeline.apply(document);
  pipeline.runner.ran.length = 0;
  return pipeline;
}

const scale = async (pipeline: Pipeline, count: number): Promise<void> => {
  expect(await pipeline.call('/scale', { body: { sizes: { 'web-work': count } } })).toMatchObject({ status: 202 });
};
const replace = async (pipeline: Pipeline, ...nodes: readonly string[]): Promise<void> => {
  expect(await pipeline.call('/replace', { body: { nodes, because: 'it hangs' } })).toMatchObject({ status: 202 });
};

const left = async (pipeline: Pipeline): Promise<Demand> =>
  demandOf(await pipeline.deps.demands.get(key, (await pipeline.cluster()).cluster));
const of = async (pipeline: Pipeline, pool: string) =>
  (await pipeline.nodes()).filter((name) => name.startsWith(`web-${pool}-`));
const messages = async (pipeline: Pipeline, kind: string) =>
  (await pipeline.events()).filter((event) => event.kind === kind).map(({ message }) => message);

describe('sizes', () => {
  it('a requested size is reached up and down, removed from the demand and reported, in the same generation', async () => {
    const pipeline = await existing();
    await scale(pipeline, 4);
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(await of(pipeline, 'work')).toHaveLength(4);
    await scale(pipeline, 2);
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(await of(pipeline, 'work')).toHaveLength(2);
    expect(await left(pipeline)).toEqual(noDemand);
    expect(await messages(pipeline, 'DemandMet')).toEqual([
      '4 nodes in pool web-work, requested by tester: done',
      '2 nodes in pool web-work, requested by tester: done',
    ]);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', generation: 1, attempt: 3 });
    expect((await pipeline.cluster()).demand).toBeDefined();
  });

  it('a request for the current size starts nothing; if it is stored all the same, it is removed again', async () => {
    const pipeline = await existing();
    const answer = await pipeline.call('/scale', { body: { sizes: { 'web-work': 1 } } });
    expect(answer).toMatchObject({ status: 200, json: { unchanged: true, attempt: 1 } });
    const { cluster } = await pipeline.cluster();
    const asked = { 'web-work': { count: 1, at: '2026-11-23T03:00:00.000Z', by: 'autoscaler' } };
    const { namespace, name: manifest } = key;
    await pipeline.deps.demands.put({ ...noDemand, namespace, manifest, cluster, version: 1, sizes: asked });
    await pipeline.retry();
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(pipeline.runner.ran).toEqual([]);
    expect(await left(pipeline)).toEqual(noDemand);
  });

  it('a size that is requested during a run is reached by the next run', async () => {
    const pipeline = await existing();
    pipeline.runner.trouble('kubernetes', () => scale(pipeline, 5));
    await scale(pipeline, 3);
    await pipeline.settle();
    expect(await of(pipeline, 'work')).toHaveLength(5);
    expect(await left(pipeline)).toEqual(noDemand);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', lease: null });
  });

  it('a failed grow is undone, and its size is removed from the demand: the run failed, the manifest is done', async () => {
    const pipeline = await existing();
    pipeline.runner.trouble('infrastructure', 'capacity');
    await scale(pipeline, 4);
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(await of(pipeline, 'work')).toHaveLength(1);
    expect(await left(pipeline)).toMatchObject({
      sizes: {},
      replace: [],
      failures: { 'web-work': { count: 4, class: 'capacity' } },
    });
    expect(await messages(pipeline, 'DemandDropped')).toEqual([
      '4 nodes in pool web-work, requested by tester: dropped because the attempt failed',
    ]);
    expect(await pipeline.cluster()).toMatchObject({
      status: 'Converged',
      failure: { class: 'capacity', outcome: { kind: 'undone', dropped: true } },
    });
    const manifest = await pipeline.manifest();
    expect(manifest).toMatchObject({ status: 'Done', lease: null, dueAt: expect.any(String) });
    expect(manifest).not.toHaveProperty('retries');
    const [run] = await pipeline.runs();
    expect(run).toMatchObject({ status: 'Failed', clusters: { web: { message: expect.stringContaining('undone') } } });
    expect((await messages(pipeline, 'RunFailed'))[0]).toContain('web: ');
  });

  it.each(['credentials', 'user', 'bug'] as const)(
    'a size that failed of class %s stops no drift checks, and the next check forgets the failure of the cluster',
    async (name) => {
      const pipeline = await existing();
      pipeline.runner.trouble('infrastructure', name);
      await scale(pipeline, 4);
      await pipeline.settle();
      const { dueAt = '' } = await pipeline.manifest();
      pipeline.deps.clock.advance((Date.parse(dueAt) - pipeline.deps.clock.now().getTime()) / 1000 + 1);
      expect(await pipeline.invoke('tick', {})).toMatchObject({ care: ['checked'] });
      await pipeline.settle();
      expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', failure: null });
      expect((await left(pipeline)).failures).toMatchObject({ 'web-work': { count: 4, class: name } });
    },
  );

  it('a manifest that is changed with a size that fails is not done', async () => {
    const pipeline = await existing();
    await pipeline.call('/pause');
    await scale(pipeline, 4);
    await pipeline.submit(manifestOf([{ compute: { work: { min: 1, max: 5 }, fixed: 3 } }]));
    pipeline.runner.trouble('infrastructure', 'user');
    await pipeline.call('/resume');
    await pipeline.settle();
    expect((await pipeline.cluster()).status).toBe('RolledBack');
    expect((await pipeline.manifest()).status).toBe('Failed');
  });

  it('a size that is asked for while its grow fails is tried', async () => {
    const pipeline = await existing();
    pipeline.runner.trouble('kubernetes', async () => {
      await scale(pipeline, 3);
    });
    pipeline.runner.trouble('nodes', 'user');
    await scale(pipeline, 4);
    await pipeline.settle();
    expect(await of(pipeline, 'work')).toHaveLength(3);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
  });

  it('a size that is requested during a pause waits until the manifest is resumed', async () => {
    const pipeline = await existing();
    await pipeline.call('/pause');
    await scale(pipeline, 3);
    await pipeline.settle();
    expect(await of(pipeline, 'work')).toHaveLength(1);
    await pipeline.call('/resume');
    await pipeline.settle();
    expect(await of(pipeline, 'work')).toHaveLength(3);
  });
});

describe('replacements', () => {
  it('a node is replaced by another one before it is removed', async () => {
    const pipeline = await existing();
    const before = await of(pipeline, 'fixed');
    await replace(pipeline, before[0] ?? '');
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    const directions = new Set(pipeline.runner.documents.map(({ direction }) => direction));
    expect([...directions]).toEqual(['grow', 'shrink']);
    expect(await of(pipeline, 'fixed')).toEqual([before[1], expect.not.stringMatching(before[0] ?? '')]);
    expect(await left(pipeline)).toEqual(noDemand);
    expect(await messages(pipeline, 'DemandMet')).toEqual([
      `node ${before[0]} replaced (it hangs), requested by tester: done`,
    ]);
  });

  it('a node of an autoscaled pool is replaced, and the pool keeps its number', async () => {
    const pipeline = await existing();
    await scale(pipeline, 3);
    await pipeline.settle();
    const [first = ''] = await of(pipeline, 'work');
    await replace(pipeline, first);
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(await of(pipeline, 'work')).toHaveLength(3);
    expect(await of(pipeline, 'work')).not.toContain(first);
    expect(await left(pipeline)).toEqual(noDemand);
  });

  it('a replacement whose new machine cannot be created is undone and not retried: the node stays', async () => {
    const pipeline = await existing();
    const before = await of(pipeline, 'fixed');
    pipeline.runner.trouble('configuration', 'user');
    await replace(pipeline, before[0] ?? '');
    await pipeline.settle();
    expect(await of(pipeline, 'fixed')).toEqual(before);
    expect(await left(pipeline)).toEqual(noDemand);
    expect(await messages(pipeline, 'DemandDropped')).toHaveLength(1);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
    pipeline.runner.ran.length = 0;
    await pipeline.retry();
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(pipeline.runner.ran).toEqual([]);
    expect(await of(pipeline, 'fixed')).toEqual(before);
  });

  it('a replacement whose removal fails continues with the removal', async () => {
    const pipeline = await existing();
    const [first = ''] = await of(pipeline, 'work');
    pipeline.runner.trouble('infrastructure', () => pipeline.runner.trouble('infrastructure', 'credentials'));
    await replace(pipeline, first);
    expect(await pipeline.settle()).toMatchObject([{ status: 'FAILED' }]);
    expect((await left(pipeline)).replace).toHaveLength(1);
    await pipeline.retry();
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(await of(pipeline, 'work')).toHaveLength(1);
    expect(await of(pipeline, 'work')).not.toContain(first);
  });

  it('a cancelled replacement is removed from the demand', async () => {
    const pipeline = await existing();
    const before = await of(pipeline, 'fixed');
    pipeline.runner.trouble('configuration', async () => {
      await pipeline.call('/cancel');
      return 'stopped';
    });
    await replace(pipeline, before[0] ?? '');
    await pipeline.settle();
    expect(await of(pipeline, 'fixed')).toEqual(before);
    expect(await left(pipeline)).toEqual(noDemand);
    expect((await pipeline.runs())[0]).toMatchObject({ status: 'Aborted' });
  });

  for (const name of ['plan-cluster', 'commit-waypoint', 'assess-failure', 'record-rollback', 'settle-manifest']) {
    it(`a retry after a fault of ${name} in a replacement ends with the number of nodes and nothing open`, async () => {
      const pipeline = await existing();
      const [first = ''] = await of(pipeline, 'fixed');
      if (['assess-failure', 'record-rollback'].includes(name)) pipeline.runner.trouble('nodes', 'user');
      pipeline.faults.set(name, new Error('it broke'));
      await replace(pipeline, first);
      await pipeline.settle();
      await pipeline.retry();
      await pipeline.settle();
      expect(await of(pipeline, 'fixed')).toHaveLength(2);
      expect(await left(pipeline)).toEqual(noDemand);
      expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
    });
  }
});
