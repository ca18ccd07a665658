/** When checks for drift are due, and how the scheduler's tick starts them. */
import { describe, expect, it, vi } from 'vitest';
import type { DriftItem } from '#domain/drift.ts';
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

it('a hundred manifests that are due at once are started by one tick', async () => {
  const pipeline = new Pipeline();
  const done = await pipeline.apply(manifestOf([{ compute: { work: 2 } }])).then(() => pipeline.manifest());
  for (let n = 0; n < 99; n += 1) {
    await pipeline.deps.manifests.create({ ...done, name: `shop-${n}`, runId: `shop-${n}-x-g1-a1` });
  }
  pipeline.deps.clock.advance(7 * 3600);
  const started = pipeline.deps.workflows.started.length;
  expect(await pipeline.invoke('tick', {})).toMatchObject({ due: 100, care: Array(100).fill('checked') });
  expect(pipeline.deps.workflows.started.length - started).toBe(100);
  // Those that were started are in time for now.
  expect(await pipeline.invoke('tick', {})).toMatchObject({ due: 0, care: [] });
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
