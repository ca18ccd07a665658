/** Checks for drift: what is kept of what they find, reported and repaired. */
import { describe, expect, it } from 'vitest';
import { allNodes } from '#domain/cluster-state.ts';
import type { DriftItem } from '#domain/drift.ts';
import { driftKey } from '#domain/drift.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';

const small = manifestOf([{ balanced: true, compute: { work: 2 } }]);
const wanting = (onDrift: 'report' | 'repair', interval = '6h'): InputManifest => ({
  ...small,
  spec: { ...small.spec, driftChecks: { interval, onDrift } },
});

/** A manifest that is done, with things that differ, and the check of it that is due. */
async function existing(onDrift: 'report' | 'repair', find: (pipeline: Pipeline) => Promise<readonly DriftItem[]>) {
  const pipeline = new Pipeline();
  await pipeline.apply(wanting(onDrift));
  pipeline.runner.ran.length = 0;
  pipeline.runner.drift = await find(pipeline);
  return pipeline;
}

async function nextTick(pipeline: Pipeline): Promise<unknown> {
  pipeline.deps.clock.advance(7 * 3600);
  const tick = await pipeline.invoke('tick', {});
  await pipeline.settle();
  return tick;
}

async function workerOf(pipeline: Pipeline): Promise<string> {
  const { current } = await pipeline.cluster();
  const found = current && allNodes(current).find(({ pool }) => pool.role === 'compute');
  return found?.node.name ?? '';
}

const gone = async (pipeline: Pipeline): Promise<readonly DriftItem[]> => {
  const node = await workerOf(pipeline);
  const where = { node, pool: 'web-work', provider: 'sim-1' };
  return [{ kind: 'machine', where, message: `the machine of ${node} is gone`, repairable: true }];
};
const kinds = async (pipeline: Pipeline) => (await pipeline.events()).map(({ kind }) => kind);

describe('what a check finds', () => {
  it('drift is recorded and reported, and nothing is changed, when the manifest asks for reports only', async () => {
    const pipeline = await existing('report', gone);
    await nextTick(pipeline);
    expect(pipeline.runner.ran).toEqual(['drift']);
    const { drift, status } = await pipeline.cluster();
    expect({ status, items: drift?.items }).toEqual({ status: 'Converged', items: pipeline.runner.drift });
    expect(drift?.outcome).toContain('1 thing differs from what was created');
    expect(drift).not.toHaveProperty('repair');
    const reported = (await pipeline.events()).filter(({ kind }) => kind.startsWith('Drift'));
    expect(reported.map(({ kind, level, node }) => ({ kind, level, node }))).toEqual([
      { kind: 'DriftFound', level: 'warning', node: undefined },
      { kind: 'DriftListed', level: 'warning', node: await workerOf(pipeline) },
    ]);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
  });

  const item = (kind: DriftItem['kind'], where: DriftItem['where']): DriftItem => {
    return { kind, where, message: `${kind} differs`, repairable: true };
  };
  const repairs: readonly (readonly [DriftItem['kind'], (node: string) => DriftItem, readonly string[]])[] = [
    [
      'machine',
      (node) => item('machine', { node, provider: 'sim-1' }),
      ['infrastructure', 'configuration', 'kubernetes', 'nodes'],
    ],
    ['network', () => item('network', { provider: 'sim-1' }), ['infrastructure']],
    ['dns', () => item('dns', { name: 'web-lb' }), ['infrastructure']],
    ['mesh', (node) => item('mesh', { node }), ['configuration']],
    ['proxy', (node) => item('proxy', { node }), ['configuration']],
    ['traffic', () => item('traffic', { name: 'web-lb' }), ['traffic']],
    ['node', (node) => item('node', { node }), ['configuration', 'kubernetes', 'nodes']],
    ['version', (node) => item('version', { node }), ['kubernetes']],
  ];
  it.each(repairs)(
    'drift, %s: is repaired by the stages that it needs, and checked once more',
    async (_kind, find, stages) => {
      const pipeline = await existing('repair', async (at) => [find(await workerOf(at))]);
      const nodes = await pipeline.nodes();
      await nextTick(pipeline);
      expect(pipeline.runner.ran).toEqual(['drift', ...stages, 'drift']);
      const cluster = await pipeline.cluster();
      expect(cluster).toMatchObject({
        status: 'Converged',
        attempted: null,
        drift: { items: [], repair: { state: 'helped' } },
      });
      expect(await pipeline.nodes()).toEqual(nodes);
      expect(await kinds(pipeline)).toContain('DriftRepaired');
      expect(await pipeline.manifest()).toMatchObject({ status: 'Done', attempt: 1 });
    },
  );

  it('drift that only a person can fix is reported and not changed', async () => {
    const pipeline = await existing('repair', async () => [
      { kind: 'node', where: { name: 'API' }, message: 'the API does not answer', repairable: false },
    ]);
    await nextTick(pipeline);
    expect(pipeline.runner.ran).toEqual(['drift']);
    expect((await pipeline.cluster()).drift?.outcome).toContain('a person has to fix it');
  });
});

describe('repairs', () => {
  it('a repair that does not help is reported, and the next checks do not repeat it', async () => {
    const pipeline = await existing('repair', gone);
    for (const one of pipeline.runner.drift) pipeline.runner.stubborn.add(driftKey(one));
    await nextTick(pipeline);
    const stages = ['infrastructure', 'configuration', 'kubernetes', 'nodes'];
    expect(pipeline.runner.ran).toEqual(['drift', ...stages, 'drift']);
    expect((await pipeline.cluster()).drift).toMatchObject({ repair: { state: 'useless' } });
    expect((await pipeline.cluster()).drift?.outcome).toContain('the repair did not help');
    expect(await kinds(pipeline)).toContain('RepairDidNotHelp');
    pipeline.runner.ran.length = 0;
    await nextTick(pipeline);
    await nextTick(pipeline);
    expect(pipeline.runner.ran).toEqual(['drift', 'drift']);
    pipeline.runner.ran.length = 0;
    pipeline.runner.stubborn.clear();
    expect((await pipeline.call('/drift', { body: { repair: true } })).status).toBe(202);
    await pipeline.settle();
    expect(pipeline.runner.ran).toEqual(['drift', ...stages, 'drift']);
    expect((await pipeline.cluster()).drift).toMatchObject({ items: [], repair: { state: 'helped' } });
  });

  it('a repair is repeated when the drift comes back after it', async () => {
    const pipeline = await existing('repair', gone);
    const found = pipeline.runner.drift;
    await nextTick(pipeline);
    pipeline.runner.drift = found;
    await nextTick(pipeline);
    expect(pipeline.runner.ran.filter((stage) => stage === 'infrastructure')).toHaveLength(2);
  });

  it('a repair that fails leaves the cluster as it is, and a retry repairs it', async () => {
    const pipeline = await existing('repair', gone);
    pipeline.runner.trouble('infrastructure', 'user');
    await nextTick(pipeline);
    expect(await pipeline.cluster()).toMatchObject({
      status: 'NeedsAttention',
      failure: { stage: 'infrastructure', class: 'user' },
      drift: { repair: { state: 'requested' } },
    });
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', lease: null });
    expect(await pipeline.nodes()).toHaveLength(4);
    pipeline.runner.ran.length = 0;
    await pipeline.retry();
    await pipeline.settle();
    expect(pipeline.runner.ran).toEqual(['infrastructure', 'configuration', 'kubernetes', 'nodes', 'drift']);
    expect(await pipeline.cluster()).toMatchObject({
      status: 'Converged',
      drift: { items: [], repair: { state: 'helped' } },
    });
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
  });

  it('a node that a retried repair has recreated is no longer shown as gone, though no check decided about it', async () => {
    const pipeline = await existing('repair', gone);
    const [node = ''] = await pipeline.nodes();
    pipeline.runner.trouble('infrastructure', 'user');
    await nextTick(pipeline);
    const record = await pipeline.cluster();
    const health = [{ node, health: 'gone' as const, looks: 2, seenAt: '2026-11-20T12:00:00.000Z' }];
    const items = [
      { kind: 'machine' as const, where: { node }, message: 'gone', repairable: true, gone: true as const },
    ];
    const repair = record.drift?.repair && { ...record.drift.repair, items };
    const outage = '2 of 3 nodes are down';
    await pipeline.deps.clusters.put({
      ...record,
      version: record.version + 1,
      drift: record.drift && { ...record.drift, health, outage, ...(repair && { repair }) },
    });
    await pipeline.retry();
    await pipeline.settle();
    const { drift } = await pipeline.cluster();
    expect(drift).toMatchObject({ repair: { state: 'helped' } });
    expect([drift?.health, drift?.outage]).toEqual([undefined, undefined]);
  });

  it('a repair that failed is decided about again by the next check: once it helped, the manifest is done', async () => {
    const pipeline = await existing('repair', gone);
    pipeline.runner.trouble('infrastructure', 'user');
    await nextTick(pipeline);
    pipeline.runner.ran.length = 0;
    expect(await nextTick(pipeline)).toMatchObject({ due: 1, care: ['checked'] });
    expect(pipeline.runner.ran).toEqual(['drift', 'infrastructure', 'configuration', 'kubernetes', 'nodes', 'drift']);
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', failure: null, attempted: null });
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', attempt: 1 });
    expect(await pipeline.manifest()).not.toHaveProperty('failed');
  });

  it('a repair that is interrupted is continued by the next attempt', async () => {
    const pipeline = await existing('repair', gone);
    pipeline.runner.trouble('configuration', () => pipeline.machines.abortAll());
    await nextTick(pipeline);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', attempt: 2 });
    expect(await pipeline.cluster()).toMatchObject({
      status: 'Converged',
      drift: { items: [], repair: { state: 'helped' } },
    });
  });
});

describe('checks', () => {
  it('a paused manifest is not checked', async () => {
    const pipeline = await existing('repair', gone);
    expect((await pipeline.call('/pause')).status).toBe(202);
    expect(await nextTick(pipeline)).toMatchObject({ due: 1, care: ['leftAlone'] });
    expect(pipeline.runner.ran).toEqual([]);
    expect((await pipeline.call('/drift')).status).toBe(409);
    await pipeline.call('/resume');
    await pipeline.settle();
    await nextTick(pipeline);
    expect(pipeline.runner.ran).toContain('drift');
  });

  it('a check during which a newer generation is stored repairs nothing, and the newer one is applied', async () => {
    const pipeline = await existing('repair', gone);
    const document = manifestOf([{ balanced: true, compute: { work: 2, more: 1 } }]);
    pipeline.runner.trouble('drift', async () => {
      await pipeline.submit(document);
    });
    await nextTick(pipeline);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', generation: 2, attempt: 1 });
    expect(pipeline.runner.ran.slice(0, 2)).toEqual(['drift', 'infrastructure']);
    const directions = pipeline.runner.documents.map(({ direction }) => direction);
    expect(directions).not.toContain('repair');
    expect(await pipeline.nodes()).toHaveLength(5);
  });

  it('a check that crashes repeatedly is reported, and the manifest stays Done until the next one', async () => {
    const pipeline = await existing('repair', gone);
    pipeline.runner.trouble('drift', 'kill', { times: 2 });
    await nextTick(pipeline);
    expect(pipeline.runner.ran).toEqual(['drift', 'drift']);
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', failure: null });
    expect((await pipeline.cluster()).drift?.unchecked[0]).toContain('left no result');
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', attempt: 1 });
    expect(await kinds(pipeline)).toContain('DriftCheckFailed');
    pipeline.runner.ran.length = 0;
    await nextTick(pipeline);
    expect(pipeline.runner.ran[0]).toBe('drift');
    expect(await kinds(pipeline)).toContain('DriftRepaired');
  });

  it('a check that is aborted is closed in order, and the next one comes at its regular time', async () => {
    const pipeline = await existing('report', gone);
    pipeline.runner.trouble('drift', () => pipeline.machines.abortAll());
    await nextTick(pipeline);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', attempt: 2, lease: null });
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged' });
    const interruption = (await pipeline.events()).find(({ kind }) => kind === 'RunCutOff');
    expect(interruption?.message).toContain('a drift check');
    expect(await nextTick(pipeline)).toMatchObject({ care: ['checked'] });
    expect((await pipeline.cluster()).drift?.items).toHaveLength(1);
  });

  it('a check that was never started is found by the next tick, like any other run', async () => {
    const pipeline = await existing('report', gone);
    pipeline.deps.clock.advance(7 * 3600);
    await pipeline.invoke('tick', {});
    pipeline.deps.workflows.started.length -= 1;
    pipeline.deps.workflows.statuses.clear();
    pipeline.deps.clock.advance(300);
    expect(await pipeline.invoke('tick', {})).toMatchObject({ care: ['started'] });
    await pipeline.settle();
    expect((await pipeline.cluster()).drift?.items).toHaveLength(1);
  });

  it('a check that a person asks for runs at once, with or without repair as asked', async () => {
    const pipeline = await existing('repair', gone);
    const etag = (await pipeline.call('', { method: 'GET' })).headers.etag;
    expect((await pipeline.call('/drift', { body: { repair: false } })).status).toBe(202);
    await pipeline.settle();
    expect(pipeline.runner.ran).toEqual(['drift']);
    expect((await pipeline.call('', { method: 'GET' })).headers.etag).toBe(etag);
    expect((await pipeline.call('/drift')).status).toBe(202);
    await pipeline.settle();
    expect((await pipeline.cluster()).drift).toMatchObject({ items: [] });
  });

  it('a check whose report is missing has failed', async () => {
    const pipeline = await existing('report', gone);
    pipeline.before.set('record-drift', async () => {
      for (const { key } of await pipeline.deps.artifacts.list('runs/'))
        if (key.endsWith('/drift.json')) await pipeline.deps.artifacts.remove(key);
    });
    await nextTick(pipeline);
    expect((await pipeline.cluster()).drift?.unchecked).toEqual(['the check succeeded but left no report']);
  });
});
