/** Accounts that run no more builds at once: stages wait, visibly and for a bounded time, and nothing is undone because of it. */
import { describe, expect, it } from 'vitest';
import { longestWaitHours } from '#functions/pipeline/stages/stage-decision.ts';
import { fakeConfig } from '#test/fakes/fake-deps.ts';
import { machineOf } from './harness/asl-files.ts';
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

  it('each look says how long the stage has waited for a build, of which AWS makes a metric and an alarm', async () => {
    const measured: unknown[] = [];
    class Watched extends Pipeline {
      override async invoke(name: string, input: unknown): Promise<unknown> {
        const output = await super.invoke(name, input);
        if (name === 'collect-result') measured.push(Object(output).measures);
        return output;
      }
    }
    const pipeline = new Watched();
    pipeline.runner.trouble(
      'configuration',
      () => {
        pipeline.deps.clock.advance(60);
        refused();
      },
      { times: 3 },
    );
    expect(await pipeline.apply(small)).toEqual({ status: 'SUCCEEDED' });
    const waits = measured.flatMap((measures) => (measures ? [Object(measures).waitsForCapacitySeconds] : []));
    expect(waits).toHaveLength(3);
    expect(waits[0]).toBe(0);
    expect(waits[2]).toBeGreaterThanOrEqual(120);
  });

  it('all tries of a stage share the six hours, so that they end before the execution of the stage does', async () => {
    const pipeline = new Pipeline();
    const hour = () => {
      pipeline.deps.clock.advance(3600);
      refused();
    };
    pipeline.runner.trouble('configuration', hour, { times: 5 });
    pipeline.runner.trouble('configuration', 'transient');
    pipeline.runner.trouble('configuration', hour, { times: 99 });
    expect(await pipeline.apply(small)).toMatchObject({ status: 'FAILED' });
    expect((await pipeline.cluster()).failure).toMatchObject({ code: 'NoBuildCapacity' });
    expect(pipeline.runner.ran.filter((stage) => stage === 'configuration')).toHaveLength(8);
  });

  it('the tries of a stage and its wait for builds end before the time of its execution does', () => {
    const { TimeoutSeconds = 0, States } = machineOf('run-stage');
    const stopSeconds = 3600;
    const tries = fakeConfig().KUBELOOM_MAX_STAGE_ATTEMPTS;
    const longest = tries * ((States['Run Tool']?.TimeoutSeconds ?? 0) + stopSeconds) + longestWaitHours * 3600;
    expect(longest).toBeLessThan(TimeoutSeconds);
  });

  it('a CodeBuild that does not answer lets the waypoint pause and continue, after its builds were looked for', async () => {
    const pipeline = new Pipeline();
    const silent = () => {
      throw new StateFault('CodeBuild.AWSCodeBuildException', 'Rate exceeded');
    };
    // One waypoint: the first try and its seven more of the state machine.
    pipeline.runner.trouble('configuration', silent, { times: 8 });
    expect(await pipeline.apply(small)).toEqual({ status: 'SUCCEEDED' });
    expect(pipeline.machines.entered).toContain('run-stage/Stop Builds');
    expect(await kindsOf(pipeline)).not.toContain('StageRetried');
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', failure: null });
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
