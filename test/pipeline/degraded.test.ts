/** New pools that cannot be made: only they fail, the rest of the cluster continues, and they can be created later. */
import { describe, expect, it } from 'vitest';
import type { ClusterDescription } from '#contracts/api-bodies.ts';
import { manifestOf } from './harness/manifests.ts';
import { outcomeOf } from './harness/outcome-of.ts';
import { Pipeline } from './harness/pipeline.ts';

const small = manifestOf([{ compute: { work: 2 } }]);
const large = manifestOf([{ compute: { work: 2, more: 1, far: 2 } }]);
const failed = { failedPools: ['web-far'] };

async function degraded(): Promise<Pipeline> {
  const pipeline = new Pipeline();
  await pipeline.apply(small);
  pipeline.runner.trouble('infrastructure', failed);
  expect(await pipeline.apply(large)).toMatchObject({ status: 'FAILED', error: 'ToolFailed' });
  pipeline.runner.ran.length = 0;
  return pipeline;
}

const poolsOf = async (pipeline: Pipeline): Promise<readonly (string | undefined)[] | undefined> =>
  (await pipeline.cluster()).current?.pools.map(({ name }) => name);

describe('new pools that fail', () => {
  it('a new pool that cannot be created is left out, and the rest of the waypoint is done', async () => {
    const pipeline = await degraded();
    const cluster = await pipeline.cluster();
    expect(await poolsOf(pipeline)).toEqual(['web-control', 'web-work', 'web-more']);
    expect(await pipeline.deps.secrets.list('ssh')).toHaveLength(3);
    expect(cluster).toMatchObject({
      status: 'Degraded',
      attempted: null,
      failure: { class: 'quota', code: 'ToolFailed', stage: 'infrastructure' },
      heldPools: [{ pool: 'web-far', role: 'compute', generation: 2, attempt: 1 }],
    });
    expect(outcomeOf(cluster.failure)).toMatch(/^only pool web-far failed, and nothing of it is left/);
    expect(cluster.facts.failedPools).toBeUndefined();
    expect(await pipeline.nodes()).toHaveLength(4);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', lease: null });
    const [run] = await pipeline.runs();
    expect(run).toMatchObject({ status: 'Failed', clusters: { web: { status: 'Degraded' } } });
    const events = await pipeline.events();
    expect(events.at(-2)?.message).toContain('web: Degraded, only pool web-far failed');
  });

  it('a cluster with a held pool is shown with the nodes that it has', async () => {
    const pipeline = await degraded();
    const { json } = await pipeline.call('', { method: 'GET' });
    const [cluster] = json.clusters as readonly ClusterDescription[];
    expect(cluster).toMatchObject({
      name: 'web',
      status: 'Degraded',
      heldPools: [{ pool: 'web-far', role: 'compute', reason: expect.stringContaining('ToolFailed') }],
    });
    expect(cluster?.nodes.map(({ status }) => status)).toEqual(['Ready', 'Ready', 'Ready', 'Ready']);
  });

  it('a retry tries a held pool again and touches nothing else', async () => {
    const pipeline = await degraded();
    expect((await pipeline.call('/retry')).status).toBe(202);
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(await poolsOf(pipeline)).toEqual(['web-control', 'web-work', 'web-more', 'web-far']);
    const cluster = await pipeline.cluster();
    expect(cluster).toMatchObject({ status: 'Converged', failure: null, heldPools: [] });
    expect(pipeline.runner.ran).toEqual(['infrastructure', 'configuration', 'kubernetes', 'nodes']);
  });

  it('a held pool that fails again leaves the cluster as degraded as before', async () => {
    const pipeline = await degraded();
    pipeline.runner.trouble('infrastructure', 'quota');
    await pipeline.call('/retry');
    expect(await pipeline.settle()).toMatchObject([{ status: 'FAILED' }]);
    expect(await poolsOf(pipeline)).toEqual(['web-control', 'web-work', 'web-more']);
    expect(await pipeline.nodes()).toHaveLength(4);
  });

  it('a manifest without the held pool ends the failure', async () => {
    const pipeline = await degraded();
    expect(await pipeline.apply(manifestOf([{ compute: { work: 2, more: 1 } }]))).toEqual({ status: 'SUCCEEDED' });
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', failure: null });
    expect(pipeline.runner.ran).toEqual([]);
  });

  it('a cluster with a held pool can be deleted', async () => {
    const pipeline = await degraded();
    expect((await pipeline.call('', { method: 'DELETE' })).status).toBe(202);
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(await pipeline.clusters()).toEqual([]);
    expect(await pipeline.nodes()).toEqual([]);
  });

  it('a new pool that fails in the first create leaves a cluster that works', async () => {
    const pipeline = new Pipeline();
    pipeline.runner.trouble('infrastructure', failed);
    expect(await pipeline.apply(large)).toMatchObject({ status: 'FAILED' });
    expect(await poolsOf(pipeline)).toEqual(['web-control', 'web-work', 'web-more']);
    expect(await pipeline.cluster()).toMatchObject({ status: 'Degraded' });
  });

  it('a failed pool that the cluster cannot work without rolls back the whole waypoint', async () => {
    const pipeline = new Pipeline();
    pipeline.runner.trouble('infrastructure', { failedPools: ['web-control'] });
    expect(await pipeline.apply(small)).toMatchObject({ status: 'FAILED' });
    const cluster = await pipeline.cluster();
    expect(cluster).toMatchObject({ status: 'RolledBack', current: null, failure: { class: 'quota' } });
    expect(cluster.failure?.message).toContain('no control node would be left');
    expect(cluster.heldPools).toBeUndefined();
    expect(await pipeline.nodes()).toEqual([]);
  });

  it('a failed pool is undone and not held when the rest of the waypoint fails too', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    pipeline.runner.trouble('infrastructure', failed);
    pipeline.runner.trouble('kubernetes', 'user');
    expect(await pipeline.apply(large)).toMatchObject({ status: 'FAILED' });
    expect(await pipeline.nodes()).toHaveLength(3);
    const cluster = await pipeline.cluster();
    expect(cluster).toMatchObject({ status: 'RolledBack', failure: { stage: 'kubernetes', class: 'user' } });
    expect(cluster.heldPools).toBeUndefined();
    await pipeline.call('/retry');
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(await pipeline.nodes()).toHaveLength(6);
  });
});

describe('two clusters, one with a held pool', () => {
  it('a held pool leaves one cluster Degraded and the other in the desired state', async () => {
    const pipeline = new Pipeline();
    pipeline.runner.trouble('infrastructure', failed);
    const both = manifestOf([{ compute: { work: 1, far: 2 } }, { name: 'data', compute: { work: 1 } }]);
    expect(await pipeline.apply(both)).toMatchObject({ status: 'FAILED' });
    expect(await pipeline.cluster('web')).toMatchObject({ status: 'Degraded' });
    expect(await pipeline.cluster('data')).toMatchObject({ status: 'Converged', failure: null });
    const [run] = await pipeline.runs();
    expect(run?.clusters).toMatchObject({
      web: { status: 'Degraded' },
      data: { status: 'Converged', message: 'in the desired state' },
    });
    pipeline.runner.ran.length = 0;
    await pipeline.call('/retry');
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(new Set(pipeline.runner.documents.slice(-4).map(({ cluster }) => cluster.split('-')[0]))).toEqual(
      new Set(['web']),
    );
  });
});
