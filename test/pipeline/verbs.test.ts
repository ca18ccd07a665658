/** retry, cancel and rollback: asked of the real API, done by the real state machines. */
import { describe, expect, it } from 'vitest';
import { manifestOf } from './harness/manifests.ts';
import { outcomeOf } from './harness/outcome-of.ts';
import { key, Pipeline } from './harness/pipeline.ts';

const small = manifestOf([{ compute: { work: 2 } }]);
const large = manifestOf([{ compute: { work: 2, more: 2 } }]);
const other = manifestOf([{ compute: { work: 3 } }]);

async function existing(document = small): Promise<Pipeline> {
  const pipeline = new Pipeline();
  await pipeline.apply(document);
  pipeline.runner.ran.length = 0;
  return pipeline;
}

const runsOf = async (pipeline: Pipeline): Promise<readonly string[]> =>
  (await pipeline.runs()).map(({ runId, status }) => `${runId.slice(-5)} ${status}`);

describe('retry', () => {
  it('a retry starts the next attempt of the same generation and records the reason', async () => {
    const pipeline = await existing();
    pipeline.runner.trouble('kubernetes', 'quota');
    await pipeline.apply(large);
    const answer = await pipeline.call('/retry');
    expect(answer).toMatchObject({ status: 202, json: { generation: 2, attempt: 2, unchanged: false, paused: false } });
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect((await pipeline.runs())[0]).toMatchObject({ reason: 'retry', status: 'Succeeded' });
    expect(await pipeline.nodes()).toHaveLength(5);
  });

  it('a retry of a forward-only waypoint repeats no stage that succeeded', async () => {
    const pipeline = await existing(large);
    pipeline.runner.trouble('infrastructure', 'credentials');
    await pipeline.apply(small);
    expect(pipeline.runner.ran).toEqual(['nodes', 'configuration', 'infrastructure']);
    await pipeline.call('/retry');
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(pipeline.runner.ran.slice(3)).toEqual(['infrastructure']);
    expect(await pipeline.nodes()).toHaveLength(3);
    const reported = (await pipeline.events())
      .filter(({ kind }) => kind === 'PlanExplained')
      .map(({ message }) => message);
    expect(reported.at(-1)).toBe('nodes and configuration succeeded before and are not repeated');
    expect((await pipeline.cluster()).progress).toMatchObject({ step: 1, steps: 1 });
    expect((await pipeline.cluster()).doneStages).toBeUndefined();
  });

  it('a retry from a stage repeats that stage and the ones after it', async () => {
    const pipeline = await existing(large);
    pipeline.runner.trouble('infrastructure', 'credentials');
    await pipeline.apply(small);
    const answer = await pipeline.call('/retry', { body: { from: 'configuration' } });
    expect(answer.status).toBe(202);
    await pipeline.settle();
    expect(pipeline.runner.ran.slice(3)).toEqual(['configuration', 'infrastructure']);
    expect((await pipeline.runs())[0]?.reason).toBe('retry from configuration');
  });

  it('a retry with a different target repeats all stages', async () => {
    const pipeline = await existing(large);
    pipeline.runner.trouble('infrastructure', 'credentials');
    await pipeline.apply(small);
    await pipeline.apply(manifestOf([{ compute: { work: 1 } }]));
    expect(pipeline.runner.ran.slice(3)).toEqual(['nodes', 'configuration', 'infrastructure']);
  });

  it('a retry of a manifest that is Done, running or paused, or from an unknown stage, is refused', async () => {
    const pipeline = await existing();
    expect(await pipeline.call('/retry')).toMatchObject({ status: 409, json: { code: 'VerbRefused' } });
    pipeline.runner.trouble('kubernetes', async () => {
      const answer = await pipeline.call('/retry');
      expect(answer.status).toBe(409);
      expect(answer.json.detail).toContain('a run is in progress');
    });
    await pipeline.apply(large);
    expect((await pipeline.call('/retry', { body: { from: 'nowhere' } })).status).toBe(400);
    await pipeline.call('/pause');
    expect((await pipeline.call('/retry')).json.detail).toContain('resume it first');
  });
});

describe('cancel', () => {
  it('a cancel of a grow stops the running tool, undoes everything and starts nothing again', async () => {
    const pipeline = await existing();
    const nodes = await pipeline.nodes();
    pipeline.runner.trouble('configuration', async () => {
      const { waypointPrefix } = await pipeline.cluster();
      const answer = await pipeline.call('/cancel');
      expect(answer).toMatchObject({ status: 202, json: { generation: 2, attempt: 1 } });
      expect(await pipeline.deps.artifacts.getText(`${waypointPrefix}/stop.json`)).toContain('"reason":"cancelled"');
      expect((await pipeline.call('/cancel')).json.detail).toContain('already being cancelled');
      return 'stopped';
    });
    await pipeline.submit(large);
    expect(await pipeline.settle()).toMatchObject([{ status: 'FAILED', error: 'Cancelled' }]);
    expect(await pipeline.nodes()).toEqual(nodes);
    expect(pipeline.runner.ran.filter((ran) => ran === 'configuration')).toHaveLength(1);
    const cluster = await pipeline.cluster();
    expect(cluster).toMatchObject({ status: 'RolledBack', failure: { class: 'user', code: 'Cancelled' } });
    expect(cluster.failure?.message).toBe('The run was cancelled while configuration was running.');
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', lease: null });
    expect((await runsOf(pipeline))[0]).toBe('g2-a1 Aborted');
    const kinds = (await pipeline.events()).map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['StageCancelled', 'RolledBack', 'RunCancelled']));
  });

  it('a cancel between two stages takes effect before the next one starts', async () => {
    const pipeline = await existing();
    pipeline.runner.trouble('configuration', () => pipeline.call('/cancel'));
    await pipeline.submit(large);
    await pipeline.settle();
    expect(pipeline.runner.ran).not.toContain('kubernetes');
    expect(await pipeline.cluster()).toMatchObject({ status: 'RolledBack', failure: { code: 'Cancelled' } });
    expect(await pipeline.nodes()).toHaveLength(3);
  });

  it('a cancel in the last stage of a waypoint lets it finish, and starts no other waypoint', async () => {
    const pipeline = await existing(large);
    const both = manifestOf([{ compute: { work: 2, fresh: 1 } }]);
    pipeline.runner.trouble('nodes', () => pipeline.call('/cancel'));
    await pipeline.submit(both);
    expect(await pipeline.settle()).toMatchObject([{ status: 'FAILED', error: 'Cancelled' }]);
    const cluster = await pipeline.cluster();
    expect(cluster).toMatchObject({ status: 'NeedsAttention', attempted: null, failure: { code: 'Cancelled' } });
    expect(outcomeOf(cluster.failure)).toMatch(/^What was reached remains/);
    expect(await pipeline.nodes()).toHaveLength(6);
    await pipeline.call('/retry');
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(await pipeline.nodes()).toHaveLength(4);
  });

  it('a cancel of a forward-only waypoint stops it there, and a retry continues from there', async () => {
    const pipeline = await existing(large);
    pipeline.runner.trouble('configuration', async () => {
      await pipeline.call('/cancel');
      return 'stopped';
    });
    await pipeline.submit(small);
    await pipeline.settle();
    const cluster = await pipeline.cluster();
    expect(cluster).toMatchObject({ status: 'NeedsAttention', failure: { code: 'Cancelled', class: 'user' } });
    expect(outcomeOf(cluster.failure)).toContain('it is forward-only');
    expect((await runsOf(pipeline))[0]).toBe('g2-a1 Aborted');
    await pipeline.call('/retry');
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(pipeline.runner.ran).toEqual(['nodes', 'configuration', 'configuration', 'infrastructure']);
  });

  it('a cancelled stage is not retried, even if its fault may pass', async () => {
    const pipeline = await existing();
    pipeline.before.set('collect-result', async () => {
      pipeline.before.delete('collect-result');
      await pipeline.call('/cancel');
    });
    pipeline.runner.trouble('infrastructure', 'transient');
    await pipeline.submit(large);
    await pipeline.settle();
    expect(pipeline.runner.ran).toEqual(['infrastructure', 'infrastructure-undo']);
    expect((await pipeline.cluster()).failure?.message).toContain('Before that it had failed: ToolFailed');
  });

  it('a cancel of a rollback lets the rollback finish', async () => {
    const pipeline = await existing();
    pipeline.runner.trouble('kubernetes', 'user');
    pipeline.runner.trouble('configuration', () => pipeline.call('/cancel'), { mode: 'undo' });
    await pipeline.submit(large);
    await pipeline.settle();
    expect(pipeline.runner.ran.at(-1)).toBe('infrastructure-undo');
    expect(await pipeline.cluster()).toMatchObject({ status: 'RolledBack', failure: { code: 'ToolFailed' } });
  });

  it('a cancel before a run has started anything starts nothing', async () => {
    const pipeline = await existing();
    await pipeline.submit(large);
    await pipeline.call('/cancel');
    expect(await pipeline.settle()).toMatchObject([{ status: 'FAILED' }]);
    expect(pipeline.runner.ran).toEqual([]);
    expect((await runsOf(pipeline))[0]).toBe('g2-a1 Aborted');
  });

  it('a cancel also covers a newer generation that waits, but not one that comes later', async () => {
    const pipeline = await existing();
    pipeline.runner.trouble('configuration', async () => {
      await pipeline.submit(other);
      await pipeline.call('/cancel');
      return 'stopped';
    });
    await pipeline.submit(large);
    await pipeline.settle();
    expect(await pipeline.nodes()).toHaveLength(3);
    expect((await runsOf(pipeline)).slice(0, 2)).toEqual(['g3-a1 Aborted', 'g2-a1 Aborted']);
    expect(await pipeline.apply(large)).toEqual({ status: 'SUCCEEDED' });
  });

  it('a cancel is repeated by the scheduler, which stops builds that do not obey for three minutes', async () => {
    const pipeline = await existing();
    const { builds, clock } = pipeline.deps;
    pipeline.runner.trouble('configuration', async () => {
      await pipeline.call('/cancel');
      const { waypointPrefix } = await pipeline.cluster();
      builds.runningBuilds.set(String(waypointPrefix), ['sim:late']);
      clock.advance(20);
      expect(await pipeline.invoke('tick', {})).toMatchObject({ due: 1, care: ['stopped'] });
      expect(builds.stopped).toEqual([]);
      clock.advance(160);
      expect(await pipeline.invoke('tick', {})).toMatchObject({ due: 1, care: ['stopped'] });
      expect(builds.stopped).toEqual(['sim:late']);
      return 'stopped';
    });
    await pipeline.submit(large);
    await pipeline.settle();
    expect(await pipeline.cluster()).toMatchObject({ status: 'RolledBack' });
  });

  it('a cancelled run is not started again when the platform aborts it', async () => {
    const pipeline = await existing();
    pipeline.runner.trouble('configuration', async () => {
      await pipeline.call('/cancel');
      await pipeline.machines.abortAll();
    });
    await pipeline.submit(large);
    expect((await pipeline.settle()).map(({ status }) => status)).toEqual(['ABORTED']);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', lease: null });
  });

  it('a cancel without an active run is refused', async () => {
    const pipeline = await existing();
    const answer = await pipeline.call('/cancel');
    expect(answer.status).toBe(409);
    expect(answer.json.detail).toContain('no run is in progress');
  });
});

describe('rollback', () => {
  it('a rollback makes the earlier document the next generation and runs it', async () => {
    const pipeline = await existing();
    await pipeline.apply(large);
    expect(await pipeline.call('/rollback')).toMatchObject({ status: 202, json: { generation: 3, attempt: 1 } });
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(await pipeline.nodes()).toHaveLength(3);
    expect((await pipeline.manifest()).document).toEqual(
      await (await pipeline.deps.manifests.generations(key)).at(-1)?.document,
    );
    expect((await pipeline.runs())[0]?.reason).toBe('rolled back to generation 1');
  });

  it('a rollback is validated like any other change', async () => {
    const pipeline = await existing(manifestOf([{ version: '1.35.0' }]));
    await pipeline.apply(manifestOf([{ version: '1.36.0' }]));
    const answer = await pipeline.call('/rollback');
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.json.faults)).toContain('1.36.0');
    expect((await pipeline.manifest()).generation).toBe(2);
  });

  it('a rollback is refused without an earlier document that differs, or during a deletion', async () => {
    const pipeline = await existing();
    expect((await pipeline.call('/rollback')).json.detail).toContain(
      'no earlier generation that differs was successful',
    );
    await pipeline.apply(large);
    await pipeline.submit(large, true);
    expect(await pipeline.call('/rollback')).toMatchObject({ status: 409 });
  });

  it('a rollback from a generation that never worked returns to the one that did', async () => {
    const pipeline = await existing();
    pipeline.runner.trouble('kubernetes', 'user');
    await pipeline.apply(large);
    expect((await pipeline.call('/rollback')).status).toBe(202);
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', failure: null });
  });
});
