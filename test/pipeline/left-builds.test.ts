/** Builds that no one waits for any more: nothing starts next to one, whatever ended the run or the stage that started it. */
import { describe, expect, it } from 'vitest';
import { waypointKeys } from '#contracts/stage.ts';
import { executionArn } from '#test/fakes/fake-deps.ts';
import { manifestOf } from './harness/manifests.ts';
import { outcomeOf } from './harness/outcome-of.ts';
import { key, Pipeline } from './harness/pipeline.ts';
import { StateFault } from './harness/state-machines.ts';

const small = manifestOf([{ compute: { work: 2 } }]);
const large = manifestOf([{ compute: { work: 2, more: 2 } }]);
const throttled = () => Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' });

/** Whether a build of an earlier waypoint runs whenever a stage does. */
function watchStarts(pipeline: Pipeline): { readonly alongside: string[] } {
  const { builds } = pipeline.deps;
  const alongside: string[] = [];
  const build = pipeline.runner.build.bind(pipeline.runner);
  pipeline.runner.build = async (request) => {
    alongside.push(...[...builds.runningBuilds.values()].flat());
    return build(request);
  };
  return { alongside };
}

/** A run whose execution was aborted while this build of it was at work, and whose end no one has handled. */
async function interruptedRun(pipeline: Pipeline, build = 'terraform:left'): Promise<{ readonly prefix: string }> {
  let prefix = '';
  pipeline.runner.trouble('infrastructure', async () => {
    prefix = String((await pipeline.cluster()).waypointPrefix);
    pipeline.deps.builds.runningBuilds.set(prefix, [build]);
    pipeline.machines.abortAll();
  });
  const { runId } = await pipeline.submit(small);
  const { status } = await pipeline.machines.run('reconcile-manifest', key, runId);
  pipeline.deps.workflows.started.length = 0;
  pipeline.deps.workflows.statuses.set(executionArn(runId), status);
  return { prefix };
}

describe('builds of a run that ended', () => {
  it('the scheduler starts no run next to a build of the one before: it asks the runner to stop, then stops the build', async () => {
    const pipeline = new Pipeline();
    const { builds, artifacts, clock } = pipeline.deps;
    const { prefix } = await interruptedRun(pipeline);
    const { alongside } = watchStarts(pipeline);

    clock.advance(301);
    expect(await pipeline.invoke('tick', {})).toMatchObject({ care: ['leftAlone'] });
    expect(await artifacts.getText(waypointKeys.stop(prefix))).toContain('"reason":"cancelled"');
    expect(builds.stopped).toEqual([]);

    builds.endsAfterStops = 2;
    clock.advance(301);
    expect(await pipeline.invoke('tick', {})).toMatchObject({ care: ['leftAlone'] });
    clock.advance(301);
    expect(await pipeline.invoke('tick', {})).toMatchObject({ care: ['startedAgain'] });
    expect(builds.stopped).toEqual(['terraform:left', 'terraform:left']);
    await pipeline.settle();
    expect(alongside).toEqual([]);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', lease: null });
  });

  it('no other run takes the lease of a run whose builds do not end, however long that takes', async () => {
    const pipeline = new Pipeline();
    const { builds, clock } = pipeline.deps;
    await interruptedRun(pipeline);
    builds.endsAfterStops = Number.POSITIVE_INFINITY;
    for (let minutes = 0; minutes < 120; minutes += 5) {
      clock.advance(301);
      await pipeline.invoke('tick', {});
    }
    const { alongside } = watchStarts(pipeline);
    pipeline.runner.ran.length = 0;
    await pipeline.submit(large);
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(pipeline.machines.entered).toContain('reconcile-manifest/Left To The Running Run');
    expect({ ran: pipeline.runner.ran, alongside }).toEqual({ ran: [], alongside: [] });
  });

  it('what finishes a run does not free its lease when it cannot see whether a build of it still runs', async () => {
    const pipeline = new Pipeline();
    const { builds, clock } = pipeline.deps;
    const look = builds.running.bind(builds);
    builds.running = () => Promise.reject(throttled());
    pipeline.runner.trouble('infrastructure', async () => {
      builds.runningBuilds.set(String((await pipeline.cluster()).waypointPrefix), ['terraform:left']);
      pipeline.machines.abortAll();
    });
    await pipeline.submit(small);
    expect((await pipeline.settle()).map(({ status }) => status)).toEqual(['ABORTED']);
    expect(pipeline.machines.entered).toContain('finish-run/Left To The Scheduler');
    expect((await pipeline.manifest()).lease).not.toBeNull();

    clock.advance(301);
    await expect(pipeline.invoke('tick', {})).rejects.toMatchObject({ name: 'ServiceUnavailable' });
    expect((await pipeline.manifest()).lease).not.toBeNull();
    builds.running = look;
    builds.runningBuilds.clear();
    expect(await pipeline.invoke('tick', {})).toMatchObject({ care: ['startedAgain'] });
    await pipeline.settle();
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', lease: null });
  });
});

describe('undos of a run that ended', () => {
  /** A grow that is being undone, also after a cancel, when its run is aborted. Where requests to stop are then, and what was stopped. */
  async function interruptedUndo(
    cancelled: boolean,
  ): Promise<{ readonly requests: Record<string, string>; stopped: readonly string[] }> {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    const { builds, artifacts, clock } = pipeline.deps;
    let prefix = '';
    pipeline.runner.trouble(
      'kubernetes',
      async () => {
        if (cancelled) await pipeline.call('/cancel');
        return 'stopped';
      },
      { times: 9 },
    );
    pipeline.runner.trouble(
      'infrastructure',
      async () => {
        prefix = String((await pipeline.cluster()).waypointPrefix);
        builds.runningBuilds.set(prefix, ['terraform:undo']);
        // Longer than a runner has to obey an older request.
        clock.advance(300);
        pipeline.machines.abortAll();
      },
      { mode: 'undo' },
    );
    const requests: Record<string, string> = {};
    pipeline.before.set('stop-builds', async () => {
      for (const place of [prefix, `${prefix}/undo`]) {
        const request = await artifacts.getText(waypointKeys.stop(place));
        if (request !== undefined) requests[place.slice(prefix.length)] = request;
      }
      if (requests['/undo'] !== undefined) builds.runningBuilds.clear();
    });
    await pipeline.submit(large);
    await pipeline.settle();
    return { requests, stopped: builds.stopped };
  }

  it.each([false, true])(
    'an undo of an interrupted run is asked to stop, and not killed (cancelled before: %s)',
    async (cancelled) => {
      const { requests, stopped } = await interruptedUndo(cancelled);
      expect(requests['/undo']).toContain('"reason":"cancelled"');
      expect(stopped).toEqual([]);
    },
  );
});

describe('builds of a stage that ended without them', () => {
  /** A cluster of three nodes, and a grow whose stage kubernetes gets no answer while its build runs on. */
  async function growing(): Promise<Pipeline> {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    pipeline.runner.trouble('kubernetes', async () => {
      pipeline.deps.builds.runningBuilds.set(String((await pipeline.cluster()).waypointPrefix), ['kubeone:late']);
      throw new StateFault('States.Timeout', 'late');
    });
    await pipeline.submit(large);
    pipeline.runner.ran.length = 0;
    return pipeline;
  }

  /** How often a function is called. */
  function countCalls(pipeline: Pipeline, name: string): { calls: number } {
    const counted = { calls: 0 };
    pipeline.before.set(name, () => {
      counted.calls += 1;
    });
    return counted;
  }

  const forward = ['infrastructure', 'configuration', 'kubernetes'];

  it('a stage whose build does not end is neither retried nor undone: the cluster needs attention, and says which build', async () => {
    const pipeline = await growing();
    pipeline.deps.builds.endsAfterStops = Number.POSITIVE_INFINITY;
    expect(await pipeline.settle()).toMatchObject([{ status: 'FAILED', error: 'BuildStillRuns' }]);
    expect(pipeline.runner.ran).toEqual(forward);
    const { status, attempted, failure } = await pipeline.cluster();
    expect({ status, class: failure?.class, stage: failure?.stage }).toEqual({
      status: 'NeedsAttention',
      class: 'stuck',
      stage: 'kubernetes',
    });
    expect(attempted).not.toBeNull();
    expect(failure?.message).toContain('kubeone:late');
    expect(failure?.message.match(/has not ended/g)).toHaveLength(1);
    expect(failure?.hint).toContain('aws codebuild stop-build --id');
    expect(failure?.hint).toContain('kubeloom retry shop');
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', lease: null, dueAt: expect.any(String) });
  });

  it.each([
    ['that CodeBuild does not name for an hour', throttled],
    ['that Kubeloom fails to look for', () => new TypeError('no fault of a service')],
  ])('a stage with a build %s is neither retried nor undone', async (_, fault) => {
    const pipeline = await growing();
    pipeline.deps.builds.running = () => Promise.reject(fault());
    await pipeline.settle();
    expect(pipeline.runner.ran).toEqual(forward);
    expect(await pipeline.cluster()).toMatchObject({
      status: 'NeedsAttention',
      failure: { class: 'stuck', code: 'BuildStillRuns', stage: 'kubernetes' },
    });
  });

  it('a build that CodeBuild does not name is looked for as long as one that runs is waited for', async () => {
    const pipeline = await growing();
    const looks = countCalls(pipeline, 'stop-builds');
    pipeline.deps.builds.running = async () => {
      if (looks.calls < 300) throw throttled();
      return [];
    };
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(looks.calls).toBe(300);
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', failure: null });
  });

  it('a retry of a cluster whose build did not end starts nothing before it has ended', async () => {
    const pipeline = await growing();
    const { builds, clock } = pipeline.deps;
    builds.endsAfterStops = Number.POSITIVE_INFINITY;
    await pipeline.settle();
    const { alongside } = watchStarts(pipeline);

    await pipeline.retry();
    pipeline.runner.ran.length = 0;
    expect(await pipeline.settle()).toMatchObject([{ status: 'FAILED', error: 'BuildStillRuns' }]);
    expect(pipeline.runner.ran).toEqual([]);
    expect(await pipeline.cluster()).toMatchObject({ status: 'NeedsAttention', failure: { class: 'stuck' } });

    builds.endsAfterStops = 1;
    pipeline.before.set('stop-builds', () => clock.advance(100));
    await pipeline.retry();
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(alongside).toEqual([]);
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', failure: null });
    expect(await pipeline.nodes()).toHaveLength(5);
  });

  it('an undo whose build does not end leaves the cluster in NeedsAttention, and says what had failed before', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    const { builds } = pipeline.deps;
    builds.endsAfterStops = Number.POSITIVE_INFINITY;
    pipeline.runner.trouble('kubernetes', 'user');
    pipeline.runner.trouble(
      'infrastructure',
      async () => {
        builds.runningBuilds.set(String((await pipeline.cluster()).waypointPrefix), ['terraform:undo']);
        throw new StateFault('States.Timeout', 'late');
      },
      { mode: 'undo' },
    );
    await pipeline.submit(large);
    await pipeline.settle();
    const { status, failure } = await pipeline.cluster();
    expect({ status, class: failure?.class }).toEqual({ status: 'NeedsAttention', class: 'stuck' });
    expect(outcomeOf(failure)).toMatch(/before that it had failed with ToolFailed/i);
  });

  it('a run starts nothing next to a build of one that lost its lease without an end', async () => {
    const pipeline = new Pipeline();
    const { builds, clock } = pipeline.deps;
    await interruptedRun(pipeline);
    const { alongside } = watchStarts(pipeline);
    // No tick for more than an hour: the lease expires, and a newer run takes it.
    clock.advance(4000);
    pipeline.before.set('stop-builds', () => clock.advance(100));
    await pipeline.submit(large);
    expect((await pipeline.settle()).at(-1)).toEqual({ status: 'SUCCEEDED' });
    expect({ alongside, stopped: builds.stopped }).toEqual({ alongside: [], stopped: ['terraform:left'] });
    expect(pipeline.machines.entered).toContain('reconcile-cluster/Stop Builds');
  });

  it('a run that lost its lease stops no build of the newer run', async () => {
    const pipeline = new Pipeline();
    await interruptedRun(pipeline);
    const record = await pipeline.cluster();
    const { namespace, name, runId, generation, attempt } = await pipeline.manifest();
    const run = { namespace, name, runId, generation, attempt, fence: record.fence - 1, cluster: record.cluster };
    await expect(pipeline.invoke('stop-builds', { run })).rejects.toMatchObject({ name: 'LeaseLost' });
    expect(await pipeline.deps.artifacts.getText(waypointKeys.stop(String(record.waypointPrefix)))).toBeUndefined();
  });
});
