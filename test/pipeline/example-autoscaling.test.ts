/** The manifest of docs/autoscaling.md does in the pipeline what the page says. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { AgentGroups } from '#contracts/agent.ts';
import { agentToken, agentTokenHash } from '#contracts/agent-token.ts';
import { readObjects } from '#documents/read-objects.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';
import { callApi } from '#test/api/api-under-test.ts';
import { key, Pipeline } from './harness/pipeline.ts';

const file = new URL('../../examples/sim-autoscaling.yaml', import.meta.url);

it('examples/sim-autoscaling.yaml: a pool grows from 0 nodes as its agent asks, shrinks again, and keeps to its bounds', async () => {
  const { manifest, faults, warnings } = validateManifest(parse(readFileSync(file, 'utf8')), { readObjects });
  expect([faults, warnings]).toEqual([[], []]);
  const pipeline = new Pipeline();
  await pipeline.apply(manifest);
  const record = await pipeline.cluster('shop');
  const token = agentToken(key, record.cluster, 's'.repeat(43));
  const facts = { ...record.facts, agent: { tokenHash: agentTokenHash(token) } };
  await pipeline.deps.clusters.put({ ...record, version: record.version + 1, facts });
  const headers = { authorization: `Bearer ${token}` };
  const call = (method: string, path: string, body?: unknown) =>
    callApi(pipeline.deps, method, `/v1/agent/groups${path}`, { body, as: null, headers });
  const batch = async () => AgentGroups.parse((await call('GET', '')).json).groups.find(({ pool }) => pool === 'batch');

  expect(await batch()).toMatchObject({
    min: 0,
    max: 4,
    size: 0,
    nodes: [],
    template: { capacity: { cpu: '16', memory: '64G' }, taints: [{ key: 'batch', effect: 'NoSchedule' }] },
  });
  expect((await call('POST', '/batch/size', { count: 5 })).status).toBe(409);
  expect((await call('POST', '/batch/size', { count: 2 })).status).toBe(200);
  await pipeline.settle();
  const nodes = (await batch())?.nodes ?? [];
  expect(nodes.map(({ state }) => state)).toEqual(['running', 'running']);
  await call('POST', '/batch/size', { count: 0, remove: nodes.map(({ name }) => name) });
  await pipeline.settle();
  expect(await batch()).toMatchObject({ size: 0, nodes: [] });
});
