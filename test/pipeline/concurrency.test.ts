/** Two generations at once, runs that are interrupted, and writers that are too late. */

import { describe, expect, it } from 'vitest';
import { waypointKeys } from '#contracts/stage.ts';
import { executionArn } from '#test/fakes/fake-deps.ts';
import { manifestOf } from './harness/manifests.ts';
import { key, Pipeline } from './harness/pipeline.ts';

const small = manifestOf([{ compute: { work: 2 } }]);
const large = manifestOf([{ compute: { work: 2, more: 2 } }]);

describe('newer generations', () => {
  it('a newer generation during a run is done by that run, and its own execution ends', async () => {
    const pipeline = new Pipeline();
    pipeline.runner.trouble('kubernetes', async () => {
      await pipeline.submit(large);
      expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
      expect(pipeline.machines.entered.at(-1)).toBe('reconcile-manifest/Left To The Running Run');
    });
    await pipeline.submit(small);
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(pipeline.machines.entered.filter((state) => state.endsWith('/Plan Manifest'))).toHaveLength(2);
    expect(await pipeline.nodes()).toHaveLength(5);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', generation: 2, lease: null });
    expect((await pipeline.runs()).map(({ runId, status }) => [runId.slice(-5), status])).toEqual([
      ['g2-a1', 'Succeeded'],
      ['g1-a1', 'Superseded'],
    ]);
  });

  it('a generation that is passed over by a newer one is marked as superseded', async () => {
    const pipeline = new Pipeline();
    const three = manifestOf([{ compute: { work: 1 } }]);
    pipeline.runner.trouble('infrastructure', async () => {
      await pipeline.submit(large);
      await pipeline.submit(three);
      await pipeline.settle();
    });
    await pipeline.submit(small);
    await pipeline.settle();
    const statuses = (await pipeline.runs()).map(({ generation, status }) => [generation, status]);
    expect(statuses).toEqual([
      [3, 'Succeeded'],
      [2, 'Superseded'],
      [1, 'Superseded'],
    ]);
    expect(await pipeline.nodes()).toHaveLength(2);
  });

  it('an execution that finds the lease held by another run ends and changes nothing', async () => {
    const pipeline = new Pipeline();
    await pipeline.submit(small);
    const term = {
      now: '2026-11-20T12:00:00.000Z',
      dueAt: '2026-11-20T12:30:00.000Z',
      expiresAt: '2026-11-20T13:00:00.000Z',
    };
    await pipeline.deps.manifests.takeLease(key, 'someone', term);
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(pipeline.machines.entered.at(-1)).toBe('reconcile-manifest/Left To The Running Run');
    expect((await pipeline.manifest()).lease?.owner).toBe('someone');
  });
});

describe('runs that are interrupted', () => {
  it('a run that is interrupted is started again as the next attempt, and adopts what was created', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    pipeline.runner.trouble('configuration', () => pipeline.machines.abortAll());
    await pipeline.submit(large);
    const outcomes = await pipeline.settle();
    expect(outcomes.map(({ status }) => status)).toEqual(['ABORTED', 'SUCCEEDED']);
    expect(await pipeline.nodes()).toHaveLength(5);
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', attempted: null });
    expect((await pipeline.runs()).map(({ runId, status }) => [runId.slice(-5), status])).toEqual([
      ['g2-a2', 'Succeeded'],
      ['g2-a1', 'Aborted'],
      ['g1-a1', 'Succeeded'],
    ]);
    const names = pipeline.runner.documents.at(-1)?.target?.pools.flatMap((pool) => pool.nodes.map(({ name }) => name));
    expect(names?.sort()).toEqual(await pipeline.nodes());
  });

  it('runners of a run that is interrupted are asked to stop, and those that do are not killed', async () => {
    const pipeline = new Pipeline();
    const { builds, artifacts } = pipeline.deps;
    let prefix = '';
    pipeline.runner.trouble('infrastructure', async () => {
      prefix = String((await pipeline.cluster()).waypointPrefix);
      builds.runningBuilds.set(prefix, ['sim:7']);
      pipeline.machines.abortAll();
    });
    const asked: (string | undefined)[] = [];
    pipeline.before.set('stop-builds', async () => {
      asked.push(await artifacts.getText(waypointKeys.stop(prefix)));
      if (asked.length > 1) builds.runningBuilds.clear();
    });
    await pipeline.submit(small);
    await pipeline.settle();
    expect(asked.slice(0, 2)).toEqual([undefined, expect.stringMatching(/"reason":"(late|cancelled)"/)]);
    expect(builds.stopped).toEqual([]);
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged' });
  });

  it('builds of a run that is interrupted are stopped when their runners do not within three minutes', async () => {
    const pipeline = new Pipeline();
    pipeline.before.set('stop-builds', () => pipeline.deps.clock.advance(100));
    pipeline.runner.trouble('infrastructure', async () => {
      const { waypointPrefix } = await pipeline.cluster();
      pipeline.deps.builds.runningBuilds.set(String(waypointPrefix), ['sim:7']);
      pipeline.machines.abortAll();
    });
    await pipeline.submit(small);
    await pipeline.settle();
    expect(pipeline.deps.builds.stopped).toEqual(['sim:7']);
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged' });
  });

  it('a run that is interrupted three times in a row is not started again until the next automatic retry', async () => {
    const pipeline = new Pipeline();
    pipeline.runner.trouble('infrastructure', () => pipeline.machines.abortAll(), { times: 99 });
    await pipeline.submit(small);
    expect((await pipeline.settle()).map(({ status }) => status)).toEqual(['ABORTED', 'ABORTED', 'ABORTED']);
    const { status, lease, failed } = await pipeline.manifest();
    expect({ status, lease }).toEqual({ status: 'Failed', lease: null });
    const messages = (await pipeline.events()).slice(-2).map(({ message }) => message);
    expect(messages[0]).toContain('3 attempts in a row were interrupted');
    expect(messages[1]).toContain(`it will be retried at ${failed?.retryAt}, retry 1 of`);
  });

  it('a run may be interrupted more often when the installation is configured so', async () => {
    const pipeline = new Pipeline({ KUBELOOM_MAX_CUT_OFFS: '5' });
    pipeline.runner.trouble('infrastructure', () => pipeline.machines.abortAll(), { times: 4 });
    await pipeline.submit(small);
    await pipeline.settle();
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', attempt: 5 });
  });

  it('a run that is interrupted is finished once, however often the event comes', async () => {
    const pipeline = new Pipeline();
    pipeline.runner.trouble('infrastructure', () => pipeline.machines.abortAll());
    const { runId } = await pipeline.submit(small);
    await pipeline.settle();
    const before = { manifest: await pipeline.manifest(), runs: await pipeline.runs() };
    await pipeline.finish(runId, 'ABORTED', key);
    expect({ manifest: await pipeline.manifest(), runs: await pipeline.runs() }).toEqual(before);
    expect(pipeline.deps.workflows.started).toHaveLength(2);
  });

  it('a run that was cancelled before it was interrupted is not started again', async () => {
    const pipeline = new Pipeline();
    pipeline.runner.trouble('infrastructure', async () => {
      const [run] = await pipeline.runs();
      if (run) await pipeline.deps.manifests.requestCancel(key, run.runId, '2026-01-01T00:00:00.000Z');
      pipeline.machines.abortAll();
    });
    await pipeline.submit(small);
    expect((await pipeline.settle()).map(({ status }) => status)).toEqual(['ABORTED']);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', lease: null });
  });

  it('a run that is interrupted is followed by the generation that waited for it', async () => {
    const pipeline = new Pipeline();
    pipeline.runner.trouble('infrastructure', async () => {
      const { runId } = await pipeline.submit(large);
      // Its execution came and went: the lease was held.
      pipeline.deps.workflows.statuses.set(executionArn(runId), 'SUCCEEDED');
      pipeline.machines.abortAll();
    });
    await pipeline.submit(small);
    await pipeline.settle();
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', generation: 2, attempt: 2 });
    expect(await pipeline.nodes()).toHaveLength(5);
  });
});

describe('writers without a lease', () => {
  it('KA-12, hazard 7: a writer that lost its lease commits nothing: the record of the newer run stays as it is', async () => {
    const pipeline = new Pipeline();
    await pipeline.submit(small);
    pipeline.before.set('commit-waypoint', async () => {
      pipeline.before.delete('commit-waypoint');
      const record = await pipeline.cluster();
      await pipeline.deps.clusters.put({ ...record, version: record.version + 1, fence: record.fence + 5 });
    });
    expect(await pipeline.settle()).toMatchObject([{ status: 'FAILED' }]);
    const record = await pipeline.cluster();
    expect(record).toMatchObject({ fence: 6, status: 'Running', current: null });
    expect(pipeline.machines.caught).toContain('reconcile-cluster/Commit Waypoint');
  });

  it('a writer that lost its lease cannot settle the manifest', async () => {
    const pipeline = new Pipeline();
    await pipeline.submit(small);
    pipeline.before.set('settle-manifest', async () => {
      const later = {
        now: '2026-11-21T12:00:00.000Z',
        dueAt: '2026-11-21T12:30:00.000Z',
        expiresAt: '2026-11-21T13:00:00.000Z',
      };
      await pipeline.deps.manifests.takeLease(key, 'the-next-one', later);
    });
    expect(await pipeline.settle()).toMatchObject([{ status: 'FAILED', error: 'LeaseLost' }]);
    expect((await pipeline.manifest()).lease?.owner).toBe('the-next-one');
  });
});
