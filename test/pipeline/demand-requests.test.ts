/** What may be asked for apart from the manifest, what is refused and why, and how it is shown. */
import { describe, expect, it } from 'vitest';
import { noDemand } from '#domain/demand.ts';
import { manifestOf } from './harness/manifests.ts';
import { key, Pipeline } from './harness/pipeline.ts';

const scaled = { compute: { work: { min: 1, max: 5 }, fixed: 2 }, machines: 1 };

async function existing(...clusters: Parameters<typeof manifestOf>): Promise<Pipeline> {
  const pipeline = new Pipeline();
  await pipeline.deps.secrets.put('user/team/machines', { privatekey: 'k' });
  await pipeline.apply(manifestOf(...clusters));
  pipeline.runner.ran.length = 0;
  return pipeline;
}

const nothingHappened = async (pipeline: Pipeline) => {
  expect((await pipeline.deps.demands.list(key)).map(({ sizes, replace }) => ({ sizes, replace }))).toEqual([]);
  expect(await pipeline.manifest()).toMatchObject({ attempt: 1 });
};

describe('a size that is asked for', () => {
  it('all faults of a request are reported at once, with what to do', async () => {
    const pipeline = await existing([scaled]);
    const sizes = { 'web-work': 9, 'web-fixed': 3, 'web-own': 2, nothing: 1 };
    const answer = await pipeline.call('/scale', { body: { sizes } });
    expect(answer).toMatchObject({
      status: 409,
      json: { code: 'VerbRefused', current: { generation: 1, attempt: 1 } },
    });
    expect(answer.json.faults).toEqual([
      {
        path: 'sizes.web-work',
        reason: '9 is not between min 1 and max 5 of the pool "web-work"',
        fix: 'request 1 to 5, or change the autoscaler in the manifest',
      },
      {
        path: 'sizes.web-fixed',
        reason: 'the pool "web-fixed" has a fixed count of 2',
        fix: 'change count in the manifest and apply it',
      },
      {
        path: 'sizes.web-own',
        reason: 'the pool "web-own" has machines of your own',
        fix: 'add or remove machines in the manifest',
      },
      { path: 'sizes.nothing', reason: 'the manifest has no pool "nothing"', fix: 'name one of web-work' },
    ]);
    await nothingHappened(pipeline);
  });

  it.each([
    { title: 'no sizes', body: {} },
    { title: 'no pool', body: { sizes: {} } },
    { title: 'a number below 0', body: { sizes: { 'web-work': -1 } } },
    { title: 'half a node', body: { sizes: { 'web-work': 1.5 } } },
    { title: 'a text', body: { sizes: { 'web-work': '3' } } },
    { title: 'a field that no one knows', body: { sizes: { 'web-work': 3 }, force: true } },
    { title: 'the name of a prototype', body: { sizes: JSON.parse('{"__proto__":3}') as object } },
  ])('a request with $title is 400', async ({ body }) => {
    const pipeline = await existing([scaled]);
    expect((await pipeline.call('/scale', { body })).status).toBe(400);
    await nothingHappened(pipeline);
  });

  it('a pool that several clusters use needs the name of one; pools of one cluster do not', async () => {
    const document = manifestOf([{ name: 'web', ...scaled, machines: 0 }, { name: 'db' }]);
    document.spec.kubernetes.clusters[1]?.pools.compute.push('web-work');
    const pipeline = new Pipeline();
    await pipeline.apply(document);
    const sizes = { 'web-work': 3 };
    const vague = await pipeline.call('/scale', { body: { sizes } });
    expect(vague.json.detail).toContain('the clusters web and db use these pools; name one of them as `cluster`');
    expect((await pipeline.call('/scale', { body: { sizes, cluster: 'moon' } })).json.detail).toContain(
      'there is no cluster "moon"; name one of web and db',
    );
    expect((await pipeline.call('/scale', { body: { sizes, cluster: 'db' } })).status).toBe(202);
    await pipeline.settle();
    expect([(await pipeline.nodes('web')).length, (await pipeline.nodes('db')).length]).toEqual([4, 6]);
  });

  it('a cluster that does not exist yet, or is being deleted, cannot be scaled', async () => {
    const pipeline = new Pipeline();
    await pipeline.submit(manifestOf([{ compute: scaled.compute }]));
    const body = { sizes: { 'web-work': 2 } };
    expect((await pipeline.call('/scale', { body })).json.detail).toContain('does not exist yet');
    await pipeline.settle();
    await pipeline.submit(manifestOf([{ compute: scaled.compute }]), true);
    expect((await pipeline.call('/scale', { body })).json.detail).toContain('it is being deleted');
  });

  it('a request for a size that is in progress starts nothing, and a request for another size starts a run', async () => {
    const pipeline = await existing([scaled]);
    const ask = (count: number) => pipeline.call('/scale', { body: { sizes: { 'web-work': count } } });
    const answers: number[] = [];
    pipeline.runner.trouble('configuration', async () => {
      answers.push((await ask(3)).status, (await ask(4)).status, (await ask(4)).status);
    });
    expect((await ask(3)).status).toBe(202);
    await pipeline.settle();
    expect(answers).toEqual([200, 202, 200]);
    expect((await pipeline.nodes()).filter((name) => name.startsWith('web-work'))).toHaveLength(4);
  });

  it('requests of several callers at the same moment are all kept', async () => {
    const pipeline = await existing([{ compute: { work: { min: 0, max: 5 }, more: { min: 0, max: 5 } } }]);
    const answers = await Promise.all([
      pipeline.call('/scale', { body: { sizes: { 'web-work': 3 } } }),
      pipeline.call('/scale', { body: { sizes: { 'web-more': 2 } } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    await pipeline.settle();
    expect(await pipeline.nodes()).toHaveLength(6);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', lease: null });
  });
});

describe('a replacement that is asked for', () => {
  it('unknown nodes, machines of the user and the last control node are refused together', async () => {
    const pipeline = await existing([scaled]);
    const nodes = await pipeline.nodes();
    const [brain = ''] = nodes.filter((name) => name.startsWith('web-control'));
    const own = (await pipeline.cluster()).current?.pools.find(({ name }) => name === 'web-own')?.nodes[0]?.name ?? '';
    const answer = await pipeline.call('/replace', { body: { nodes: ['moon-01', own, brain] } });
    expect(answer).toMatchObject({ status: 409, json: { code: 'VerbRefused' } });
    expect((answer.json.faults as { reason: string }[]).map(({ reason }) => reason)).toEqual([
      'there is no node "moon-01"',
      `the node "${own}" is a machine of your own, which Kubeloom cannot create`,
      `the node "${brain}" is one of the last control nodes of "web"`,
    ]);
    await nothingHappened(pipeline);
  });

  it('some control nodes can be replaced, but replacing all of them together is refused', async () => {
    const pipeline = await existing([{ control: 3 }]);
    const brains = (await pipeline.nodes()).filter((name) => name.startsWith('web-control'));
    expect((await pipeline.call('/replace', { body: { nodes: brains } })).status).toBe(409);
    const [first = ''] = brains;
    expect((await pipeline.call('/replace', { body: { nodes: [first] } })).status).toBe(202);
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    const fewest = Math.min(
      ...pipeline.runner.documents.map(
        ({ target }) => target?.pools.find(({ role }) => role === 'control')?.nodes.length ?? 0,
      ),
    );
    expect(fewest).toBe(3);
    const after = (await pipeline.nodes()).filter((name) => name.startsWith('web-control'));
    expect(after).toHaveLength(3);
    expect(after).not.toContain(first);
  });

  it('a node of a protected pool is refused with the way out', async () => {
    const document = manifestOf([{}]);
    const [, work] = document.spec.nodePools.dynamic;
    if (work) work.protect = true;
    const pipeline = new Pipeline();
    await pipeline.apply(document);
    const [node] = (await pipeline.nodes()).filter((name) => name.startsWith('web-work'));
    const answer = await pipeline.call('/replace', { body: { nodes: [node] } });
    expect(answer.json.detail).toContain('is protected; set protect to false on the pool');
  });

  it.each([
    { title: 'no node', body: { nodes: [] } },
    { title: 'a name that no node can have', body: { nodes: ['../web'] } },
    { title: 'a reason of several lines', body: { nodes: ['web-01'], because: 'a\nb' } },
    { title: 'a reason without end', body: { nodes: ['web-01'], because: 'x'.repeat(201) } },
  ])('a replacement with $title is 400', async ({ body }) => {
    const pipeline = await existing([scaled]);
    expect((await pipeline.call('/replace', { body })).status).toBe(400);
  });
});

describe('what was asked for', () => {
  it('events, the description and the plan show it, with who asked and why', async () => {
    const pipeline = await existing([scaled]);
    const [node = ''] = (await pipeline.nodes()).filter((name) => name.startsWith('web-fixed'));
    await pipeline.call('/pause');
    expect((await pipeline.call('/scale', { body: { sizes: { 'web-work': 3 } } })).json).toMatchObject({
      paused: true,
    });
    await pipeline.call('/replace', { body: { nodes: [node], because: 'its disk is full' } });
    const by = 'tester';
    const demand = {
      sizes: [{ pool: 'web-work', count: 3, by, at: expect.any(String) }],
      replace: [{ node, because: 'its disk is full', by, at: expect.any(String) }],
      failures: [],
    };
    const { json } = await pipeline.call('', { method: 'GET' });
    expect(json.clusters).toMatchObject([{ demand }]);
    const plan = await pipeline.call('/plan');
    expect(plan.json).toMatchObject({ hasWork: true, demand: [{ ...demand, cluster: 'web' }] });
    expect(JSON.stringify(plan.json.clusters)).toContain(node);
    const events = (await pipeline.events())
      .filter(({ kind }) => /Requested$/.test(kind))
      .map(({ message }) => message);
    expect(events).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^scaling of web-work to 3 nodes in cluster web requested by tester from /),
        expect.stringMatching(new RegExp(`^replacement of ${node} requested \\(its disk is full\\) by `)),
      ]),
    );
    await pipeline.call('/resume');
    await pipeline.settle();
    expect((await pipeline.call('', { method: 'GET' })).json.clusters).toMatchObject([{ demand: null }]);
    expect(await pipeline.deps.demands.list(key)).toMatchObject([noDemand]);
  });

  it('a size that was not reached is shown until another one is asked for', async () => {
    const pipeline = await existing([scaled]);
    pipeline.runner.trouble('infrastructure', 'capacity');
    await pipeline.call('/scale', { body: { sizes: { 'web-work': 5 } } });
    await pipeline.settle();
    const failed = (await pipeline.call('', { method: 'GET' })).json.clusters;
    expect(failed).toMatchObject([{ demand: { failures: [{ pool: 'web-work', count: 5, class: 'capacity' }] } }]);
    await pipeline.call('/scale', { body: { sizes: { 'web-work': 2 } } });
    await pipeline.settle();
    expect((await pipeline.call('', { method: 'GET' })).json.clusters).toMatchObject([{ demand: null }]);
  });
});
