/** Healing: from a check that finds an unhealthy node to its replacement, or to the reason why there is none. */
import { describe, expect, it } from 'vitest';
import type { NodeObservation } from '#domain/drift.ts';
import { PipelineError } from '#domain/errors.ts';
import type { InputManifest } from '#domain/manifest/input-manifest.ts';
import { NodeRepair } from '#domain/manifest/node-repair.ts';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';
import { eventsOf, pass } from './harness/time.ts';

interface Wanted {
  readonly control?: number;
  readonly workers?: number;
  /** Names of more clusters. */
  readonly more?: readonly string[];
  readonly repair?: Partial<NodeRepair>;
  readonly onDrift?: 'report' | 'repair';
  readonly version?: string;
}

function healed(wanted: Wanted = {}): InputManifest {
  const { control = 3, workers = 6, more = [], repair, onDrift = 'report', version = '1.36.0' } = wanted;
  const clusters = ['web', ...more].map((name) => ({ name, control, compute: { work: workers }, version }));
  const plain = manifestOf(clusters);
  // Each pool in a region of its own: what is down in one is no outage of the other.
  const dynamic = plain.spec.nodePools.dynamic.map((pool) => ({
    ...pool,
    providerSpec: { ...pool.providerSpec, region: pool.name },
    ...(repair && { repair: NodeRepair.parse(repair) }),
  }));
  const nodePools = { ...plain.spec.nodePools, dynamic };
  return { ...plain, spec: { ...plain.spec, nodePools, driftChecks: { interval: '30m', onDrift } } };
}

async function existing(wanted: Wanted = { repair: { onUnhealthy: 'replace' } }): Promise<Pipeline> {
  const pipeline = new Pipeline();
  await pipeline.apply(healed(wanted));
  expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
  return pipeline;
}

/** Names of the nodes of a pool that are in the world. */
const nodesOf = async (pipeline: Pipeline, pool: string): Promise<readonly string[]> =>
  (await pipeline.nodes()).filter((name) => name.startsWith(`web-${pool}-`));

async function powerOff(
  pipeline: Pipeline,
  pool: string,
  { count = 1, health = 'notReady' as NodeObservation['health'] } = {},
): Promise<readonly string[]> {
  const down = (await nodesOf(pipeline, pool)).slice(0, count);
  for (const name of down) pipeline.runner.health.set(name, health);
  return down;
}

describe('a node that is not ready', () => {
  it('one of six is replaced within its time plus one check, once, by an ordinary grow and shrink', async () => {
    const pipeline = await existing();
    const before = await nodesOf(pipeline, 'work');
    const [lost = ''] = await powerOff(pipeline, 'work');
    // The next check comes within the interval; the second follows it after the 10 minutes of the pool.
    await pass(pipeline, 35);
    expect(await eventsOf(pipeline, 'NodeUnhealthy')).toHaveLength(1);
    expect(await nodesOf(pipeline, 'work')).toEqual(before);
    await pass(pipeline, 15);
    const after = await nodesOf(pipeline, 'work');
    expect(after).toHaveLength(6);
    expect(after).not.toContain(lost);
    expect(await eventsOf(pipeline, 'NodeReplaced')).toEqual([
      expect.stringContaining(`${lost} is replaced: not ready for`),
    ]);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', generation: 1 });
    await pass(pipeline, 120);
    expect(await nodesOf(pipeline, 'work')).toEqual(after);
    expect(await eventsOf(pipeline, 'NodeReplaced')).toHaveLength(1);
  });

  it('one is replaced also when the last apply was bound to a plan: what it was bound to ends with its run', async () => {
    const pipeline = await existing({});
    const wanted = healed({ repair: { onUnhealthy: 'replace' } });
    const { json } = await pipeline.call('/plan', { body: wanted });
    const headers = { 'kubeloom-plan': String(json.id) };
    expect(await pipeline.call('', { method: 'PUT', body: wanted, headers })).toMatchObject({ status: 202 });
    await pipeline.settle();
    const [lost = ''] = await powerOff(pipeline, 'work', { health: 'gone' });
    await pass(pipeline, 60);
    expect(await pipeline.nodes()).toHaveLength(9);
    expect(await pipeline.nodes()).not.toContain(lost);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
  });

  it('no change recreates a machine that healing decides about, or that is being replaced; control nodes are needed', async () => {
    const pipeline = await existing({ repair: { onUnhealthy: 'replace' }, workers: 6 });
    const before = await nodesOf(pipeline, 'work');
    pipeline.runner.documents.length = 0;
    await powerOff(pipeline, 'work', { health: 'gone' });
    await pass(pipeline, 60);
    const [first] = pipeline.runner.documents;
    expect(first?.direction).toBe('grow');
    expect(first?.notRecreated?.toSorted()).toEqual(before.toSorted());
  });

  it('an upgrade needs every node: on the way to it, machines that are gone are recreated', async () => {
    const repair = { onUnhealthy: 'replace' } as const;
    const pipeline = await existing({ repair, version: '1.35.2' });
    pipeline.runner.documents.length = 0;
    await pipeline.apply(healed({ repair, workers: 7 }));
    const made = pipeline.runner.documents.map(({ direction, notRecreated = [] }) => [direction, notRecreated.length]);
    expect(made).toEqual(
      expect.arrayContaining([
        ['grow', 0],
        ['upgrade', 0],
      ]),
    );
  });

  it('only what is being replaced is not recreated in a pool without repair', async () => {
    const pipeline = await existing({});
    const [replaced = ''] = await nodesOf(pipeline, 'work');
    pipeline.runner.documents.length = 0;
    await pipeline.call('/replace', { body: { nodes: [replaced], because: 'it hangs' } });
    await pipeline.settle();
    expect(pipeline.runner.documents[0]).toMatchObject({ direction: 'grow', notRecreated: [replaced] });
  });

  it('a node that is ready again before its time is kept', async () => {
    const pipeline = await existing();
    const before = await pipeline.nodes();
    await powerOff(pipeline, 'work');
    await pass(pipeline, 35);
    pipeline.runner.health.clear();
    await pass(pipeline, 90);
    expect(await pipeline.nodes()).toEqual(before);
    expect((await pipeline.cluster()).drift).not.toHaveProperty('health');
    expect(await eventsOf(pipeline, 'NodeReplaced')).toEqual([]);
  });

  it('a node of a pool without repair is reported and kept', async () => {
    const pipeline = await existing({});
    const before = await pipeline.nodes();
    const [down] = await powerOff(pipeline, 'work');
    await pass(pipeline, 120);
    expect(await pipeline.nodes()).toEqual(before);
    expect(await eventsOf(pipeline, 'RepairRefused')).toEqual([
      `${down} is not replaced: the manifest says to report only`,
    ]);
    const { json } = await pipeline.call('', { method: 'GET' });
    expect(JSON.stringify(json)).toContain('"status":"NotReady"');
  });

  it('four of six at once are an outage: it is named, and nothing is replaced', async () => {
    const pipeline = await existing();
    const before = await pipeline.nodes();
    await powerOff(pipeline, 'work', { count: 4 });
    await pass(pipeline, 180);
    expect(await pipeline.nodes()).toEqual(before);
    expect(await eventsOf(pipeline, 'OutageSuspected')).toEqual([
      '4 of 6 nodes of sim-1 in web-work are down at once: that is an outage, and new machines would not help; nothing is replaced',
    ]);
    expect(await eventsOf(pipeline, 'NodeReplaced')).toEqual([]);
  });

  it('a pool whose budget is used up says when it is free, and goes on then', async () => {
    const pipeline = await existing({ repair: { onUnhealthy: 'replace', perHour: 1, after: '5m' } });
    await powerOff(pipeline, 'work');
    await pass(pipeline, 45);
    expect(await eventsOf(pipeline, 'NodeReplaced')).toHaveLength(1);
    const [second] = await powerOff(pipeline, 'work');
    await pass(pipeline, 45);
    const [refused] = (await eventsOf(pipeline, 'RepairRefused')).filter((text) => text.includes('within an hour'));
    expect(refused).toMatch(
      new RegExp(`^${second} is not replaced: pool web-work has had 1 replacements.*compared again at 2026`),
    );
    await pass(pipeline, 45);
    expect(await eventsOf(pipeline, 'NodeReplaced')).toHaveLength(2);
    expect(await nodesOf(pipeline, 'work')).not.toContain(second);
  });

  it('the installation replaces only as many machines an hour as it may', async () => {
    const pipeline = new Pipeline({ KUBELOOM_REPAIRS_PER_HOUR: '0' });
    await pipeline.apply(healed({ repair: { onUnhealthy: 'replace' } }));
    const before = await pipeline.nodes();
    await powerOff(pipeline, 'work');
    await pass(pipeline, 60);
    expect(await pipeline.nodes()).toEqual(before);
    expect((await eventsOf(pipeline, 'RepairRefused')).join()).toContain('the installation has no replacements left');
  });

  it('one control node of three is replaced, and there are never fewer than three meanwhile', async () => {
    const pipeline = await existing();
    const [lost = ''] = await powerOff(pipeline, 'control');
    await pass(pipeline, 50);
    const after = await nodesOf(pipeline, 'control');
    expect(after).toHaveLength(3);
    expect(after).not.toContain(lost);
    const counts = pipeline.runner.documents.map(
      ({ target }) => target?.pools.filter(({ role }) => role === 'control').flatMap(({ nodes }) => nodes).length ?? 0,
    );
    expect(Math.min(...counts)).toBe(3);
    expect(Math.max(...counts)).toBe(4);
  });

  it('two control nodes of three are not replaced: the control plane has no quorum', async () => {
    const pipeline = await existing({ repair: { onUnhealthy: 'replace', maxUnhealthy: '100%' } });
    const before = await pipeline.nodes();
    await powerOff(pipeline, 'control', { count: 2 });
    await pass(pipeline, 60);
    expect(await pipeline.nodes()).toEqual(before);
    expect(await eventsOf(pipeline, 'NodeReplaced')).toEqual([]);
  });
});

describe('machines that are gone', () => {
  const goneItems = async (pipeline: Pipeline, count: number) => {
    const names = (await nodesOf(pipeline, 'work')).slice(0, count);
    pipeline.runner.drift = names.map((node) => ({
      ...{ kind: 'machine', where: { node, pool: 'web-work', provider: 'sim-1' } },
      ...{ message: `the machine of ${node} is gone`, repairable: true },
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

  it('a person may have all of them recreated', async () => {
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
  it('a node of one is replaced soon after a node of the other, whose run threw away what was seen of it', async () => {
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
