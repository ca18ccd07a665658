/** Deleting in every status, starting from what was really created; and orphaning what has to keep running. */
import { describe, expect, it } from 'vitest';
import { manifestOf } from './harness/manifests.ts';
import { key, Pipeline } from './harness/pipeline.ts';

const small = manifestOf([{ compute: { work: 2 } }]);
const large = manifestOf([{ compute: { work: 2, more: 2 } }]);

const remove = (pipeline: Pipeline, query = '') => pipeline.call(query, { method: 'DELETE' });

async function isGone(pipeline: Pipeline): Promise<void> {
  expect(await pipeline.deps.manifests.get(key)).toBeUndefined();
  expect(await pipeline.clusters()).toEqual([]);
  expect(await pipeline.nodes()).toEqual([]);
  expect(await pipeline.deps.secrets.list('ssh')).toEqual([]);
}

describe('deletion', () => {
  it('a delete during a create stops the current stage, undoes it, and deletes everything', async () => {
    const pipeline = new Pipeline();
    pipeline.runner.trouble('kubernetes', async () => {
      const { waypointPrefix } = await pipeline.cluster();
      expect(await remove(pipeline)).toMatchObject({ status: 202, json: { generation: 2 } });
      expect(await pipeline.deps.artifacts.getText(`${waypointPrefix}/stop.json`)).toContain('"reason":"cancelled"');
      return 'stopped';
    });
    await pipeline.submit(large);
    expect((await pipeline.settle()).map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    expect(pipeline.runner.ran).not.toContain('nodes');
    await isGone(pipeline);
    expect((await pipeline.runs()).map(({ status }) => status)).toEqual(['Succeeded', 'Aborted']);
  });

  it('a delete during a shrink stops it where it is and continues from there', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(large);
    pipeline.runner.trouble('configuration', async () => {
      await remove(pipeline);
      return 'stopped';
    });
    await pipeline.submit(small);
    await pipeline.settle();
    await isGone(pipeline);
  });

  it('a delete during a run starts after the current waypoint, not after the whole plan', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(large);
    pipeline.runner.ran.length = 0;
    pipeline.runner.trouble('nodes', () => pipeline.submit(small, true));
    await pipeline.submit(manifestOf([{ compute: { work: 2, fresh: 1 } }]));
    await pipeline.settle();
    const directions = pipeline.runner.documents.map(({ direction }) => direction);
    expect([...new Set(directions)]).toEqual(['grow', 'destroy']);
    await isGone(pipeline);
  });

  const statuses = {
    RolledBack: async (pipeline: Pipeline) => {
      pipeline.runner.trouble('kubernetes', 'user');
      await pipeline.apply(large);
    },
    NeedsAttention: async (pipeline: Pipeline) => {
      await pipeline.apply(large);
      pipeline.runner.trouble('configuration', 'user');
      await pipeline.apply(small);
    },
    'NeedsAttention after a way back that failed': async (pipeline: Pipeline) => {
      pipeline.runner.trouble('kubernetes', 'user');
      pipeline.runner.trouble('configuration', 'user', { mode: 'undo' });
      await pipeline.apply(large);
    },
    Degraded: async (pipeline: Pipeline) => {
      pipeline.runner.trouble('infrastructure', { failedPools: ['web-more'] });
      await pipeline.apply(large);
    },
    'interrupted for good': async (pipeline: Pipeline) => {
      pipeline.runner.trouble('nodes', () => pipeline.machines.abortAll(), { times: 3 });
      await pipeline.apply(large);
    },
    'a deletion that failed': async (pipeline: Pipeline) => {
      await pipeline.apply(large);
      pipeline.runner.trouble('infrastructure', 'credentials');
      await pipeline.submit(large, true);
      await pipeline.settle();
      expect(await pipeline.manifest()).toMatchObject({ deleting: true, status: 'Failed' });
    },
    'a plan that was refused': async (pipeline: Pipeline) => {
      await pipeline.apply(small);
      await pipeline.apply(manifestOf([{ version: '1.30.0' }]));
    },
  } as const;

  for (const [status, bringAbout] of Object.entries(statuses)) {
    it(`a delete works in status ${status}`, async () => {
      const pipeline = new Pipeline();
      await pipeline.apply(small);
      await bringAbout(pipeline);
      expect((await remove(pipeline)).status).toBe(202);
      expect((await pipeline.settle()).at(-1)).toEqual({ status: 'SUCCEEDED' });
      await isGone(pipeline);
    });
  }

  it('a delete ends a pause', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    await pipeline.call('/pause');
    const answer = await remove(pipeline);
    expect(answer.status).toBe(202);
    expect(answer.json).not.toMatchObject({ paused: true });
    await pipeline.settle();
    await isGone(pipeline);
  });

  it('a delete works when the stored document can no longer be read', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    const { generation, attempt, ...record } = await pipeline.manifest();
    const document = { kind: 'InputManifest', spec: { providers: 'of another age' } };
    await pipeline.deps.manifests.replace({ ...record, generation: 2, attempt, document }, { generation, attempt });
    expect((await remove(pipeline)).status).toBe(202);
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    await isGone(pipeline);
  });

  it('a delete that fails says what is left, and a second delete tries again', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    pipeline.runner.trouble('infrastructure', 'credentials');
    await remove(pipeline);
    expect((await pipeline.settle()).at(-1)).toMatchObject({ status: 'FAILED' });
    const { json } = await pipeline.call('', { method: 'GET' });
    expect(json).toMatchObject({ deleting: true, status: 'Failed', clusters: [{ failure: { class: 'credentials' } }] });
    await remove(pipeline);
    await pipeline.settle();
    await isGone(pipeline);
  });
});

describe('orphaning', () => {
  it('an orphaning of all destroys nothing, deletes all records, and says what keeps running', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(manifestOf([{ balanced: true }]));
    const { cluster } = await pipeline.cluster();
    const state = `terraform/team/shop/${cluster}/machines-sim-1.tfstate`;
    await pipeline.deps.artifacts.putText(state, '{}');
    const nodes = await pipeline.nodes();
    pipeline.runner.ran.length = 0;
    const answer = await remove(pipeline, '?orphan=all');
    expect(answer.status).toBe(202);
    expect(answer.json.left).toMatchObject([
      { cluster: 'web', loadBalancers: [{ name: 'web-lb', dnsName: 'web.example.com' }], terraformStates: [state] },
    ]);
    const [left] = answer.json.left as readonly { readonly nodes: readonly { readonly name: string }[] }[];
    expect(left?.nodes.map(({ name }) => name).sort()).toEqual(nodes);
    expect(left?.nodes[0]).toMatchObject({ provider: 'sim-1', address: expect.stringMatching(/^203\.0\.113\./) });

    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(pipeline.runner.ran).toEqual([]);
    expect(await pipeline.nodes()).toEqual(nodes);
    expect(await pipeline.deps.manifests.get(key)).toBeUndefined();
    expect(await pipeline.clusters()).toEqual([]);
    expect(await pipeline.deps.artifacts.getText(state)).toBe('{}');
    const reported = (await pipeline.events()).find(({ kind }) => kind === 'LeftBehind');
    expect(reported).toMatchObject({ level: 'warning', cluster: 'web' });
    for (const name of nodes) expect(reported?.message).toContain(name);
  });

  it('an orphaning of some nodes makes the runners keep them', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    const [first = '', second = ''] = await pipeline.nodes();
    const answer = await remove(pipeline, `?orphan=${first},${second}`);
    expect(answer.json.left).toMatchObject([{ cluster: 'web', nodes: [{ name: first }, { name: second }] }]);
    await pipeline.settle();
    const stage = pipeline.runner.documents.at(-1)?.stages.find((plan) => plan.stage === 'infrastructure');
    expect(stage?.work).toMatchObject({ orphan: [first, second] });
    expect(await pipeline.clusters()).toEqual([]);
  });

  it('an orphaning of unknown nodes is refused, and nothing is deleted', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    const answer = await remove(pipeline, '?orphan=stranger');
    expect(answer.status).toBe(400);
    expect(answer.json.detail).toContain('has no node stranger');
    expect(await pipeline.manifest()).toMatchObject({ deleting: false, generation: 1 });
    expect((await remove(pipeline, '?orphan=,')).status).toBe(400);
  });

  it('an orphaning is still possible after a deletion failed', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    pipeline.runner.trouble('infrastructure', 'credentials', { times: 9 });
    await remove(pipeline);
    await pipeline.settle();
    expect((await remove(pipeline, '?orphan=all')).status).toBe(202);
    expect((await pipeline.settle()).at(-1)).toEqual({ status: 'SUCCEEDED' });
    expect(await pipeline.deps.manifests.get(key)).toBeUndefined();
  });

  it('an orphaning of a protected manifest is refused', async () => {
    const pipeline = new Pipeline();
    const guarded = { ...small, spec: { ...small.spec, deletionProtection: true } };
    await pipeline.apply(guarded);
    expect((await remove(pipeline, '?orphan=all')).status).toBe(409);
  });
});
