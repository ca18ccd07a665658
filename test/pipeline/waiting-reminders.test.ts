/** What waits for a person is reported a day later, and then every week: proposed plans, halted roll-outs, clusters behind their inventory. */
import { expect, it } from 'vitest';
import { changesOf } from '#contracts/change-events.ts';
import { exposition } from '#local/metrics/exposition.ts';
import { kubeloomMetrics } from '#local/metrics/kubeloom-metrics.ts';
import { as, bindRoles } from '#test/api/api-under-test.ts';
import { environment, Fleet, fleet, nameOf } from './harness/fleet.ts';
import { internalFault } from './harness/state-machines.ts';

/** How many are reported after so many days; undefined: it was not looked. */
async function after(world: Fleet, days: number): Promise<unknown> {
  world.pipeline.deps.clock.advance(days * 86_400);
  return ((await world.pipeline.invoke('sync-sources', {})) as { readonly reminded?: number }).reminded;
}
const events = async (world: Fleet, name?: string) => {
  const key = name === undefined ? changesOf(fleet) : { namespace: fleet, name };
  const { items } = await world.pipeline.deps.events.list(key, 1000);
  return items.filter(({ kind }) => ['PlanWaits', 'RollOutWaits', 'BehindInventory'].includes(kind));
};

/** The lines about what waits, without their heads. */
async function metrics({ pipeline: { deps } }: Fleet): Promise<readonly string[]> {
  const families = await kubeloomMetrics(deps, { executions: [], builds: [], measured: new Map() });
  return exposition(families)
    .split('\n')
    .filter((line) => line.startsWith('kubeloom_waiting'));
}

it('metrics have nothing of what waits before the first look, then its number and the time of the oldest', async () => {
  const world = await Fleet.of(2);
  const none = ['kubeloom_waiting{kind="plan"} 0', 'kubeloom_waiting{kind="rollOut"} 0'];
  expect(await metrics(world)).toEqual([]);
  await after(world, 0);
  expect(await metrics(world)).toEqual([...none, 'kubeloom_waiting{kind="behind"} 0']);
  await world.put(environment('1.35.2', 3));
  await after(world, 1.1);
  const since = world.pipeline.deps.clock.now().getTime() / 1000;
  await after(world, 3);
  const [last, ...lines] = [...(await metrics(world))].reverse();
  expect(lines.reverse()).toEqual([...none, 'kubeloom_waiting{kind="behind"} 2']);
  const [, kind, time] = /^kubeloom_waiting_since_seconds\{kind="(.*)"\} (.*)$/.exec(last ?? '') ?? [];
  expect(kind).toBe('behind');
  expect(Math.abs(Number(time) - since)).toBeLessThan(60);
});

it('clusters behind their inventory are reported after a day and then every week, until they are not behind', async () => {
  const world = await Fleet.of(2);
  expect(await after(world, 0)).toBe(0);
  expect(await world.put(environment('1.35.2', 3))).toMatchObject({ status: 200 });
  expect(await after(world, 0.5)).toBeUndefined();
  expect(await after(world, 0.6)).toBe(0);
  expect(await after(world, 1)).toBe(2);
  expect(await after(world, 1)).toBe(0);
  expect(await after(world, 5)).toBe(0);
  expect(await after(world, 1)).toBe(2);
  const [first, ...more] = await events(world, nameOf(0));
  expect(more).toHaveLength(1);
  expect(first).toMatchObject({ kind: 'BehindInventory', level: 'warning', runId: '' });
  expect(first?.message).toContain('kubeloom inventory apply');
  expect(await world.put(environment('1.35.2', 1))).toMatchObject({ status: 200 });
  expect(await after(world, 8)).toBe(0);
});

it('a halted roll-out is reported, and no longer once a person has decided', async () => {
  const world = await Fleet.of(1);
  const { id } = (await world.start(environment('1.35.2', 2))).json;
  world.pipeline.faults.set('plan-batch', internalFault());
  await world.pipeline.rollOut();
  expect(await world.rollOut(String(id))).toMatchObject({ status: 'Halted' });
  // Its cluster is behind, too: that is known since now.
  expect(await after(world, 1)).toBe(1);
  expect(await events(world)).toMatchObject([
    { kind: 'RollOutWaits', message: expect.stringMatching(/is halted since 2026-.*a step of the roll-out failed/) },
  ]);
  await world.verb('resume', String(id));
  await world.pipeline.rollOut();
  expect(await after(world, 8)).toBe(0);
});

it('a proposed plan is reported while it waits for a decision, and one that does not fit any more is not', async () => {
  const world = await Fleet.of(1);
  const { deps } = world.pipeline;
  Object.assign(deps.config, { KUBELOOM_ADMINS: 'user:root', KUBELOOM_REQUIRE_APPROVAL: [fleet] });
  await bindRoles(deps, fleet, { operator: 'olga', approver: 'anna' });
  expect((await world.start(environment('1.35.2', 3), '', undefined, as('olga'))).status).toBe(409);
  expect(await after(world, 2)).toBe(1);
  const [found] = await events(world);
  expect(found).toMatchObject({ kind: 'PlanWaits' });
  expect(found?.message).toContain('of olga waits for a decision since 2026-');
  await world.call('PUT', '/documents/InventoryLayer/prod', { body: environment('1.35.2', 1), ...as('olga') });
  const layer = environment('1.35.2', 2);
  await world.call('PUT', '/documents/InventoryLayer/prod', { body: layer, ...as('olga') });
  await after(world, 8);
  expect((await events(world)).filter(({ kind }) => kind === 'PlanWaits')).toHaveLength(1);
});

it('reminders that cannot be read begin again, and a source that fails does not keep them from being stored', async () => {
  const world = await Fleet.of(1);
  await world.pipeline.deps.artifacts.putText('schedule/reminders.json', '{"schema":2}');
  expect(await after(world, 0)).toBe(0);
  expect(JSON.parse((await world.pipeline.deps.artifacts.getText('schedule/reminders.json')) ?? '')).toMatchObject({
    schema: 1,
  });
});
