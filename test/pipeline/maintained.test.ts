/** What exists is checked and repaired at its interval, also while the manifest is Failed; what failed stays as it is. */
import { describe, expect, it } from 'vitest';
import { allNodes } from '#domain/cluster-state.ts';
import type { DriftItem } from '#domain/drift.ts';
import type { ErrorClass } from '#domain/errors.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';
import { eventsOf, pass } from './harness/time.ts';

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
  pipeline.runner.trouble('infrastructure', { failedPools: ['web-bad'], class: errorClass });
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
  it('a failed manifest is checked at its interval, and stays as it was', async () => {
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

  it('a machine that is gone is recreated: from the current state to the current state', async () => {
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

  it('a failed manifest is checked on request, and answers with what was found', async () => {
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

  it('a failed manifest is retried after checks and repairs like before them', async () => {
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

  it('a failed manifest is checked by a tick when an earlier release left it without a time', async () => {
    const pipeline = await failed();
    const { dueAt: _due, failed: _failed, ...record } = await pipeline.manifest();
    await pipeline.deps.manifests.replace(record, record);
    expect(await pipeline.invoke('tick', {})).toMatchObject({ broughtIn: 1 });
    await pass(pipeline, 40);
    expect(pipeline.runner.ran).toEqual(['drift']);
  });
});
