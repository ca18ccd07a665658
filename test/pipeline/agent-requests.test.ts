/** What the agent in a cluster may ask with its token: sizes of its own node groups, and nothing before credentials are renewed. */
import { beforeEach, describe, expect, it } from 'vitest';
import { callApi } from '#test/api/api-under-test.ts';
import { type AgentCaller, agentCaller, agentClusters, agentSecretRef } from './harness/agent-caller.ts';
import { manifestOf } from './harness/manifests.ts';
import type { Pipeline } from './harness/pipeline.ts';

let caller: AgentCaller;
let pipeline: Pipeline;

beforeEach(async () => {
  caller = await agentCaller();
  pipeline = caller.pipeline;
});

describe('node groups', () => {
  it('the agent sees the autoscaled compute pools of its cluster, with bounds, nodes and what a new one has', async () => {
    const found = await caller.groups();
    expect(found.map(({ pool, min, max, size }) => [pool, min, max, size])).toEqual([
      ['web-work', 1, 4, 1],
      ['web-gpu', 0, 2, 0],
    ]);
    expect(found[0]).toMatchObject({
      nodes: [{ name: expect.stringMatching(/^web-work-\w+-01$/), state: 'running' }],
      template: {
        labels: { 'claudie.io/nodepool': 'web-work', 'kubernetes.io/arch': 'amd64' },
        taints: [],
        capacity: {},
      },
    });
    expect(found[0]?.failure).toBeUndefined();
  });

  it('the capacity of a node is that of the manifest, with its GPUs', async () => {
    const document = manifestOf(agentClusters);
    const pool = document.spec.nodePools.dynamic.find(({ name }) => name === 'web-gpu');
    if (pool) pool.autoscaler = { min: 0, max: 2, capacity: { cpu: 8, memory: 32, gpu: 1 } };
    await pipeline.apply(document);
    expect((await caller.group('web-gpu'))?.template).toMatchObject({
      capacity: { cpu: '8', memory: '32G', 'nvidia.com/gpu': '1' },
      labels: { 'nvidia.com/gpu.present': 'true' },
    });
    expect((await pipeline.manifest()).status).toBe('Done');
  });

  it('each pool has what a node costs once a growth by price is applied; before that none has a price', async () => {
    expect((await caller.groups()).map(({ monthlyPrice }) => monthlyPrice)).toEqual([undefined, undefined]);
    const document = manifestOf(agentClusters);
    const order: Readonly<Record<string, object>> = {
      'web-work': { price: true },
      'web-gpu': { monthlyPrice: { amount: 0, currency: 'EUR' } },
    };
    for (const pool of document.spec.nodePools.dynamic)
      if (pool.autoscaler && order[pool.name]) Object.assign(pool.autoscaler, order[pool.name]);
    await pipeline.apply(document);
    await pipeline.settle();
    expect((await caller.groups()).map(({ pool, monthlyPrice }) => [pool, monthlyPrice])).toEqual([
      ['web-work', 5],
      ['web-gpu', 0],
    ]);
  });

  it('a pool grows from nothing, and nodes that are not needed leave with their places', async () => {
    const grown = await caller.resize('web-gpu', { count: 2 });
    expect(grown).toMatchObject({ status: 200, json: { size: 2, nodes: [] } });
    pipeline.runner.trouble('configuration', async () => {
      expect((await caller.group('web-gpu'))?.nodes.map(({ state }) => state)).toEqual(['creating', 'creating']);
    });
    await pipeline.settle();
    const [first = '', second] = (await caller.group('web-gpu'))?.nodes.map(({ name }) => name) ?? [];
    const shrunk = await caller.resize('web-gpu', { count: 1, remove: [first] });
    expect(shrunk.json).toMatchObject({ size: 1, nodes: [{ name: first, state: 'deleting' }, { name: second }] });
    await pipeline.settle();
    expect((await caller.group('web-gpu'))?.nodes).toEqual([{ name: second, state: 'running' }]);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', generation: 1 });
    const asked = (await pipeline.events())
      .filter(({ kind }) => kind === 'ScaleRequested')
      .map(({ message }) => message);
    expect(asked[0]).toBe(
      'scaling of web-gpu to 2 nodes in cluster web requested by the autoscaler of cluster web from 127.0.0.1',
    );
  });

  it('an autoscaler request for the current size starts nothing', async () => {
    const { attempt } = await pipeline.manifest();
    for (const _ of [1, 2, 3]) expect((await caller.resize('web-work', { count: 1 })).status).toBe(200);
    expect((await pipeline.manifest()).attempt).toBe(attempt);
    await caller.resize('web-work', { count: 3 });
    for (const _ of [1, 2, 3]) await caller.resize('web-work', { count: 3 });
    expect((await pipeline.manifest()).attempt).toBe(attempt + 1);
  });

  it.each([
    { fault: 'capacity' as const, outOfResources: true },
    { fault: 'quota' as const, outOfResources: true },
    { fault: 'user' as const, outOfResources: false },
  ])('a grow that fails with $fault is undone, and the group reports that until it gets another size', async (row) => {
    pipeline.runner.trouble('infrastructure', row.fault);
    await caller.resize('web-work', { count: 3 });
    await pipeline.settle();
    const failed = await caller.group('web-work');
    expect(failed).toMatchObject({ size: 1, failure: { count: 3, outOfResources: row.outOfResources } });
    expect(failed?.nodes).toHaveLength(1);
    const { attempt } = await pipeline.manifest();
    const seen = await caller.resize('web-work', { count: 1 });
    expect(seen.json).toMatchObject({ size: 1 });
    expect(seen.json.failure).toBeUndefined();
    expect((await pipeline.manifest()).attempt).toBe(attempt);
    await caller.resize('web-gpu', { count: 1 });
    await pipeline.settle();
    expect((await caller.group('web-gpu'))?.nodes).toHaveLength(1);
    expect((await pipeline.manifest()).status).toBe('Done');
  });
});

describe('after credentials were refused', () => {
  beforeEach(async () => {
    pipeline.runner.trouble('infrastructure', 'credentials');
    await caller.resize('web-work', { count: 3 });
    await pipeline.settle();
  });

  it('no size is tried until the Secret is stored again: clouds lock accounts', async () => {
    const { attempt } = await pipeline.manifest();
    expect((await caller.resize('web-work', { count: 1 })).status).toBe(200);
    for (const pool of ['web-work', 'web-gpu'])
      expect(await caller.resize(pool, { count: 2 })).toMatchObject({
        status: 409,
        json: { detail: expect.stringMatching(/credentials were refused .*; store the Secret again/) },
      });
    expect((await pipeline.manifest()).attempt).toBe(attempt);
    const { name } = agentSecretRef;
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'team', name }, stringData: { any: 'x' } };
    await callApi(pipeline.deps, 'PUT', `/v1/secrets/team/${name}`, { body });
    pipeline.deps.clock.advance(120);
    expect(await pipeline.invoke('tick', {})).toMatchObject({ care: ['checked'] });
    await pipeline.settle();
    expect((await caller.resize('web-work', { count: 2 })).status).toBe(200);
  });

  it('a person may still request a size when the agent may not', async () => {
    expect((await pipeline.call('/scale', { body: { sizes: { 'web-work': 2 } } })).status).toBe(202);
    await pipeline.settle();
    expect(await caller.group('web-work')).toMatchObject({ size: 2 });
    expect((await caller.resize('web-work', { count: 3 })).status).toBe(200);
  });
});
