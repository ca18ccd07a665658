/** Builds that no one waits for any more: nothing starts next to one, whatever ended the run or the stage that started it. */
import { describe, expect, it } from 'vitest';
import { waypointKeys } from '#contracts/stage.ts';
import { executionArn } from '#test/fakes/fake-deps.ts';
import { manifestOf } from './harness/manifests.ts';
import { key, Pipeline } from './harness/pipeline.ts';

const small = manifestOf([{ compute: { work: 2 } }]);
const large = manifestOf([{ compute: { work: 2, more: 2 } }]);
const throttled = () => Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' });

/** Whether a build of an earlier waypoint runs whenever a stage does. */
function watchStarts(pipeline: Pipeline): { readonly besides: string[] } {
  const { builds } = pipeline.deps;
  const besides: string[] = [];
  const build = pipeline.runner.build.bind(pipeline.runner);
  pipeline.runner.build = async (request) => {
    besides.push(...[...builds.runningBuilds.values()].flat());
    return build(request);
  };
  return { besides };
}

/** A run whose execution was aborted while this build of it was at work, and whose end no one has handled. */
async function cutOff(pipeline: Pipeline, build = 'terraform:left'): Promise<{ readonly prefix: string }> {
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
    const { prefix } = await cutOff(pipeline);
    const { besides } = watchStarts(pipeline);

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
    expect(besides).toEqual([]);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', lease: null });
  });

  it('no other run takes the lease of a run whose builds do not end, however long that takes', async () => {
    const pipeline = new Pipeline();
    const { builds, clock } = pipeline.deps;
    await cutOff(pipeline);
    builds.endsAfterStops = Number.POSITIVE_INFINITY;
    for (let minutes = 0; minutes < 120; minutes += 5) {
      clock.advance(301);
      await pipeline.invoke('tick', {});
    }
    const { besides } = watchStarts(pipeline);
    pipeline.runner.ran.length = 0;
    await pipeline.submit(large);
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(pipeline.machines.entered).toContain('reconcile-manifest/Left To The Running Run');
    expect({ ran: pipeline.runner.ran, besides }).toEqual({ ran: [], besides: [] });
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
