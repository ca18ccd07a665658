/** What the agent in a cluster may ask with its token: for its own cluster, within the bounds, and nothing else. */
import { beforeEach, describe, expect, it } from 'vitest';
import { AgentGroups } from '#contracts/agent.ts';
import { agentToken, agentTokenHash } from '#contracts/agent-token.ts';
import { waypointKeys } from '#contracts/stage.ts';
import { PipelineError } from '#domain/errors.ts';
import { callApi } from '#test/api/api-under-test.ts';
import { type ClusterSpec, manifestOf } from './harness/manifests.ts';
import { key, Pipeline } from './harness/pipeline.ts';

const secret = 's'.repeat(43);
const clusters: readonly ClusterSpec[] = [
  { name: 'web', control: 1, compute: { work: { min: 1, max: 4 }, gpu: { min: 0, max: 2 }, fixed: 1 } },
  { name: 'db', compute: { rows: { min: 0, max: 3 } } },
];
const secretRef = { namespace: 'team', name: 'cloud' };
let pipeline: Pipeline;
let token: string;

/** A token for the agent of a cluster, as the nodes stage leaves it. */
async function issue(name: string): Promise<string> {
  const record = await pipeline.cluster(name);
  const issued = agentToken(key, record.cluster, secret);
  const facts = { ...record.facts, agent: { tokenHash: agentTokenHash(issued) } };
  await pipeline.deps.clusters.put({ ...record, version: record.version + 1, facts });
  return issued;
}

const call = (method: string, path: string, { body, as = token }: { body?: unknown; as?: string } = {}) =>
  callApi(pipeline.deps, method, path, { body, as: null, headers: { authorization: `Bearer ${as}` } });
const groups = async () => AgentGroups.parse((await call('GET', '/v1/agent/groups')).json).groups;
const group = async (pool: string) => (await groups()).find((one) => one.pool === pool);
const resize = (pool: string, body: unknown, as?: string) =>
  call('POST', `/v1/agent/groups/${pool}/size`, { body, ...(as !== undefined && { as }) });

beforeEach(async () => {
  pipeline = new Pipeline();
  const document = manifestOf(clusters);
  const providers = document.spec.providers.map((provider) => ({ ...provider, secretRef }));
  await pipeline.apply({ ...document, spec: { ...document.spec, providers } });
  token = await issue('web');
});

describe('node groups', () => {
  it('the agent sees the autoscaled compute pools of its cluster, with bounds, nodes and what a new one has', async () => {
    const found = await groups();
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
    const document = manifestOf(clusters);
    const pool = document.spec.nodePools.dynamic.find(({ name }) => name === 'web-gpu');
    if (pool) pool.autoscaler = { min: 0, max: 2, capacity: { cpu: 8, memory: 32, gpu: 1 } };
    await pipeline.apply(document);
    expect((await group('web-gpu'))?.template).toMatchObject({
      capacity: { cpu: '8', memory: '32G', 'nvidia.com/gpu': '1' },
      labels: { 'nvidia.com/gpu.present': 'true' },
    });
    expect((await pipeline.manifest()).status).toBe('Done');
  });

  it('a pool grows from nothing, and nodes that are not needed leave with their places', async () => {
    const grown = await resize('web-gpu', { count: 2 });
    expect(grown).toMatchObject({ status: 200, json: { size: 2, nodes: [] } });
    pipeline.runner.trouble('configuration', async () => {
      expect((await group('web-gpu'))?.nodes.map(({ state }) => state)).toEqual(['creating', 'creating']);
    });
    await pipeline.settle();
    const [first = '', second] = (await group('web-gpu'))?.nodes.map(({ name }) => name) ?? [];
    const shrunk = await resize('web-gpu', { count: 1, remove: [first] });
    expect(shrunk.json).toMatchObject({ size: 1, nodes: [{ name: first, state: 'deleting' }, { name: second }] });
    await pipeline.settle();
    expect((await group('web-gpu'))?.nodes).toEqual([{ name: second, state: 'running' }]);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', generation: 1 });
    const asked = (await pipeline.events())
      .filter(({ kind }) => kind === 'ScaleRequested')
      .map(({ message }) => message);
    expect(asked[0]).toBe(
      'scaling of web-gpu to 2 nodes in cluster web requested by the autoscaler of cluster web from 127.0.0.1',
    );
  });

  it('the same size again starts nothing', async () => {
    const { attempt } = await pipeline.manifest();
    for (const _ of [1, 2, 3]) expect((await resize('web-work', { count: 1 })).status).toBe(200);
    expect((await pipeline.manifest()).attempt).toBe(attempt);
    await resize('web-work', { count: 3 });
    for (const _ of [1, 2, 3]) await resize('web-work', { count: 3 });
    expect((await pipeline.manifest()).attempt).toBe(attempt + 1);
  });

  it.each([
    { fault: 'capacity' as const, outOfResources: true },
    { fault: 'quota' as const, outOfResources: true },
    { fault: 'user' as const, outOfResources: false },
  ])('a grow that fails with $fault is undone, and the group says so until it gets another size', async (row) => {
    pipeline.runner.trouble('infrastructure', row.fault);
    await resize('web-work', { count: 3 });
    await pipeline.settle();
    const failed = await group('web-work');
    expect(failed).toMatchObject({ size: 1, failure: { count: 3, outOfResources: row.outOfResources } });
    expect(failed?.nodes).toHaveLength(1);
    const { attempt } = await pipeline.manifest();
    const seen = await resize('web-work', { count: 1 });
    expect(seen.json).toMatchObject({ size: 1 });
    expect(seen.json.failure).toBeUndefined();
    expect((await pipeline.manifest()).attempt).toBe(attempt);
    await resize('web-gpu', { count: 1 });
    await pipeline.settle();
    expect((await group('web-gpu'))?.nodes).toHaveLength(1);
    expect((await pipeline.manifest()).status).toBe('Done');
  });
});

describe('after credentials were refused', () => {
  beforeEach(async () => {
    pipeline.runner.trouble('infrastructure', 'credentials');
    await resize('web-work', { count: 3 });
    await pipeline.settle();
  });

  it('no size is tried until the Secret is stored again: clouds lock accounts', async () => {
    const { attempt } = await pipeline.manifest();
    expect((await resize('web-work', { count: 1 })).status).toBe(200);
    for (const pool of ['web-work', 'web-gpu'])
      expect(await resize(pool, { count: 2 })).toMatchObject({
        status: 409,
        json: { detail: expect.stringMatching(/credentials were refused .*; store the Secret again/) },
      });
    expect((await pipeline.manifest()).attempt).toBe(attempt);
    const { name } = secretRef;
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'team', name }, stringData: { any: 'x' } };
    await callApi(pipeline.deps, 'PUT', `/v1/secrets/team/${name}`, { body });
    pipeline.deps.clock.advance(120);
    expect(await pipeline.invoke('tick', {})).toMatchObject({ care: ['checked'] });
    await pipeline.settle();
    expect((await resize('web-work', { count: 2 })).status).toBe(200);
  });

  it('a person may ask all the same', async () => {
    expect((await pipeline.call('/scale', { body: { sizes: { 'web-work': 2 } } })).status).toBe(202);
    await pipeline.settle();
    expect(await group('web-work')).toMatchObject({ size: 2 });
    expect((await resize('web-work', { count: 3 })).status).toBe(200);
  });
});

describe('a token in the wrong hands', () => {
  const unchanged = async (work: () => Promise<unknown>) => {
    const before = await pipeline.manifest();
    await work();
    expect(await pipeline.manifest()).toEqual(before);
    expect(await pipeline.deps.demands.list(key)).toEqual([]);
  };

  it.each([
    { title: 'more than max', body: { count: 5 } },
    { title: 'less than min', body: { count: 0 } },
    { title: 'a node of another pool', pool: 'web-gpu', body: { count: 0, remove: ['web-control'] } },
    { title: 'a node in exchange for another', body: { count: 1, remove: ['own'] } },
    { title: 'a node and a larger pool', body: { count: 3, remove: ['own'] } },
  ])('it cannot have $title', async ({ pool = 'web-work', body }) => {
    const own = (await group('web-work'))?.nodes[0]?.name ?? '';
    const [brain = ''] = (await pipeline.nodes()).filter((name) => name.startsWith('web-control'));
    const named = JSON.parse(JSON.stringify(body).replace('"own"', `"${own}"`).replace('"web-control"', `"${brain}"`));
    await unchanged(async () => expect(await resize(pool, named)).toMatchObject({ status: 409 }));
  });

  it('a size that failed is no room for an exchange', async () => {
    await resize('web-work', { count: 2 });
    await pipeline.settle();
    pipeline.runner.trouble('infrastructure', 'capacity');
    await resize('web-work', { count: 4 });
    await pipeline.settle();
    const remove = (await group('web-work'))?.nodes.slice(0, 1).map(({ name }) => name);
    for (const count of [2, 3]) expect((await resize('web-work', { count, remove })).status).toBe(409);
    expect((await resize('web-work', { count: 1, remove })).status).toBe(200);
  });

  it('the record of another cluster that cannot be read locks no one out', async () => {
    pipeline.deps.clusters.list = () => Promise.reject(new PipelineError('Unreadable', 'db cannot be read'));
    pipeline.deps.demands.list = () => Promise.reject(new PipelineError('Unreadable', 'db cannot be read'));
    expect((await call('GET', '/v1/agent/groups')).status).toBe(200);
    expect((await resize('web-work', { count: 2 })).status).toBe(200);
  });

  it('its requests do not reset the count of automatic retries', async () => {
    const { lease: _lease, ...stored } = await pipeline.manifest();
    const { generation, attempt } = stored;
    const failed = { ...stored, lease: null, status: 'Failed' as const, retries: 3 };
    await pipeline.deps.manifests.replace(failed, { generation, attempt });
    await resize('web-work', { count: 2 });
    expect((await pipeline.manifest()).retries).toBe(3);
    await pipeline.call('/scale', { body: { sizes: { 'web-work': 3 } } });
    expect(await pipeline.manifest()).not.toHaveProperty('retries');
  });

  it.each(['web-fixed', 'web-control', 'db-rows', 'nothing'])('it does not reach the pool %s', async (pool) => {
    await unchanged(async () => expect(await resize(pool, { count: 2 })).toMatchObject({ status: 404 }));
  });

  it('every other token is refused with the same words, whatever of it is right', async () => {
    const web = (await pipeline.cluster('web')).cluster;
    const db = (await pipeline.cluster('db')).cluster;
    const others = [
      '',
      'x',
      agentToken(key, web, 't'.repeat(43)),
      agentToken(key, db, secret),
      agentToken({ ...key, name: 'other' }, web, secret),
      agentToken(key, 'web-0000000', secret),
      agentToken(key, web, ''),
      `${token}x`,
      token.slice(0, -1),
      agentTokenHash(token),
      token.replace('.shop.', '.shop/../shop.'),
    ];
    await unchanged(async () => {
      for (const as of others) {
        const answers = [await call('GET', '/v1/agent/groups', { as }), await resize('web-work', { count: 2 }, as)];
        for (const { status, json } of answers)
          expect([status, json.detail]).toEqual([403, 'this is not the token of the agent of a cluster that exists']);
      }
    });
  });

  it('a cluster without an agent has no token, also not an empty one', async () => {
    const db = (await pipeline.cluster('db')).cluster;
    expect((await call('GET', '/v1/agent/groups', { as: agentToken(key, db, secret) })).status).toBe(403);
  });

  it('it opens no other route', async () => {
    for (const [method, path] of [
      ['GET', '/v1/manifests/team/shop'],
      ['DELETE', '/v1/manifests/team/shop'],
      ['POST', '/v1/manifests/team/shop/scale'],
      ['GET', '/v1/secrets'],
    ] as const)
      expect((await call(method, path)).status, path).toBe(403);
  });

  it('it is worth nothing once its manifest is being deleted, or another token was issued', async () => {
    const record = await pipeline.cluster('web');
    const facts = { ...record.facts, agent: { tokenHash: agentTokenHash('newer') } };
    await pipeline.deps.clusters.put({ ...record, version: record.version + 1, facts });
    expect((await call('GET', '/v1/agent/groups')).status).toBe(403);
    token = await issue('web');
    expect((await call('GET', '/v1/agent/groups')).status).toBe(200);
    await pipeline.submit(manifestOf(clusters), true);
    expect((await call('GET', '/v1/agent/groups')).status).toBe(403);
  });

  it('the agent may still have the token before while it is renewed', async () => {
    const record = await pipeline.cluster('web');
    const [newer = '', own = ''] = ['newer', token].map(agentTokenHash);
    for (const [more, tokens] of [{ before: own }, { before: newer, older: own }].entries()) {
      const agent = { tokenHash: newer, ...tokens };
      const version = record.version + 1 + more;
      await pipeline.deps.clusters.put({ ...record, version, facts: { ...record.facts, agent } });
      expect((await call('GET', '/v1/agent/groups')).status).toBe(200);
    }
  });

  it('the token before is worth nothing a quarter of an hour after the cluster has the new one', async () => {
    const record = await pipeline.cluster('web');
    const appliedAt = pipeline.deps.clock.now().toISOString();
    const agent = { tokenHash: agentTokenHash('newer'), before: agentTokenHash(token), appliedAt };
    await pipeline.deps.clusters.put({ ...record, version: record.version + 1, facts: { ...record.facts, agent } });
    pipeline.deps.clock.advance(14 * 60);
    expect((await call('GET', '/v1/agent/groups')).status).toBe(200);
    pipeline.deps.clock.advance(2 * 60);
    expect((await call('GET', '/v1/agent/groups')).status).toBe(403);
  });

  it('no one learns what is wrong with a body without a token: it is not read', async () => {
    const words = 'this is not the token of the agent of a cluster that exists';
    for (const body of [{ count: 'two' }, { nodes: 'all' }, 'a: ['])
      for (const path of ['groups/web-work/size', 'health']) {
        const { status, json } = await call('POST', `/v1/agent/${path}`, { body, as: `${token}x` });
        expect([status, json.detail]).toEqual([403, words]);
      }
  });

  it('one that a run made is good before the run has ended, however it ends', async () => {
    const record = await pipeline.cluster('web');
    const newer = agentToken(key, record.cluster, 'n'.repeat(43));
    expect((await call('GET', '/v1/agent/groups', { as: newer })).status).toBe(403);
    const waypointPrefix = 'runs/team/shop/a-run/a-waypoint';
    const facts = { ...record.facts, agent: { tokenHash: agentTokenHash(newer), before: agentTokenHash(token) } };
    await pipeline.deps.artifacts.putText(waypointKeys.facts(waypointPrefix), JSON.stringify(facts));
    const failed = { ...record, status: 'NeedsAttention' as const, version: record.version + 1, waypointPrefix };
    await pipeline.deps.clusters.put(failed);
    for (const as of [newer, token]) expect((await call('GET', '/v1/agent/groups', { as })).status).toBe(200);
  });

  it.each([{}, { count: -1 }, { count: 1.5 }, { count: '2' }, { count: 2, force: true }, { count: 2, remove: 'all' }])(
    'the body %j is refused',
    async (body) => {
      await unchanged(async () => expect((await resize('web-work', body)).status).toBe(400));
    },
  );
});
