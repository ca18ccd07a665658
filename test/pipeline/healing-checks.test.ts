/** Healing and checks for drift: which of them repairs what, when the next check comes, and a check that is recorded twice. */
import { describe, expect, it } from 'vitest';
import { PipelineError } from '#domain/errors.ts';
import type { Pipeline } from './harness/pipeline.ts';
import { eventsOf, pass } from './harness/time.ts';
import { existing, nodesOf, powerOff } from './harness/unhealthy-nodes.ts';

describe('machines that are gone', () => {
  const goneItems = async (pipeline: Pipeline, count: number) => {
    const names = (await nodesOf(pipeline, 'work')).slice(0, count);
    pipeline.runner.drift = names.map((node) => ({
      kind: 'machine',
      where: { node, pool: 'web-work', provider: 'sim-1' },
      message: `the machine of ${node} is gone`,
      repairable: true,
    }));
    return names;
  };

  it('six of six are not recreated at once by a check that repairs: the outage is named', async () => {
    const pipeline = await existing({ onDrift: 'repair' });
    await goneItems(pipeline, 6);
    pipeline.runner.ran.length = 0;
    await pass(pipeline, 45);
    expect(new Set(pipeline.runner.ran)).toEqual(new Set(['drift']));
    expect(await eventsOf(pipeline, 'OutageSuspected')).toHaveLength(1);
  });

  it('drift --repair recreates all machines that are gone', async () => {
    const pipeline = await existing({ onDrift: 'repair' });
    await goneItems(pipeline, 6);
    await pipeline.call('/drift', { body: { repair: true } });
    await pipeline.settle();
    expect(pipeline.runner.drift).toEqual([]);
  });

  it('one of six is recreated at once by a check that repairs', async () => {
    const pipeline = await existing({ onDrift: 'repair' });
    await goneItems(pipeline, 1);
    await pass(pipeline, 35);
    expect(pipeline.runner.drift).toEqual([]);
    expect((await pipeline.cluster()).drift?.replaced).toHaveLength(1);
  });
});

describe('nodes that are not ready, with a check that repairs', () => {
  const notReady = async (pipeline: Pipeline) => {
    const [node = ''] = await powerOff(pipeline, 'work');
    const where = { node, pool: 'web-work', provider: 'sim-1' };
    pipeline.runner.drift = [{ kind: 'node', where, message: `${node} is not ready`, repairable: true }];
    pipeline.runner.ran.length = 0;
  };

  it('a node that is not ready is repaired on its machine, if its pool has no repair of its own', async () => {
    const pipeline = await existing({ onDrift: 'repair' });
    await notReady(pipeline);
    const before = await pipeline.nodes();
    await pass(pipeline, 35);
    expect(pipeline.runner.ran).toEqual(['drift', 'configuration', 'kubernetes', 'nodes', 'drift']);
    expect(await pipeline.nodes()).toEqual(before);
  });

  it('a node that is not ready is left to healing, if its pool says to replace it', async () => {
    const pipeline = await existing({ onDrift: 'repair', repair: { onUnhealthy: 'replace' } });
    await notReady(pipeline);
    await pass(pipeline, 35);
    expect(new Set(pipeline.runner.ran)).toEqual(new Set(['drift']));
  });
});

describe('when the next check comes', () => {
  const checksOf = (pipeline: Pipeline) => pipeline.runner.ran.filter((stage) => stage === 'drift').length;

  it('a check that fails is not repeated before its interval, whatever was to be compared again', async () => {
    const pipeline = await existing();
    await powerOff(pipeline, 'work');
    await pass(pipeline, 35);
    expect((await pipeline.cluster()).drift?.lookAgainAt).toBeDefined();
    pipeline.runner.ran.length = 0;
    pipeline.runner.trouble('drift', 'user', { times: 99 });
    await pass(pipeline, 35);
    expect(checksOf(pipeline)).toBe(1);
    expect(await eventsOf(pipeline, 'NodeReplaced')).toEqual([]);
  });

  it('a check that a person asked for does not set healing back, and does not say what the manifest does not', async () => {
    const pipeline = await existing();
    const [lost = ''] = await powerOff(pipeline, 'work');
    await pass(pipeline, 35);
    const { lookAgainAt } = (await pipeline.cluster()).drift ?? {};
    await pipeline.call('/drift', { body: { repair: false } });
    await pipeline.settle();
    expect((await pipeline.cluster()).drift).toMatchObject({ lookAgainAt });
    expect((await eventsOf(pipeline, 'RepairRefused')).join()).not.toContain('report only');
    await pass(pipeline, 15);
    expect(await nodesOf(pipeline, 'work')).not.toContain(lost);
  });
});

describe('two clusters of one manifest', () => {
  it('a node is replaced soon after a node of another cluster, although the run of that replacement discarded the findings about it', async () => {
    const pipeline = await existing({ more: ['shop'], repair: { onUnhealthy: 'replace' } });
    const names = await Promise.all(
      ['web', 'shop'].map(async (name) => {
        const { current } = await pipeline.cluster(name);
        return current?.pools.find(({ role }) => role === 'compute')?.nodes[0]?.name ?? '';
      }),
    );
    for (const name of names) pipeline.runner.health.set(name, 'notReady');
    await pass(pipeline, 75);
    const replaced = await eventsOf(pipeline, 'NodeReplaced');
    expect(replaced.map((text) => text.split(' ')[0]).toSorted()).toEqual(names.toSorted());
  });
});

describe('a check that is recorded twice', () => {
  it('the replacement is requested, counted and announced once, and its run is started', async () => {
    const pipeline = await existing();
    const [lost = ''] = await powerOff(pipeline, 'work');
    await pass(pipeline, 35);
    const { put } = pipeline.deps.clusters;
    let broken = 0;
    Object.assign(pipeline.deps.clusters, {
      put: async (record: Parameters<typeof put>[0]) => {
        if (record.drift?.replaced && broken++ === 0)
          throw new PipelineError('ServiceUnavailable', 'the table does not answer');
        return put.call(pipeline.deps.clusters, record);
      },
    });
    const take = pipeline.deps.repairBudget.take.bind(pipeline.deps.repairBudget);
    let taken = 0;
    Object.assign(pipeline.deps.repairBudget, {
      take: async (...all: Parameters<typeof take>) => {
        taken += 1;
        return take(...all);
      },
    });
    await pass(pipeline, 60);
    expect({ broken: broken > 0, taken }).toEqual({ broken: true, taken: 1 });
    expect(await nodesOf(pipeline, 'work')).not.toContain(lost);
    expect((await pipeline.cluster()).drift?.replaced).toHaveLength(1);
  });
});
