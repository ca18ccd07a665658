/** The scheduler: runs that were never started, and leases of runs that are alive. */
import { describe, expect, it } from 'vitest';
import { executionArn } from '#test/fakes/fake-deps.ts';
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

  it('the scheduler starts no execution to see whether a run is alive: names of ended ones are free again after 90 days', async () => {
    const pipeline = new Pipeline();
    const { workflows, clock } = pipeline.deps;
    const { runId } = await pipeline.submit(small);
    // It was left to another run, which ended without doing it.
    workflows.statuses.set(executionArn(runId), 'SUCCEEDED');
    const asked: string[] = [];
    const start = workflows.startReconcile.bind(workflows);
    workflows.startReconcile = (name, input) => {
      asked.push(name);
      return start(name, input);
    };
    clock.advance(120);
    expect(await pipeline.invoke('tick', {})).toMatchObject({ due: 1, care: ['startedAgain'] });
    expect(asked).toEqual([(await pipeline.manifest()).runId]);
    expect(asked).not.toContain(runId);
  });

  it('what finishes a run starts no execution to see whether a newer run is alive', async () => {
    const pipeline = new Pipeline();
    const { workflows } = pipeline.deps;
    const asked: string[] = [];
    pipeline.runner.trouble('kubernetes', async () => {
      const newer = await pipeline.submit(manifestOf([{ compute: { work: 3 } }]));
      workflows.statuses.set(executionArn(newer.runId), 'SUCCEEDED');
      const start = workflows.startReconcile.bind(workflows);
      workflows.startReconcile = (name, input) => {
        asked.push(name);
        return start(name, input);
      };
      pipeline.machines.abortAll();
    });
    const { runId } = await pipeline.submit(small);
    await pipeline.execute(runId, key);
    expect(asked).toEqual([(await pipeline.manifest()).runId]);
    expect(asked[0]).toMatch(/-g2-a2$/);
  });

  it('the scheduler leaves a run alone whose execution is about to begin', async () => {
    const pipeline = new Pipeline();
    await pipeline.submit(small);
    pipeline.deps.clock.advance(120);
    expect(await pipeline.invoke('tick', {})).toMatchObject({ due: 1, care: ['leftAlone'] });
    expect(pipeline.deps.workflows.started).toHaveLength(1);
  });

  it('a run that ends while the scheduler extends its lease is no fault of the tick', async () => {
    const pipeline = new Pipeline({ KUBELOOM_LEASE_SECONDS: '600' });
    const { manifests, clock } = pipeline.deps;
    const renew = manifests.renewLease.bind(manifests);
    const cares: unknown[] = [];
    pipeline.runner.trouble('kubernetes', async () => {
      clock.advance(400);
      // The run has ended since its execution was asked: another fence holds the lease, or none does.
      manifests.renewLease = (of, fence, until) => renew(of, fence + 1, until);
      cares.push(await pipeline.invoke('tick', {}));
      manifests.renewLease = renew;
    });
    await pipeline.apply(small);
    expect(cares).toEqual([expect.objectContaining({ care: ['prolonged'] })]);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
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
