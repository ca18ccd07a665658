/** The scheduler: runs that were never started, and leases of runs that are alive. */
import { describe, expect, it } from 'vitest';
import { manifestOf } from './harness/manifests.ts';
import { key, Pipeline } from './harness/pipeline.ts';

const small = manifestOf([{ compute: { work: 2 } }]);

describe('the scheduler', () => {
  it('the scheduler starts a run that was never started', async () => {
    const pipeline = new Pipeline();
    const record = await pipeline.submit(small);
    pipeline.deps.workflows.started.length = 0;
    pipeline.deps.workflows.statuses.clear();
    expect(await pipeline.invoke('tick', {})).toMatchObject({ due: 0, care: [] });
    pipeline.deps.clock.advance(120);
    expect(await pipeline.invoke('tick', {})).toMatchObject({ due: 1, care: ['started'] });
    expect(pipeline.deps.workflows.started).toEqual([{ runId: record.runId, input: key }]);
    await pipeline.settle();
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
    expect(await pipeline.invoke('tick', {})).toMatchObject({ due: 0, care: [] });
  });

  it('the scheduler extends the lease of a run that is alive', async () => {
    const pipeline = new Pipeline({ KUBELOOM_LEASE_SECONDS: '600' });
    const leases: (string | undefined)[] = [];
    pipeline.runner.trouble('kubernetes', async () => {
      leases.push((await pipeline.manifest()).lease?.expiresAt);
      pipeline.deps.clock.advance(400);
      expect(await pipeline.invoke('tick', {})).toMatchObject({ due: 1, care: ['prolonged'] });
      leases.push((await pipeline.manifest()).lease?.expiresAt);
    });
    await pipeline.apply(small);
    expect(leases[1] && leases[0] && leases[1] > leases[0]).toBe(true);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
  });
});
