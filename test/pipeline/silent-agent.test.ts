/** The agent of a cluster that stops reporting: the next check says so, once, and until it reports again. */
import { beforeEach, expect, it } from 'vitest';
import { callApi } from '#test/api/api-under-test.ts';
import { issueToken } from './harness/agent-caller.ts';
import { Pipeline } from './harness/pipeline.ts';
import { eventsOf, pass } from './harness/time.ts';
import { healed } from './harness/unhealthy-nodes.ts';

let pipeline: Pipeline;
let headers: Record<string, string>;

async function cluster(documents: readonly object[]): Promise<void> {
  pipeline = new Pipeline({ KUBELOOM_AGENT_URL: 'https://kubeloom.example' });
  const manifest = healed();
  for (const one of manifest.spec.kubernetes.clusters) Object.assign(one, { documents });
  await pipeline.apply(manifest);
  headers = { authorization: `Bearer ${await issueToken(pipeline, 'web')}` };
}
beforeEach(() => cluster([]));

async function report(): Promise<void> {
  const nodes = (await pipeline.nodes()).map((name) => ({ name, ready: 'True', locked: false, allocatable: {} }));
  const { status } = await callApi(pipeline.deps, 'POST', '/v1/agent/health', { body: { nodes }, as: null, headers });
  expect(status).toBe(200);
}

const silentSince = async () => (await pipeline.cluster('web')).drift?.agentSilent;

it('a check reports once that the agent is silent, and the record says so until it reports again', async () => {
  await report();
  const at = pipeline.deps.clock.now().toISOString();
  await pass(pipeline, 80);
  expect(await eventsOf(pipeline, 'AgentSilent')).toEqual([expect.stringContaining('has reported nothing since ')]);
  expect((await silentSince())?.slice(0, 16)).toBe(at.slice(0, 16));
  await report();
  for (let part = 0; part < 8; part += 1) {
    await pass(pipeline, 5);
    await report();
  }
  expect(await silentSince()).toBeUndefined();
  await pass(pipeline, 80);
  expect(await eventsOf(pipeline, 'AgentSilent')).toHaveLength(2);
});

it('an agent that never reported is silent from the time at which its documents were applied', async () => {
  const record = await pipeline.cluster('web');
  const appliedAt = pipeline.deps.clock.now().toISOString();
  const facts = { ...record.facts, agent: { tokenHash: 'x', appliedAt } };
  await pipeline.deps.clusters.put({ ...record, version: record.version + 1, facts });
  await pass(pipeline, 40);
  expect(await silentSince()).toBe(appliedAt);
});

it('a cluster that switched its agent off is not silent', async () => {
  await cluster([{ name: 'kubeloom-agent', enabled: false }]);
  await report();
  await pass(pipeline, 80);
  expect(await eventsOf(pipeline, 'AgentSilent')).toEqual([]);
  expect(await silentSince()).toBeUndefined();
});
