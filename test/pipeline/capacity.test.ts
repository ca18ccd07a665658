/** Accounts that run no more builds at once: stages wait, visibly and for a bounded time, and nothing is undone because of it. */
import { describe, expect, it } from 'vitest';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';
import { StateFault } from './harness/state-machines.ts';

const small = manifestOf([{ compute: { work: 2 } }]);

const refused = () => {
  throw new StateFault('CodeBuild.AccountLimitExceededException', 'Cannot have more than 1 builds in queue');
};
const waitedInQueue = () => {
  const Phases = [{ PhaseType: 'QUEUED', PhaseStatus: 'TIMED_OUT' }];
  throw new StateFault('States.TaskFailed', JSON.stringify({ Build: { BuildStatus: 'TIMED_OUT', Phases } }));
};
const kindsOf = async (pipeline: Pipeline) => (await pipeline.events()).map(({ kind }) => kind);

describe('an account that runs no more builds at once', () => {
  it.each([
    ['refuses builds', refused],
    ['lets builds wait until their time is up', waitedInQueue],
  ])('an account that %s lets a stage wait, which is reported once and uses up no try', async (_, trouble) => {
    const pipeline = new Pipeline();
    pipeline.runner.trouble('configuration', trouble, { times: 5 });
    expect(await pipeline.apply(small)).toEqual({ status: 'SUCCEEDED' });
    const { entered } = pipeline.machines;
    expect(entered.filter((state) => state === 'run-stage/Wait For Capacity')).toHaveLength(5);
    const kinds = await kindsOf(pipeline);
    expect(kinds.filter((kind) => kind === 'WaitsForCapacity')).toHaveLength(1);
    expect(kinds).not.toContain('StageRetried');
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', failure: null });
  });

  it('an account that stays full for six hours fails the stage, and says which quota to raise', async () => {
    const pipeline = new Pipeline();
    pipeline.runner.trouble(
      'configuration',
      () => {
        pipeline.deps.clock.advance(3600);
        refused();
      },
      { times: 99 },
    );
    expect(await pipeline.apply(small)).toMatchObject({ status: 'FAILED' });
    const { failure } = await pipeline.cluster();
    expect(failure).toMatchObject({ class: 'quota', code: 'NoBuildCapacity', stage: 'configuration' });
    expect(failure?.hint).toContain('Raise the quota');
    expect(pipeline.runner.ran.filter((stage) => stage === 'configuration')).toHaveLength(7);
  });

  it('a cancel ends the wait', async () => {
    const pipeline = new Pipeline();
    pipeline.runner.trouble('configuration', refused);
    pipeline.runner.trouble('configuration', async () => {
      expect((await pipeline.call('/cancel')).status).toBe(202);
      refused();
    });
    expect(await pipeline.apply(small)).toMatchObject({ status: 'FAILED', error: 'Cancelled' });
    expect(pipeline.runner.ran.filter((stage) => stage === 'configuration')).toHaveLength(2);
    expect(await pipeline.nodes()).toEqual([]);
  });

  it('an undo waits as well, and finishes', async () => {
    const pipeline = new Pipeline();
    pipeline.runner.trouble('kubernetes', 'user');
    pipeline.runner.trouble('infrastructure', refused, { mode: 'undo', times: 3 });
    await pipeline.apply(small);
    expect(await pipeline.cluster()).toMatchObject({ status: 'RolledBack', failure: { stage: 'kubernetes' } });
  });
});
