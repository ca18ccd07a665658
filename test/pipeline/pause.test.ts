/** pause and resume: asked of the real API, done by the real state machines. */
import { describe, expect, it } from 'vitest';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';

const small = manifestOf([{ compute: { work: 2 } }]);
const large = manifestOf([{ compute: { work: 2, more: 2 } }]);
async function existing(document = small): Promise<Pipeline> {
  const pipeline = new Pipeline();
  await pipeline.apply(document);
  pipeline.runner.ran.length = 0;
  return pipeline;
}

const runsOf = async (pipeline: Pipeline): Promise<readonly string[]> =>
  (await pipeline.runs()).map(({ runId, status }) => `${runId.slice(-5)} ${status}`);

describe('pause', () => {
  const changed = manifestOf([{ compute: { work: 2, fresh: 1 } }]);

  it('a pause stops the run after its waypoint, and resume does the rest', async () => {
    const pipeline = await existing(large);
    pipeline.runner.trouble('kubernetes', async () => {
      expect(await pipeline.call('/pause')).toMatchObject({ status: 202, json: { paused: true } });
    });
    await pipeline.submit(changed);
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(pipeline.machines.entered.at(-1)).toBe('reconcile-manifest/Paused');
    expect(await pipeline.manifest()).toMatchObject({ status: 'Pending', paused: true, lease: null });
    expect(await pipeline.cluster()).toMatchObject({ attempted: null, failure: null });
    expect(await pipeline.nodes()).toHaveLength(6);
    expect((await pipeline.events()).at(-1)).toMatchObject({ kind: 'RunPaused', level: 'info' });

    expect(await pipeline.call('/resume')).toMatchObject({ status: 202, json: { attempt: 2, paused: false } });
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
    expect(await pipeline.nodes()).toHaveLength(4);
  });

  it('a paused manifest stores what is applied, starts nothing, and the scheduler skips it', async () => {
    const pipeline = await existing();
    await pipeline.call('/pause');
    const accepted = await pipeline.call('', { method: 'PUT', body: large });
    expect(accepted).toMatchObject({ status: 202, json: { generation: 2, paused: true } });
    expect(await pipeline.settle()).toEqual([]);
    pipeline.deps.clock.advance(100_000);
    expect(await pipeline.invoke('tick', {})).toMatchObject({ due: 0, care: [] });
    expect(pipeline.runner.ran).toEqual([]);
    await pipeline.call('/resume');
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(await pipeline.nodes()).toHaveLength(5);
    expect(await runsOf(pipeline)).toEqual(['g2-a2 Succeeded', 'g2-a1 Superseded', 'g1-a1 Succeeded']);
  });

  it('a pause holds a run that is about to start', async () => {
    const pipeline = await existing();
    await pipeline.submit(large);
    await pipeline.call('/pause');
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(pipeline.runner.ran).toEqual([]);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Pending', lease: null });
    expect((await runsOf(pipeline))[0]).toBe('g2-a1 Queued');
  });

  it('a pause that is lifted before the end of the waypoint leaves nothing undone', async () => {
    const pipeline = await existing(large);
    pipeline.runner.trouble('kubernetes', async () => {
      await pipeline.call('/pause');
      await pipeline.call('/resume');
    });
    await pipeline.submit(changed);
    await pipeline.settle();
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', attempt: 2 });
    expect(await pipeline.nodes()).toHaveLength(4);
  });

  it('a paused run that is interrupted is not started again', async () => {
    const pipeline = await existing();
    pipeline.runner.trouble('kubernetes', async () => {
      await pipeline.call('/pause');
      await pipeline.machines.abortAll();
    });
    await pipeline.submit(large);
    expect((await pipeline.settle()).map(({ status }) => status)).toEqual(['ABORTED']);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Pending', lease: null });
    await pipeline.call('/resume');
    await pipeline.settle();
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
  });

  it('a pause does not hide a failure', async () => {
    const pipeline = await existing();
    pipeline.runner.trouble('kubernetes', async () => {
      await pipeline.call('/pause');
    });
    pipeline.runner.trouble('nodes', 'user');
    await pipeline.submit(large);
    expect(await pipeline.settle()).toMatchObject([{ status: 'FAILED' }]);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', paused: true });
    expect(await pipeline.call('/resume')).toMatchObject({ status: 202, json: { attempt: 1 } });
    expect(await pipeline.manifest()).not.toHaveProperty('paused');
  });

  it('a second pause, or a resume without a pause, is refused', async () => {
    const pipeline = await existing();
    expect((await pipeline.call('/resume')).json.detail).toContain('it is not paused');
    await pipeline.call('/pause');
    expect((await pipeline.call('/pause')).json.detail).toContain('it is already paused');
  });
});
