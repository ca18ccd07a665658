/** The health gate of roll-outs: what is done is checked for drift before the next wave. */
import { expect, it } from 'vitest';
import { environment, Fleet, fleet, nameOf } from './harness/fleet.ts';

/** A roll-out that soaks: its pauses pass at once, and what it starts runs meanwhile. `after` comes after the first batch. */
async function watched(
  clusters: number,
  query: string,
  after: (world: Fleet) => Promise<void> = async () => undefined,
) {
  const world = await Fleet.of(clusters);
  const { pipeline } = world;
  const started = await world.start(environment('1.35.2', 2), query);
  const id = String(started.json.id);
  pipeline.before.set('judge-batch', async () => {
    pipeline.before.delete('judge-batch');
    await after(world);
  });
  pipeline.before.set('plan-batch', async () => {
    pipeline.deps.clock.advance(1801);
    await pipeline.settle();
  });
  await pipeline.rollOut();
  return { pipeline, fleet: world, id, ended: await world.rollOut(id) };
}

it('before the next wave each cluster that is done is checked for drift once after its run', async () => {
  const world = await watched(3, '?waves=1,2,100%25&soak=30m');
  expect(world.ended).toMatchObject({ status: 'RolledOut', states: { done: 3 } });
  const { items } = await world.pipeline.deps.manifests.list(fleet, 100);
  expect(items.map(({ checks = 0, check }) => [checks, check])).toEqual([
    [1, 'reportAll'],
    [1, 'reportAll'],
    [0, undefined],
  ]);
});

it('a node that goes down after the run of its cluster halts a roll-out before the next wave', async () => {
  const world = await watched(3, '?waves=1,100%25&soak=30m', async ({ pipeline }) => {
    const [node = ''] = await pipeline.nodes(nameOf(0));
    pipeline.runner.health.set(node, 'notReady');
  });
  expect(world.ended).toMatchObject({ status: 'Halted', states: { failed: 1, waiting: 2 } });
  expect(world.ended.halted).toMatch(new RegExp(`${nameOf(0)}: after its wave: .* not healthy`));
});

it('a check that cannot be done halts no roll-out, and is not repeated for ever', async () => {
  const world = await watched(2, '?waves=1,100%25&soak=30m', async ({ pipeline }) => {
    pipeline.runner.trouble('drift', 'user', { times: 100 });
  });
  expect(world.ended).toMatchObject({ status: 'RolledOut', states: { done: 2 } });
  expect(await world.pipeline.deps.manifests.get({ namespace: fleet, name: nameOf(0) })).toMatchObject({ checks: 1 });
});

it('a check that does not end within two hours counts as a failure', async () => {
  const world = await Fleet.of(2);
  const { json } = await world.start(environment('1.35.2', 2), '?waves=1,100%25&soak=30m');
  world.pipeline.before.set('plan-batch', () => world.pipeline.deps.clock.advance(1801));
  await world.pipeline.rollOut();
  const ended = await world.rollOut(String(json.id));
  expect(ended).toMatchObject({ status: 'Halted', states: { failed: 1, waiting: 1 } });
  expect(ended.halted).toContain('its check has not ended after 2 h');
});

it('a node that a check before the run found ill does not fail a cluster whose run went well', async () => {
  const world = await Fleet.of(2);
  const { deps } = world.pipeline;
  const [record] = await deps.clusters.list({ namespace: fleet, name: nameOf(0) });
  if (record === undefined) throw new Error('there is no cluster');
  const [node = ''] = await world.pipeline.nodes(nameOf(0));
  const checkedAt = deps.clock.now().toISOString();
  const health = [{ node, health: 'notReady' as const, looks: 1, seenAt: checkedAt }];
  const drift = { checkedAt, runId: 'before', items: [], unchecked: [], outcome: 'o', health };
  await deps.clusters.put({ ...record, version: record.version + 1, drift });
  deps.clock.advance(60);
  const { json } = await world.start(environment('1.35.2', 2), '?waves=2&soak=0s');
  await world.pipeline.rollOut();
  expect(await world.rollOut(String(json.id))).toMatchObject({ status: 'RolledOut', states: { done: 2 } });
});

it('a cluster that was ill is checked again when the roll-out is resumed, and does not halt it once it is well', async () => {
  const { pipeline, fleet, id } = await watched(3, '?waves=1,100%25&soak=30m', async ({ pipeline }) => {
    const [node = ''] = await pipeline.nodes(nameOf(0));
    pipeline.runner.health.set(node, 'notReady');
  });
  await fleet.verb('resume', id);
  await pipeline.rollOut();
  expect(await fleet.rollOut(id)).toMatchObject({ status: 'Halted', states: { failed: 1, waiting: 2 } });
  pipeline.runner.health.clear();
  await fleet.verb('resume', id);
  await pipeline.rollOut();
  expect(await fleet.rollOut(id)).toMatchObject({ status: 'RolledOut', states: { done: 3 } });
});
