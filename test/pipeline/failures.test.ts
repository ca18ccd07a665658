/** Tools that fail: what is retried in place, what is undone, what waits for a person, and that nothing is lost. */
import { describe, expect, it } from 'vitest';
import { waypointKeys } from '#contracts/stage.ts';
import type { StageName } from '#domain/plan.ts';
import { manifestOf } from './harness/manifests.ts';
import { outcomeOf } from './harness/outcome-of.ts';
import { Pipeline } from './harness/pipeline.ts';
import { StateFault } from './harness/state-machines.ts';

const small = manifestOf([{ compute: { work: 2 } }]);
const large = manifestOf([{ compute: { work: 2, more: 2 } }]);

async function existing(environment: Readonly<Record<string, string>> = {}): Promise<Pipeline> {
  const pipeline = new Pipeline(environment);
  await pipeline.apply(small);
  pipeline.runner.ran.length = 0;
  return pipeline;
}

describe('stages that fail', () => {
  it('a failed stage is retried in place when the fault may pass, and the run continues', async () => {
    const pipeline = await existing();
    pipeline.runner.trouble('configuration', 'transient');
    expect(await pipeline.apply(large)).toEqual({ status: 'SUCCEEDED' });
    expect(pipeline.runner.ran.filter((stage) => stage === 'configuration')).toHaveLength(2);
    const kinds = (await pipeline.events()).map(({ kind }) => kind);
    expect(kinds).toContain('StageRetried');
    expect(kinds).not.toContain('StageFailed');
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', failure: null });
  });

  it('a stage that keeps failing fails for good after the configured number of tries', async () => {
    const pipeline = await existing({ KUBELOOM_MAX_STAGE_ATTEMPTS: '2' });
    pipeline.runner.trouble('configuration', 'transient', { times: 9 });
    expect(await pipeline.apply(large)).toMatchObject({ status: 'FAILED' });
    expect(pipeline.runner.ran.filter((stage) => stage === 'configuration')).toHaveLength(2);
    expect((await pipeline.cluster()).failure?.attemptPrefix).toMatch(/\/configuration\/2$/);
  });

  it('a stage whose container left no result is tried once more, then counts as our bug', async () => {
    const pipeline = await existing();
    pipeline.runner.trouble('nodes', 'kill');
    expect(await pipeline.apply(large)).toEqual({ status: 'SUCCEEDED' });

    const other = await existing();
    other.runner.trouble('nodes', 'garbled', { times: 2 });
    expect(await other.apply(large)).toMatchObject({ status: 'FAILED' });
    const { failure } = await other.cluster();
    expect(failure).toMatchObject({ class: 'bug', code: 'RunnerLost', stage: 'nodes' });
    expect(failure?.message).toContain('the build ended FAILED');
    expect(failure?.hint).toContain('kubeloom logs shop-a0001-g2-a1 --stage nodes');
  });
});

describe('builds that take too long', () => {
  it('a build that takes longer than its state waits is asked to stop, then stopped, before the stage is retried', async () => {
    const pipeline = await existing();
    const { builds, clock } = pipeline.deps;
    pipeline.before.set('stop-builds', () => clock.advance(100));
    pipeline.runner.trouble('infrastructure', () => {
      builds.runningBuilds.set(pipeline.runner.prefixes.at(-1) ?? '', ['terraform:late']);
      builds.endsAfterStops = 3;
      throw new StateFault('States.Timeout', 'its time was up');
    });
    const runningAtRetry: unknown[] = [];
    pipeline.runner.trouble('infrastructure', () => runningAtRetry.push(...[...builds.runningBuilds.values()].flat()));
    expect(await pipeline.apply(large)).toEqual({ status: 'SUCCEEDED' });
    expect(builds.stopped).toEqual(['terraform:late', 'terraform:late', 'terraform:late']);
    expect(runningAtRetry).toEqual([]);
    expect(pipeline.runner.ran.filter((stage) => stage === 'infrastructure')).toHaveLength(2);
    expect(pipeline.machines.entered).toContain('run-stage/Stop Builds');
  });

  it('a build whose runner obeys when it is asked to stop is not stopped from outside', async () => {
    const pipeline = await existing();
    const { builds, artifacts } = pipeline.deps;
    const place = () => `${pipeline.runner.prefixes.at(-1)}/infrastructure/1`;
    pipeline.runner.trouble('infrastructure', () => {
      builds.runningBuilds.set(pipeline.runner.prefixes.at(-1) ?? '', ['terraform:late']);
      throw new StateFault('States.Timeout', 'its time was up');
    });
    const asked: (string | undefined)[] = [];
    pipeline.before.set('stop-builds', async () => {
      asked.push(await artifacts.getText(waypointKeys.stop(place())));
      if (asked.length > 1) builds.runningBuilds.clear();
    });
    expect(await pipeline.apply(large)).toEqual({ status: 'SUCCEEDED' });
    expect(asked).toEqual([undefined, expect.stringContaining('"reason":"late"')]);
    expect(builds.stopped).toEqual([]);
  });
});

describe('grows that fail for good', () => {
  it('a failed grow of a new cluster leaves neither a kubeconfig nor a backup of its CA', async () => {
    const pipeline = new Pipeline();
    pipeline.runner.trouble('nodes', 'user');
    expect(await pipeline.apply(small)).toMatchObject({ status: 'FAILED' });
    expect(await pipeline.cluster()).toMatchObject({ status: 'RolledBack', current: null });
    expect(await pipeline.deps.artifacts.list('kubeconfigs/')).toEqual([]);
    expect(await pipeline.deps.artifacts.list('pki/')).toEqual([]);
  });

  it('a failed grow keeps the kubeconfig of a cluster that existed before', async () => {
    const pipeline = await existing();
    pipeline.runner.trouble('nodes', 'user');
    expect(await pipeline.apply(large)).toMatchObject({ status: 'FAILED' });
    expect(await pipeline.deps.artifacts.list('kubeconfigs/')).toHaveLength(2);
    expect(await pipeline.deps.artifacts.list('pki/')).toHaveLength(1);
  });

  const rungs: readonly (readonly [StageName, readonly string[]])[] = [
    ['infrastructure', ['infrastructure-undo']],
    ['configuration', ['configuration-undo', 'infrastructure-undo']],
    ['kubernetes', ['nodes-undo', 'configuration-undo', 'infrastructure-undo']],
    ['nodes', ['nodes-undo', 'configuration-undo', 'infrastructure-undo']],
  ];

  for (const [stage, undone] of rungs) {
    it(`a grow that fails at ${stage} is undone rung by rung, and everything is as before`, async () => {
      const pipeline = await existing();
      const nodes = await pipeline.nodes();
      const before = await pipeline.cluster();
      pipeline.runner.trouble(stage, 'quota');
      expect(await pipeline.apply(large)).toMatchObject({ status: 'FAILED', error: 'ToolFailed' });

      expect(pipeline.runner.ran.filter((ran) => ran.endsWith('-undo'))).toEqual(undone);
      expect(await pipeline.nodes()).toEqual(nodes);
      const after = await pipeline.cluster();
      expect(after).toMatchObject({ status: 'RolledBack', current: before.current, attempted: null });
      expect(Object.keys(after.facts.nodes).sort()).toEqual(nodes);
      expect(after.failure).toMatchObject({ class: 'quota', stage, hint: 'read the log' });
      expect(outcomeOf(after.failure)).toMatch(
        /^The grow was undone: .*removed again, the 3 other nodes are as before/,
      );
      expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', lease: null });
      expect((await pipeline.runs())[0]).toMatchObject({ status: 'Failed' });
    });

    it(`a grow that failed at ${stage} succeeds when it is retried without the fault`, async () => {
      const pipeline = await existing();
      pipeline.runner.trouble(stage, 'credentials');
      await pipeline.apply(large);
      await pipeline.retry();
      expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
      expect(await pipeline.nodes()).toHaveLength(5);
      expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', failure: null });
    });
  }

  it('a first grow that fails leaves nothing of the cluster', async () => {
    const pipeline = new Pipeline();
    pipeline.runner.trouble('kubernetes', 'user');
    expect(await pipeline.apply(small)).toMatchObject({ status: 'FAILED' });
    expect(await pipeline.nodes()).toEqual([]);
    expect(await pipeline.cluster()).toMatchObject({ status: 'RolledBack', current: null, attempted: null });
    expect((await pipeline.cluster()).facts.nodes).toEqual({});
    expect(outcomeOf((await pipeline.cluster()).failure)).toContain('nothing is left of the cluster');
  });

  it('a cluster whose grow failed can be deleted', async () => {
    const pipeline = new Pipeline();
    pipeline.runner.trouble('kubernetes', 'user');
    await pipeline.apply(small);
    await pipeline.submit(small, true);
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(await pipeline.clusters()).toEqual([]);
  });

  it('an undo that fails leaves the cluster in NeedsAttention and forgets nothing that may exist', async () => {
    const pipeline = await existing();
    pipeline.runner.trouble('nodes', 'user');
    pipeline.runner.trouble('configuration', 'bug', { mode: 'undo' });
    expect(await pipeline.apply(large)).toMatchObject({ status: 'FAILED' });
    const stuck = await pipeline.cluster();
    expect(stuck.status).toBe('NeedsAttention');
    expect(stuck.attempted).not.toBeNull();
    expect(stuck.failure).toMatchObject({ stage: 'configuration', class: 'bug' });
    expect(outcomeOf(stuck.failure)).toMatch(/the stage to undo had failed with ToolFailed/);
    expect(await pipeline.nodes()).toHaveLength(5);

    await pipeline.apply(small);
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', attempted: null, failure: null });
    expect(await pipeline.nodes()).toHaveLength(3);
  });
});

describe('forward-only directions', () => {
  it('a forward-only waypoint stops for a person when a retry would not help', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(large);
    pipeline.runner.ran.length = 0;
    pipeline.runner.trouble('infrastructure', 'credentials');
    expect(await pipeline.apply(small)).toMatchObject({ status: 'FAILED' });
    expect(pipeline.runner.ran.filter((ran) => ran.endsWith('-undo'))).toEqual([]);
    const stuck = await pipeline.cluster();
    expect(stuck).toMatchObject({
      status: 'NeedsAttention',
      failure: { class: 'credentials', stage: 'infrastructure' },
    });
    expect(outcomeOf(stuck.failure)).toContain('the credentials do not work');

    await pipeline.retry();
    await pipeline.settle();
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', failure: null });
    expect(await pipeline.nodes()).toHaveLength(3);
  });

  it('a forward-only waypoint pauses and plans again while a fault may pass', async () => {
    const pipeline = new Pipeline({ KUBELOOM_MAX_STAGE_ATTEMPTS: '1' });
    await pipeline.apply(large);
    pipeline.runner.trouble('nodes', 'transient', { times: 2 });
    expect(await pipeline.apply(small)).toEqual({ status: 'SUCCEEDED' });
    expect(pipeline.machines.entered.filter((state) => state === 'reconcile-cluster/Back Off')).toHaveLength(2);
    const { progress } = await pipeline.cluster();
    expect(progress).toMatchObject({ waypoint: 1, waypoints: 1 });
  });

  it('a forward-only waypoint fails after a bounded number of pauses, each longer than the last', async () => {
    const pipeline = new Pipeline({ KUBELOOM_BACK_OFF_SECONDS: '5', KUBELOOM_MAX_BACK_OFFS: '3' });
    await pipeline.apply(large);
    const pauses: number[] = [];
    const invoke = pipeline.invoke.bind(pipeline);
    pipeline.invoke = async (name, input) => {
      const output = await invoke(name, input);
      if (name === 'assess-failure') pauses.push((output as { pauseSeconds: number }).pauseSeconds);
      return output;
    };
    pipeline.runner.trouble('nodes', 'capacity', { times: 99 });
    expect(await pipeline.apply(small)).toMatchObject({ status: 'FAILED' });
    expect(pauses).toEqual([5, 10, 20, 0]);
    expect(await pipeline.cluster()).toMatchObject({ status: 'NeedsAttention' });
  });
});

describe('refused plans', () => {
  it('a refused plan changes nothing and says why', async () => {
    const pipeline = await existing();
    const before = await pipeline.cluster();
    expect(await pipeline.apply(manifestOf([{ version: '1.30.0' }]))).toMatchObject({ status: 'FAILED' });
    const after = await pipeline.cluster();
    expect(after).toMatchObject({ status: 'NeedsAttention', current: before.current, attempted: null });
    expect(after.failure).toMatchObject({ class: 'user', code: 'PlanRefused' });
    expect(pipeline.runner.ran).toEqual([]);

    await pipeline.apply(small);
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', failure: null });
  });
});

describe('several clusters', () => {
  it('other clusters continue when one of them fails', async () => {
    const pipeline = new Pipeline();
    const both = manifestOf([{ name: 'web' }, { name: 'data' }]);
    pipeline.runner.trouble('kubernetes', 'user');
    expect(await pipeline.apply(both)).toMatchObject({ status: 'FAILED' });
    const statuses = (await pipeline.clusters()).map(({ status }) => status).sort();
    expect(statuses).toEqual(['Converged', 'RolledBack']);
    const [run] = await pipeline.runs();
    expect(
      Object.values(run?.clusters ?? {})
        .map(({ status }) => status)
        .sort(),
    ).toEqual(statuses);

    await pipeline.retry();
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect((await pipeline.clusters()).map(({ status }) => status)).toEqual(['Converged', 'Converged']);
  });
});
