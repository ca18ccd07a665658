/** What the agent of a cluster reports, and what follows from it. */
import { beforeEach, expect, it } from 'vitest';
import { AgentGroups, type AgentReport, oldAgentReportKey } from '#contracts/agent.ts';
import { agentToken, agentTokenHash } from '#contracts/agent-token.ts';
import { callApi } from '#test/api/api-under-test.ts';
import { manifestOf } from './harness/manifests.ts';
import { key, Pipeline } from './harness/pipeline.ts';

const clusters = [{ name: 'web', control: 1, compute: { work: { min: 1, max: 4 } } }];
let pipeline: Pipeline;
let headers: Record<string, string>;
beforeEach(async () => {
  pipeline = new Pipeline();
  await pipeline.apply(manifestOf(clusters));
  const record = await pipeline.cluster('web');
  const token = agentToken(key, record.cluster, 's'.repeat(43));
  const facts = { ...record.facts, agent: { tokenHash: agentTokenHash(token) } };
  await pipeline.deps.clusters.put({ ...record, version: record.version + 1, facts });
  headers = { authorization: `Bearer ${token}` };
});

const nodes = async () => (await pipeline.cluster('web')).current?.pools.flatMap((pool) => pool.nodes) ?? [];
const allocatable = { cpu: '3920m', memory: '15Gi', pods: '110' };
const healthy = (name: string) => ({ name, ready: 'True', locked: false, allocatable });
const report = (body: unknown) => callApi(pipeline.deps, 'POST', '/v1/agent/health', { body, as: null, headers });
async function stored(): Promise<AgentReport | undefined> {
  const { cluster } = await pipeline.cluster('web');
  return pipeline.deps.agentReports.get(key, cluster);
}

it('nodes that are not well are kept as the checks for drift report them; one that Kubernetes does not have is not ready', async () => {
  const [control, work] = (await nodes()).map(({ name }) => name);
  const readySince = '2026-01-01T00:00:00Z';
  const answer = await report({
    nodes: [{ ...healthy(control ?? ''), ready: 'Unknown', readySince }, healthy('a-stranger')],
  });
  expect(answer.status).toBe(200);
  expect((await stored())?.unwell).toEqual([
    { node: control, health: 'notReady', since: '2026-01-01T00:00:00.000Z' },
    { node: work, health: 'notReady' },
  ]);
});

it('the answer has the nodes that Kubeloom knows, with their addresses', async () => {
  const { json } = await report({ nodes: [] });
  expect(json).toEqual({
    nodes: (await nodes()).map(({ name, privateAddress }) => ({
      name,
      addresses: expect.arrayContaining([privateAddress]),
    })),
  });
});

it('a pool has the capacity of its last node, also when that is gone', async () => {
  const names = (await nodes()).map(({ name }) => name);
  const capacity = async () => {
    const { json } = await callApi(pipeline.deps, 'GET', '/v1/agent/groups', { as: null, headers });
    return AgentGroups.parse(json).groups[0]?.template.capacity;
  };
  expect(await capacity()).toEqual({});
  await report({ nodes: names.map(healthy) });
  expect(await capacity()).toEqual(allocatable);
  await report({ nodes: [] });
  expect(await capacity()).toEqual(allocatable);
});

it('the report of an earlier release is good for the capacity of a pool until the next one', async () => {
  const { cluster } = await pipeline.cluster('web');
  const old = { schema: 1, at: '2026-01-01T00:00:00.000Z', nodes: [], capacity: { work: allocatable } };
  await pipeline.deps.artifacts.putText(oldAgentReportKey(key, cluster), JSON.stringify(old), 'application/json');
  await report({ nodes: (await nodes()).map(({ name }) => ({ ...healthy(name), allocatable: {} })) });
  expect(await stored()).toMatchObject({ schema: 2, unwell: [], capacity: { work: allocatable } });
});

it('the warning that nothing scales goes when the agent reports, and comes back when it is silent', async () => {
  const warnings = async () => {
    const { json } = await pipeline.call('/plan', { body: manifestOf(clusters) });
    return (json.warnings as { id?: string }[]).map(({ id }) => id);
  };
  expect(await warnings()).toContain('nothing-scales');
  await report({ nodes: [] });
  expect(await warnings()).not.toContain('nothing-scales');
  pipeline.deps.clock.advance(11 * 60);
  expect(await warnings()).toContain('nothing-scales');
});

it('a report is worth nothing with another token, or with what is no report', async () => {
  expect((await report({ nodes: [{ name: 'x' }] })).status).toBe(400);
  headers = { authorization: 'Bearer kla.team.shop.web-0000000.tttttttttttttttttttttttttttttttttttttttt' };
  expect((await report({ nodes: [] })).status).toBe(403);
});
