/** Healing of a cluster whose agent reports: a check comes as soon as a node may be replaced. */
import { beforeEach, expect, it } from 'vitest';
import { callApi } from '#test/api/api-under-test.ts';
import { issueToken } from './harness/agent-caller.ts';
import type { Pipeline } from './harness/pipeline.ts';
import { eventsOf, pass } from './harness/time.ts';
import { existing, nodesOf, powerOff } from './harness/unhealthy-nodes.ts';

let pipeline: Pipeline;
let headers: Record<string, string>;
/** When the node that is down stopped being ready. */
let since: string;

async function cluster(...wanted: Parameters<typeof existing>): Promise<void> {
  pipeline = await existing(...wanted);
  headers = { authorization: `Bearer ${await issueToken(pipeline, 'web')}` };
  since = pipeline.deps.clock.now().toISOString();
}

beforeEach(() => cluster());

/** Minutes with a report each, without a tick; what a report starts is carried out. */
async function reports(minutes: number, down: readonly string[]): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    pipeline.deps.clock.advance(60);
    const nodes = (await pipeline.nodes()).map((name) => ({
      name,
      ready: down.includes(name) ? 'Unknown' : 'True',
      ...(down.includes(name) && { readySince: since }),
      locked: false,
      allocatable: {},
    }));
    const { status } = await callApi(pipeline.deps, 'POST', '/v1/agent/health', { body: { nodes }, as: null, headers });
    expect(status).toBe(200);
    await pipeline.settle();
  }
}

const runs = async (): Promise<number> => (await pipeline.manifest()).checks ?? 0;

it('a node is replaced with the first report after its time, by one check, without a tick', async () => {
  const down = await powerOff(pipeline, 'work');
  await reports(9, down);
  expect(await runs()).toBe(0);
  await reports(2, down);
  expect(await eventsOf(pipeline, 'NodeReplaced')).toEqual([expect.stringContaining(`${down[0]} is replaced`)]);
  expect(await nodesOf(pipeline, 'work')).toHaveLength(6);
  expect(await nodesOf(pipeline, 'work')).not.toContain(down[0]);
});

it('what only the agent says replaces nothing: the check asks Kubernetes itself', async () => {
  const before = await pipeline.nodes();
  await reports(60, before.slice(3, 4));
  expect(await pipeline.nodes()).toEqual(before);
  expect(await eventsOf(pipeline, 'NodeReplaced')).toEqual([]);
  expect(await runs(), 'one check').toBe(1);
});

it('an agent that says that a node fails again and again leads to a check every ten minutes at most', async () => {
  const [one = ''] = await nodesOf(pipeline, 'work');
  for (let round = 0; round < 60; round += 1) {
    since = new Date(pipeline.deps.clock.now().getTime() - 11 * 60_000).toISOString();
    await reports(1, [one]);
  }
  expect(await runs()).toBeGreaterThan(1);
  expect(await runs()).toBeLessThanOrEqual(6);
});

it.each([
  ['a pool that reports only', { repair: { onUnhealthy: 'report' } }],
  ['a pool without repair', {}],
] as const)('%s leads to no check before its interval', async (_, wanted) => {
  await cluster(wanted);
  await reports(25, await powerOff(pipeline, 'work'));
  expect(await runs()).toBe(0);
});

it('a paused manifest is not checked', async () => {
  await pipeline.call('/pause', { body: {} });
  await reports(25, await powerOff(pipeline, 'work'));
  expect(await runs()).toBe(0);
});

it('a cluster whose agent is silent is checked from outside, in two checks', async () => {
  const down = await powerOff(pipeline, 'work');
  await pass(pipeline, 35);
  expect(await eventsOf(pipeline, 'NodeReplaced')).toEqual([]);
  await pass(pipeline, 15);
  expect(await eventsOf(pipeline, 'NodeReplaced')).toHaveLength(down.length);
});
