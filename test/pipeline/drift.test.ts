/** Checks for drift, from the scheduler's tick to what is kept, told and repaired. */
import { describe, expect, it, vi } from 'vitest';
import { allNodes } from '#domain/cluster-state.ts';
import type { DriftItem } from '#domain/drift.ts';
import { driftKey } from '#domain/drift.ts';
import type { InputManifest } from '#domain/manifest/input-manifest.ts';
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

describe('when checks are due', () => {
  it('a manifest is due for a check one interval after it settled, and not before', async () => {
    const pipeline = await existing('report', async () => []);
    pipeline.deps.clock.advance(5 * 3600);
    expect(await pipeline.invoke('tick', {})).toMatchObject({ due: 0, care: [] });
    pipeline.deps.clock.advance(2 * 3600);
    expect(await pipeline.invoke('tick', {})).toMatchObject({ due: 1, care: ['checked'] });
  });

  it('a check that finds no drift is reported, and the next one follows an interval later', async () => {
    const pipeline = await existing('repair', async () => []);
    const before = await pipeline.manifest();
    await nextTick(pipeline);
    expect(pipeline.runner.ran).toEqual(['drift']);
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', failure: null, drift: { items: [] } });
    const after = await pipeline.manifest();
    expect(after).toMatchObject({ status: 'Done', generation: 1, attempt: 1, lease: null });
    expect(String(after.dueAt) > String(before.dueAt)).toBe(true);
    expect(await kinds(pipeline)).toContain('DriftChecked');
    await nextTick(pipeline);
    expect(pipeline.runner.ran).toEqual(['drift', 'drift']);
    const reasons = (await pipeline.runs()).map(({ reason, status }) => `${reason} ${status}`);
    expect(reasons).toEqual(['drift check Succeeded', 'drift check Succeeded', 'submitted Succeeded']);
  });

  it.each(['off'])('a manifest is never checked when its interval is %s', async (interval) => {
    const pipeline = new Pipeline();
    await pipeline.apply(wanting('repair', interval));
    expect(await pipeline.manifest()).not.toHaveProperty('dueAt');
  });

  it('a manifest has one execution at a time: a check that is due waits for the lease', async () => {
    const pipeline = await existing('report', async () => []);
    pipeline.runner.trouble('drift', async () => {
      pipeline.deps.clock.advance(100);
      expect(await pipeline.invoke('tick', {})).toMatchObject({ care: [] });
      pipeline.deps.clock.advance(1800);
      expect(await pipeline.invoke('tick', {})).toMatchObject({ care: ['prolonged'] });
    });
    await nextTick(pipeline);
    expect(pipeline.runner.ran).toEqual(['drift']);
  });
});

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

  it('a repair that fails leaves the cluster as it is; no check follows, and a retry repairs it', async () => {
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
    expect(await nextTick(pipeline)).toMatchObject({ due: 0 });
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

  it('a repair that is cut off is continued by the next attempt', async () => {
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

  it('a check that is aborted is closed in order, and the next one comes at its time', async () => {
    const pipeline = await existing('report', gone);
    pipeline.runner.trouble('drift', () => pipeline.machines.abortAll());
    await nextTick(pipeline);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', attempt: 2, lease: null });
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged' });
    const cutOff = (await pipeline.events()).find(({ kind }) => kind === 'RunCutOff');
    expect(cutOff?.message).toContain('a check for drift');
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

describe('manifests that were done before checks existed', () => {
  /** As an earlier version left it: done, and due for nothing. */
  async function asBefore(pipeline: Pipeline, interval = '6h'): Promise<void> {
    await pipeline.apply(wanting('report', interval));
    const { dueAt: _due, ...record } = await pipeline.manifest();
    await pipeline.deps.manifests.replace(record, record);
  }

  it('a manifest from before checks existed gets its first check within an interval, by one tick', async () => {
    const pipeline = new Pipeline();
    await asBefore(pipeline);
    const lists = vi.spyOn(pipeline.deps.manifests, 'list');
    expect(await pipeline.invoke('tick', {})).toMatchObject({ due: 0, broughtIn: 1 });
    const { dueAt = '' } = await pipeline.manifest();
    const now = pipeline.deps.clock.now().getTime();
    expect(Date.parse(dueAt)).toBeGreaterThanOrEqual(now);
    expect(Date.parse(dueAt)).toBeLessThanOrEqual(now + 6 * 3600 * 1000);
    expect(lists).toHaveBeenCalledTimes(1);
    await nextTick(pipeline);
    expect(pipeline.runner.ran.at(-1)).toBe('drift');
    expect(lists).toHaveBeenCalledTimes(1);
  });

  it('a manifest from before checks existed gets none when its interval is off or it is due already', async () => {
    const pipeline = new Pipeline();
    await asBefore(pipeline, 'off');
    expect(await pipeline.invoke('tick', {})).not.toHaveProperty('broughtIn');
    expect(await pipeline.manifest()).not.toHaveProperty('dueAt');
    const other = await existing('report', async () => []);
    const { dueAt } = await other.manifest();
    expect(await other.invoke('tick', {})).not.toHaveProperty('broughtIn');
    expect(await other.manifest()).toMatchObject({ dueAt });
  });
});

it('a manifest that cannot be read does not stop the tick for others, and the error names it', async () => {
  const pipeline = await existing('report', async () => []);
  const due = pipeline.deps.manifests.due.bind(pipeline.deps.manifests);
  pipeline.deps.manifests.due = async (now, limit, report) => {
    report?.(new Error('the stored manifest team/broken cannot be read'));
    return due(now, limit);
  };
  pipeline.deps.clock.advance(7 * 3600);
  await expect(pipeline.invoke('tick', {})).rejects.toThrow(/team\/broken/);
  await pipeline.settle();
  expect(pipeline.runner.ran).toEqual(['drift']);
});

it('a hundred manifests that are due at once are started twenty a tick', async () => {
  const pipeline = new Pipeline();
  const done = await pipeline.apply(small).then(() => pipeline.manifest());
  for (let n = 0; n < 99; n += 1) {
    await pipeline.deps.manifests.create({ ...done, name: `shop-${n}`, runId: `shop-${n}-x-g1-a1` });
  }
  pipeline.deps.clock.advance(7 * 3600);
  const started = pipeline.deps.workflows.started.length;
  expect(await pipeline.invoke('tick', {})).toMatchObject({ due: 100, care: Array(20).fill('checked') });
  expect(pipeline.deps.workflows.started.length - started).toBe(20);
  // Those that were started are in time for now.
  expect(await pipeline.invoke('tick', {})).toMatchObject({ due: 80, care: Array(20).fill('checked') });
});

it('the times of checks are spread over a tenth of the interval', async () => {
  const { nextCheckAt } = await import('#domain/due-times.ts');
  const now = new Date('2026-11-20T12:00:00.000Z');
  const hours = Array.from(
    { length: 100 },
    (_, n) => (Date.parse(nextCheckAt(now, 360, `uid-${n}`)) - now.getTime()) / 3.6e6,
  );
  expect(Math.min(...hours)).toBeGreaterThanOrEqual(6);
  expect(Math.max(...hours)).toBeLessThanOrEqual(6.6);
  expect(new Set(hours.map((hour) => hour.toFixed(2))).size).toBeGreaterThan(20);
});
