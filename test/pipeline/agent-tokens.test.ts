/** What the token of an agent does not open: other pools, clusters and routes, and nothing once it has ended. */
import { beforeEach, describe, expect, it } from 'vitest';
import { agentToken, agentTokenHash } from '#contracts/agent-token.ts';
import { waypointKeys } from '#contracts/stage.ts';
import { PipelineError } from '#domain/errors.ts';
import { type AgentCaller, agentCaller, agentClusters, agentSecret } from './harness/agent-caller.ts';
import { manifestOf } from './harness/manifests.ts';
import { key, type Pipeline } from './harness/pipeline.ts';

let caller: AgentCaller;
let pipeline: Pipeline;

beforeEach(async () => {
  caller = await agentCaller();
  pipeline = caller.pipeline;
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
  ])('a request of the agent cannot have $title', async ({ pool = 'web-work', body }) => {
    const own = (await caller.group('web-work'))?.nodes[0]?.name ?? '';
    const [brain = ''] = (await pipeline.nodes()).filter((name) => name.startsWith('web-control'));
    const named = JSON.parse(JSON.stringify(body).replace('"own"', `"${own}"`).replace('"web-control"', `"${brain}"`));
    await unchanged(async () => expect(await caller.resize(pool, named)).toMatchObject({ status: 409 }));
  });

  it('a size that failed is no room for an exchange', async () => {
    await caller.resize('web-work', { count: 2 });
    await pipeline.settle();
    pipeline.runner.trouble('infrastructure', 'capacity');
    await caller.resize('web-work', { count: 4 });
    await pipeline.settle();
    const remove = (await caller.group('web-work'))?.nodes.slice(0, 1).map(({ name }) => name);
    for (const count of [2, 3]) expect((await caller.resize('web-work', { count, remove })).status).toBe(409);
    expect((await caller.resize('web-work', { count: 1, remove })).status).toBe(200);
  });

  it('a size below the machines that run, and that it does not name, is refused', async () => {
    await caller.resize('web-work', { count: 3 });
    await pipeline.settle();
    const remove = (await caller.group('web-work'))?.nodes.slice(0, 1).map(({ name }) => name);
    for (const body of [{ count: 2 }, { count: 1, remove }]) {
      const refused = await caller.resize('web-work', body);
      expect(refused.status).toBe(409);
      expect(JSON.stringify(refused)).toContain('would delete some of them');
    }
    expect((await caller.resize('web-work', { count: 2, remove })).status).toBe(200);
  });

  it('the record of another cluster that cannot be read locks no one out', async () => {
    pipeline.deps.clusters.list = () => Promise.reject(new PipelineError('Unreadable', 'db cannot be read'));
    pipeline.deps.demands.list = () => Promise.reject(new PipelineError('Unreadable', 'db cannot be read'));
    expect((await caller.call('GET', '/v1/agent/groups')).status).toBe(200);
    expect((await caller.resize('web-work', { count: 2 })).status).toBe(200);
  });

  it('requests of the agent do not reset the count of automatic retries', async () => {
    const { lease: _lease, ...stored } = await pipeline.manifest();
    const { generation, attempt } = stored;
    const failed = { ...stored, lease: null, status: 'Failed' as const, retries: 3 };
    await pipeline.deps.manifests.replace(failed, { generation, attempt });
    await caller.resize('web-work', { count: 2 });
    expect((await pipeline.manifest()).retries).toBe(3);
    await pipeline.call('/scale', { body: { sizes: { 'web-work': 3 } } });
    expect(await pipeline.manifest()).not.toHaveProperty('retries');
  });

  it.each(['web-fixed', 'web-control', 'db-rows', 'nothing'])(
    'the token of an agent does not reach the pool %s',
    async (pool) => {
      await unchanged(async () => expect(await caller.resize(pool, { count: 2 })).toMatchObject({ status: 404 }));
    },
  );

  it('every wrong agent token is refused with the same message, even if parts of it are right', async () => {
    const web = (await pipeline.cluster('web')).cluster;
    const db = (await pipeline.cluster('db')).cluster;
    const others = [
      '',
      'x',
      agentToken(key, web, 't'.repeat(43)),
      agentToken(key, db, agentSecret),
      agentToken({ ...key, name: 'other' }, web, agentSecret),
      agentToken(key, 'web-0000000', agentSecret),
      agentToken(key, web, ''),
      `${caller.token}x`,
      caller.token.slice(0, -1),
      agentTokenHash(caller.token),
      caller.token.replace('.shop.', '.shop/../shop.'),
    ];
    await unchanged(async () => {
      for (const as of others) {
        const answers = [
          await caller.call('GET', '/v1/agent/groups', { as }),
          await caller.resize('web-work', { count: 2 }, as),
        ];
        for (const { status, json } of answers)
          expect([status, json.detail]).toEqual([403, 'this is not the token of the agent of a cluster that exists']);
      }
    });
  });

  it('a cluster without an agent has no token, also not an empty one', async () => {
    const db = (await pipeline.cluster('db')).cluster;
    expect((await caller.call('GET', '/v1/agent/groups', { as: agentToken(key, db, agentSecret) })).status).toBe(403);
  });

  it('the token of an agent opens no other route', async () => {
    for (const [method, path] of [
      ['GET', '/v1/manifests/team/shop'],
      ['DELETE', '/v1/manifests/team/shop'],
      ['POST', '/v1/manifests/team/shop/scale'],
      ['GET', '/v1/secrets'],
    ] as const)
      expect((await caller.call(method, path)).status, path).toBe(403);
  });

  it('the token of an agent is invalid once its manifest is being deleted, or another token was issued', async () => {
    const record = await pipeline.cluster('web');
    const facts = { ...record.facts, agent: { tokenHash: agentTokenHash('newer') } };
    await pipeline.deps.clusters.put({ ...record, version: record.version + 1, facts });
    expect((await caller.call('GET', '/v1/agent/groups')).status).toBe(403);
    await caller.issue('web');
    expect((await caller.call('GET', '/v1/agent/groups')).status).toBe(200);
    await pipeline.submit(manifestOf(agentClusters), true);
    expect((await caller.call('GET', '/v1/agent/groups')).status).toBe(403);
  });

  it('the agent may still have the token before while it is renewed', async () => {
    const record = await pipeline.cluster('web');
    const [newer = '', own = ''] = ['newer', caller.token].map(agentTokenHash);
    for (const [more, tokens] of [{ before: own }, { before: newer, older: own }].entries()) {
      const agent = { tokenHash: newer, ...tokens };
      const version = record.version + 1 + more;
      await pipeline.deps.clusters.put({ ...record, version, facts: { ...record.facts, agent } });
      expect((await caller.call('GET', '/v1/agent/groups')).status).toBe(200);
    }
  });

  it('the token before is worth nothing a quarter of an hour after the cluster has the new one', async () => {
    const record = await pipeline.cluster('web');
    const appliedAt = pipeline.deps.clock.now().toISOString();
    const agent = { tokenHash: agentTokenHash('newer'), before: agentTokenHash(caller.token), appliedAt };
    await pipeline.deps.clusters.put({ ...record, version: record.version + 1, facts: { ...record.facts, agent } });
    pipeline.deps.clock.advance(14 * 60);
    expect((await caller.call('GET', '/v1/agent/groups')).status).toBe(200);
    pipeline.deps.clock.advance(2 * 60);
    expect((await caller.call('GET', '/v1/agent/groups')).status).toBe(403);
  });

  it('no one learns what is wrong with a body without a token: it is not read', async () => {
    const words = 'this is not the token of the agent of a cluster that exists';
    for (const body of [{ count: 'two' }, { nodes: 'all' }, 'a: ['])
      for (const path of ['groups/web-work/size', 'health']) {
        const { status, json } = await caller.call('POST', `/v1/agent/${path}`, { body, as: `${caller.token}x` });
        expect([status, json.detail]).toEqual([403, words]);
      }
  });

  it('a token that a run issued is valid before the run has ended, however it ends', async () => {
    const record = await pipeline.cluster('web');
    const newer = agentToken(key, record.cluster, 'n'.repeat(43));
    expect((await caller.call('GET', '/v1/agent/groups', { as: newer })).status).toBe(403);
    const waypointPrefix = 'runs/team/shop/a-run/a-waypoint';
    const facts = {
      ...record.facts,
      agent: { tokenHash: agentTokenHash(newer), before: agentTokenHash(caller.token) },
    };
    await pipeline.deps.artifacts.putText(waypointKeys.facts(waypointPrefix), JSON.stringify(facts));
    const failed = { ...record, status: 'NeedsAttention' as const, version: record.version + 1, waypointPrefix };
    await pipeline.deps.clusters.put(failed);
    for (const as of [newer, caller.token])
      expect((await caller.call('GET', '/v1/agent/groups', { as })).status).toBe(200);
  });

  it.each([{}, { count: -1 }, { count: 1.5 }, { count: '2' }, { count: 2, force: true }, { count: 2, remove: 'all' }])(
    'the body %j is refused',
    async (body) => {
      await unchanged(async () => expect((await caller.resize('web-work', body)).status).toBe(400));
    },
  );
});
