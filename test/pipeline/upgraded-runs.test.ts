/** An upgrade of Kubeloom while a run is at work: its later stages have the tools and templates that it began with. */
import { describe, expect, it } from 'vitest';
import type { RunnerRelease } from '#contracts/runner-release.ts';
import { allNodes } from '#domain/cluster-state.ts';
import { fakeConfig } from '#test/fakes/fake-deps.ts';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';
import { StateFault } from './harness/state-machines.ts';

const release = (number: number, contract = 'the same'): RunnerRelease => ({
  contract,
  images: Object.fromEntries(
    ['terraform', 'ansible', 'kubeone', 'kubectl', 'drift'].map((tool) => [tool, `registry/${tool}:release-${number}`]),
  ),
});
const environmentOf = (runners?: RunnerRelease) => ({
  KUBELOOM_RUNNER_RELEASE: runners ? JSON.stringify(runners) : '',
});
const pipelineOf = (runners?: RunnerRelease) => new Pipeline(environmentOf(runners));

/** Functions are replaced: what they read of their environment is new from now on. */
function upgrade(pipeline: Pipeline, runners?: RunnerRelease): void {
  const { KUBELOOM_STAGE_RETRY_SECONDS, KUBELOOM_BACK_OFF_SECONDS } = pipeline.deps.config;
  const same = { KUBELOOM_STAGE_RETRY_SECONDS, KUBELOOM_BACK_OFF_SECONDS };
  Object.assign(pipeline.deps.config, fakeConfig(environmentOf(runners)), same);
}

/** `stage release`, as they ran. */
const walked = ({ runner }: Pipeline) =>
  runner.ran.map((stage, place) => `${stage} ${runner.images[place]?.replace(/.*:/, '')}`);
const releasesOf = (pipeline: Pipeline) => [...new Set(walked(pipeline).map((step) => step.split(' ')[1]))];

const small = manifestOf([{ compute: { work: 2 } }]);
/** Pool `work` goes and pool `more` comes: a grow, then a shrink. */
const exchanged = manifestOf([{ compute: { more: 3 } }]);

describe('an upgrade of Kubeloom in the middle of a run', () => {
  it('the image of each stage is that of its tool', async () => {
    const pipeline = pipelineOf(release(1));
    await pipeline.apply(small);
    expect(pipeline.runner.images).toContain('registry/kubeone:release-1');
    const tools = pipeline.runner.images.map((image) => /\/(\w+):/.exec(image)?.[1]);
    expect(tools).toEqual(['terraform', 'ansible', 'kubeone', 'kubectl']);
    expect(pipeline.machines.entered).not.toContain('run-stage/Run Newest Tool');
  });

  it('the stages of its later waypoints run on the images that the run began with, the next run on new ones', async () => {
    const pipeline = pipelineOf(release(1));
    await pipeline.apply(small);
    pipeline.runner.trouble('kubernetes', () => upgrade(pipeline, release(2)));
    expect(await pipeline.apply(exchanged)).toEqual({ status: 'SUCCEEDED' });
    expect(new Set(pipeline.runner.documents.map(({ direction }) => direction))).toEqual(new Set(['grow', 'shrink']));
    expect(releasesOf(pipeline)).toEqual(['release-1']);
    const before = walked(pipeline).length;
    await pipeline.apply(small);
    expect(
      new Set(
        walked(pipeline)
          .slice(before)
          .map((step) => step.split(' ')[1]),
      ),
    ).toEqual(new Set(['release-2']));
  });

  it('a grow is undone with the modules that made it', async () => {
    const pipeline = pipelineOf(release(1));
    pipeline.runner.trouble('kubernetes', () => upgrade(pipeline, release(2)));
    pipeline.runner.trouble('nodes', 'user');
    await pipeline.apply(small);
    expect(walked(pipeline)).toContain('infrastructure-undo release-1');
    expect(releasesOf(pipeline)).toEqual(['release-1']);
  });

  it('a stage that is retried in place keeps its image', async () => {
    const pipeline = pipelineOf(release(1));
    pipeline.runner.trouble('configuration', () => upgrade(pipeline, release(2)));
    pipeline.runner.trouble('kubernetes', 'transient');
    expect(await pipeline.apply(small)).toEqual({ status: 'SUCCEEDED' });
    expect(walked(pipeline).filter((step) => step === 'kubernetes release-1')).toHaveLength(2);
  });

  it('the repair of a check for drift, and the check after it, run on the images of the check', async () => {
    const pipeline = pipelineOf(release(1));
    await pipeline.apply(small);
    const { current } = await pipeline.cluster();
    const [first] = current ? allNodes(current).filter(({ pool }) => pool.role === 'compute') : [];
    const where = { node: first?.node.name ?? '', pool: 'web-work', provider: 'sim-1' };
    pipeline.runner.drift = [{ kind: 'machine', where, message: 'its machine is gone', repairable: true }];
    pipeline.runner.trouble('drift', () => upgrade(pipeline, release(2)));
    const before = pipeline.runner.ran.length;
    expect((await pipeline.call('/drift', { body: { repair: true } })).status).toBe(202);
    await pipeline.settle();
    const steps = walked(pipeline).slice(before);
    expect(steps.filter((step) => step.startsWith('drift'))).toEqual(['drift release-1', 'drift release-1']);
    expect(steps.length).toBeGreaterThan(2);
    expect(releasesOf(pipeline)).toEqual(['release-1']);
  });

  it('runners that could not read what the new functions write get the new images, from the next waypoint on', async () => {
    const pipeline = pipelineOf(release(1));
    await pipeline.apply(small);
    pipeline.runner.trouble('configuration', () => upgrade(pipeline, release(2, 'another')));
    const first = pipeline.runner.ran.length;
    expect(await pipeline.apply(exchanged)).toEqual({ status: 'SUCCEEDED' });
    const directions = pipeline.runner.documents.slice(first).map(({ direction }) => direction);
    const steps = walked(pipeline).slice(first);
    for (const [place, direction] of directions.entries())
      expect(steps[place]).toMatch(direction === 'grow' ? /release-1$/ : /release-2$/);
    expect(new Set(directions)).toEqual(new Set(['grow', 'shrink']));
  });

  it('a run of a release that noted no images continues, on what the projects name and then on what they name now', async () => {
    const pipeline = pipelineOf();
    await pipeline.apply(small);
    expect(pipeline.runner.images.every((image) => image === '')).toBe(true);
    pipeline.runner.trouble('nodes', () => upgrade(pipeline, release(2)));
    const first = pipeline.runner.ran.length;
    expect(await pipeline.apply(exchanged)).toEqual({ status: 'SUCCEEDED' });
    const later = pipeline.runner.images.slice(first);
    expect(later.slice(0, 4)).toEqual(['', '', '', '']);
    expect(later.at(-1)).toMatch(/release-2$/);
    expect(pipeline.machines.entered).toContain('run-stage/Run Newest Tool');
  });

  it('images that someone deleted from the registry undo nothing, and the failure says what to do', async () => {
    const pipeline = pipelineOf(release(1));
    const gone = () => {
      const Contexts = [{ Message: 'BUILD_CONTAINER_UNABLE_TO_PULL_IMAGE: Unable to pull image' }];
      const Phases = [{ PhaseType: 'PROVISIONING', PhaseStatus: 'CLIENT_ERROR', Contexts }];
      throw new StateFault('States.TaskFailed', JSON.stringify({ Build: { BuildStatus: 'FAILED', Phases } }));
    };
    pipeline.runner.trouble('kubernetes', gone, { times: 99 });
    expect(await pipeline.apply(small)).toMatchObject({ status: 'FAILED' });
    const { failure } = await pipeline.cluster();
    expect(failure).toMatchObject({ class: 'platform', code: 'ImageGone', stage: 'kubernetes' });
    expect(failure?.hint).toContain('kubeloom retry shop');
    expect(pipeline.runner.ran.filter((stage) => stage.endsWith('-undo'))).toEqual([]);
    pipeline.runner.calm();
    await pipeline.retry();
    expect((await pipeline.settle()).at(-1)).toEqual({ status: 'SUCCEEDED' });
  });

  it('going back to a release without images in the middle of a run lets it continue on what the projects name', async () => {
    const pipeline = pipelineOf(release(1));
    await pipeline.apply(small);
    pipeline.runner.trouble('kubernetes', () => upgrade(pipeline));
    expect(await pipeline.apply(exchanged)).toEqual({ status: 'SUCCEEDED' });
    expect(pipeline.runner.images.at(-1)).toBe('');
  });
});
