/** Nodes that a label or a disruption budget holds: the waypoint pauses, visibly and for a bounded time, and is no failure. */
import { describe, expect, it } from 'vitest';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';

const small = manifestOf([{ compute: { work: 2 } }]);
const large = manifestOf([{ compute: { work: 2, more: 1 } }]);
const held = { held: [{ node: 'web-more-1', because: 'held by the label kubeloom.dev/upgrade-lock' }] };
const pause = 'reconcile-cluster/Wait For Nodes';

/** A cluster that loses a pool; the clock of its functions advances by half a minute before each plan. */
async function shrinking(times: number, during: (plans: number, pipeline: Pipeline) => unknown = () => undefined) {
  const pipeline = new Pipeline({ KUBELOOM_BACK_OFF_SECONDS: '30' });
  await pipeline.apply(large);
  pipeline.runner.ran.length = 0;
  pipeline.runner.trouble('nodes', held, { times });
  let plans = 0;
  pipeline.before.set('plan-cluster', async () => {
    pipeline.deps.clock.advance(30);
    await during(++plans, pipeline);
  });
  return pipeline;
}
const triesOf = (pipeline: Pipeline) => pipeline.runner.ran.filter((stage) => stage === 'nodes').length;
const eventsOf = async (pipeline: Pipeline, ...kinds: readonly string[]) =>
  (await pipeline.events()).filter(({ kind }) => kinds.includes(kind));

describe('a shrink whose node is held', () => {
  it('the run pauses and continues when the node is free: one event says which node, what holds it, and since when', async () => {
    const statuses = new Set<string>();
    const pipeline = await shrinking(3, async (plans, running) => {
      if (plans > 1) statuses.add((await running.cluster()).status);
    });
    expect(await pipeline.apply(small)).toEqual({ status: 'SUCCEEDED' });
    expect(triesOf(pipeline)).toBe(4);
    expect(pipeline.machines.entered.filter((state) => state === pause).length).toBeGreaterThan(3);
    expect(statuses).toContain('BackingOff');
    const [event, ...more] = await eventsOf(pipeline, 'WaitsForNodes');
    expect(more).toEqual([]);
    expect(event).toMatchObject({ node: 'web-more-1', level: 'warning' });
    expect(event?.message).toMatch(
      /^web-more-1: held by the label kubeloom.dev\/upgrade-lock, since 2026-.*; the shrink waits for nodes that are held, for 2 h at most$/,
    );
    expect(await eventsOf(pipeline, 'StageFailed', 'StageRetried', 'BackedOff', 'NeedsAttention')).toEqual([]);
    const record = await pipeline.cluster();
    expect(record).toMatchObject({ status: 'Converged', failure: null });
    expect(record).not.toHaveProperty('nodeWait');
  });

  it('the runner knows since when it waits', async () => {
    const pipeline = await shrinking(2);
    await pipeline.apply(small);
    const since = pipeline.runner.documents
      .filter(({ direction }) => direction === 'shrink')
      .map(({ waitsSince }) => waitsSince?.['web-more-1']);
    expect(since[0]).toBeUndefined();
    expect(new Set(since.filter((one) => one !== undefined)).size).toBe(1);
  });

  it('the pauses grow, and after two hours the run stops and is retried later', async () => {
    const pipeline = await shrinking(9999);
    expect(await pipeline.apply(small)).toMatchObject({ status: 'FAILED' });
    expect(triesOf(pipeline)).toBeLessThan(40);
    expect(await pipeline.cluster()).toMatchObject({ status: 'NeedsAttention', failure: { code: 'NodeLocked' } });
    const [ended] = await eventsOf(pipeline, 'RetriesEnded');
    expect(ended?.message).toBe('the shrink stops: it has waited 2 h for nodes that are held');
    expect(await eventsOf(pipeline, 'RetryScheduled')).toHaveLength(1);
    // A retry waits from its own start on.
    await pipeline.retry();
    pipeline.runner.ran.length = 0;
    await pipeline.settle();
    expect(triesOf(pipeline)).toBeGreaterThan(10);
  });

  it('a cancel ends the pause within its 30 seconds', async () => {
    const pipeline = await shrinking(9999, async (plans, running) => {
      // In the long pauses: the stage is not to be tried before the cancel is noticed.
      if (plans === 8) expect((await running.call('/cancel')).status).toBe(202);
    });
    expect(await pipeline.apply(small)).toMatchObject({ status: 'FAILED' });
    const tries = triesOf(pipeline);
    const { failure, attempted } = await pipeline.cluster();
    expect(failure).toMatchObject({ code: 'Cancelled', message: expect.stringContaining('NodeLocked') });
    expect(attempted).not.toBeNull();
    expect(tries).toBeLessThan(8);
    const plans = pipeline.machines.entered.filter((state) => state === 'reconcile-cluster/Plan Cluster');
    expect(pipeline.machines.entered.lastIndexOf(pause)).toBeLessThan(
      pipeline.machines.entered.lastIndexOf(plans[0] ?? ''),
    );
  });

  it('a changed manifest is taken up during the pause', async () => {
    // After four tries the pause is two minutes.
    let changedAt = Number.NaN;
    const pipeline = await shrinking(4, async (plans, running) => {
      if (plans !== 6) return;
      changedAt = running.deps.clock.now().getTime();
      await running.submit(large);
    });
    await pipeline.submit(small);
    await pipeline.settle();
    // It was not to be compared again for another minute and a half.
    const [planned] = (await eventsOf(pipeline, 'WaypointStarted')).filter(({ runId }) => runId.includes('-g3-'));
    expect(Date.parse(planned?.at ?? '') - changedAt).toBeLessThan(60_000);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', generation: 3 });
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged' });
    expect(await pipeline.nodes()).toHaveLength(4);
  });
});

describe('a rollback whose node is held', () => {
  it('a rollback does not wait: it needs attention', async () => {
    const pipeline = new Pipeline({ KUBELOOM_BACK_OFF_SECONDS: '30' });
    await pipeline.apply(small);
    pipeline.runner.trouble('nodes', 'user');
    pipeline.runner.trouble('nodes', held, { mode: 'undo', times: 9 });
    expect(await pipeline.apply(large)).toMatchObject({ status: 'FAILED' });
    expect(pipeline.machines.entered).not.toContain(pause);
    expect(await pipeline.cluster()).toMatchObject({ status: 'NeedsAttention' });
  });
});
