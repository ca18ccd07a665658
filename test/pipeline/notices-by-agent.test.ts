/** Notices of clouds that the agent of a cluster reports: an event, a check at once, and a replacement within the limits of healing. */
import { beforeEach, expect, it } from 'vitest';
import type { NodeNotice } from '#domain/node-notice.ts';
import { callApi } from '#test/api/api-under-test.ts';
import { issueToken } from './harness/agent-caller.ts';
import type { Pipeline } from './harness/pipeline.ts';
import { eventsOf } from './harness/time.ts';
import { existing, nodesOf } from './harness/unhealthy-nodes.ts';

let pipeline: Pipeline;
let headers: Record<string, string>;

async function cluster(...wanted: Parameters<typeof existing>): Promise<void> {
  pipeline = await existing(...wanted);
  pipeline.deps.clock.advance(3600);
  headers = { authorization: `Bearer ${await issueToken(pipeline, 'web')}` };
}

beforeEach(() => cluster());

/** One report of nodes that are all ready; what it starts is carried out. */
async function report(noticed: readonly string[], kind: NodeNotice['kind'] = 'ends', { isTrue = true } = {}) {
  const since = pipeline.deps.clock.now().toISOString();
  const notice = { kind, since };
  pipeline.runner.notices.clear();
  if (isTrue) for (const node of noticed) pipeline.runner.notices.set(node, notice);
  const nodes = (await pipeline.nodes()).map((name) => ({
    name,
    ready: 'True',
    locked: false,
    allocatable: {},
    ...(noticed.includes(name) && { notice }),
  }));
  const { status } = await callApi(pipeline.deps, 'POST', '/v1/agent/health', { body: { nodes }, as: null, headers });
  expect(status).toBe(200);
  await pipeline.settle();
}

const runs = async (): Promise<number> => (await pipeline.manifest()).checks ?? 0;

it.each(['ends', 'atRisk'] as const)('a node with the notice %s is replaced by one check, at once', async (kind) => {
  const [node = ''] = await nodesOf(pipeline, 'work');
  await report([node], kind);
  expect(await eventsOf(pipeline, 'NoticeReceived')).toEqual([expect.stringContaining(`${node}: its cloud`)]);
  expect(await eventsOf(pipeline, 'NodeReplaced')).toEqual([expect.stringContaining(`${node} is replaced: its cloud`)]);
  expect(await nodesOf(pipeline, 'work')).toHaveLength(6);
  expect(await nodesOf(pipeline, 'work')).not.toContain(node);
  expect(await runs()).toBe(1);
});

it.each(['returns', 'pauses'] as const)('a node with the notice %s is reported, and kept', async (kind) => {
  const [node = ''] = await nodesOf(pipeline, 'work');
  await report([node], kind);
  await report([]);
  expect(await eventsOf(pipeline, 'NoticeReceived')).toEqual([
    expect.stringContaining(`${node}: its cloud`),
    expect.stringContaining(`${node}: the notice of its cloud is over`),
  ]);
  expect(await nodesOf(pipeline, 'work')).toContain(node);
  expect(await runs()).toBe(0);
});

it('what only the agent says replaces nothing: the check reads the taint in Kubernetes itself', async () => {
  const before = await pipeline.nodes();
  await report((await nodesOf(pipeline, 'work')).slice(0, 1), 'ends', { isTrue: false });
  expect(await runs()).toBe(1);
  expect(await eventsOf(pipeline, 'NodeReplaced')).toEqual([]);
  expect(await pipeline.nodes()).toEqual(before);
});

it('a cloud that takes half of a region at once gets no new machines: that is an outage', async () => {
  await report((await nodesOf(pipeline, 'work')).slice(0, 3));
  expect(await eventsOf(pipeline, 'NodeReplaced')).toEqual([]);
  expect(await eventsOf(pipeline, 'OutageSuspected')).toHaveLength(1);
});

it('an agent that reports a notice again and again leads to a check a minute at most', async () => {
  const [node = ''] = await nodesOf(pipeline, 'work');
  for (let round = 0; round < 12; round += 1) {
    pipeline.deps.clock.advance(20);
    await report(round % 2 === 0 ? [node] : [], 'ends', { isTrue: false });
  }
  expect(await runs()).toBeLessThanOrEqual(4);
});

it('a pool that reports only gets the event, and no check', async () => {
  await cluster({ repair: { onUnhealthy: 'report' } });
  await report((await nodesOf(pipeline, 'work')).slice(0, 1));
  expect(await eventsOf(pipeline, 'NoticeReceived')).toHaveLength(1);
  expect(await runs()).toBe(0);
});
