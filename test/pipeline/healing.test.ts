/** Healing: from a check that finds an unhealthy node to its replacement, or to the reason why no replacement follows. */
import { describe, expect, it } from 'vitest';
import { Pipeline } from './harness/pipeline.ts';
import { eventsOf, pass } from './harness/time.ts';
import { existing, healed, nodesOf, powerOff } from './harness/unhealthy-nodes.ts';

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

  it('a pool whose replacement budget is used up says when replacements continue, and continues then', async () => {
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
