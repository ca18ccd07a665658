/** Plans that bind: `apply --plan` carries out exactly the plan that was shown, or refuses and says what moved. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allNodes } from '#domain/cluster-state.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import type { Answer } from '#test/api/api-under-test.ts';
import { propertyRuns } from '#test/property-runs.ts';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';

const scaled = (fixed: number): InputManifest => manifestOf([{ compute: { work: { min: 1, max: 5 }, fixed } }]);

async function existing(document = scaled(2)): Promise<Pipeline> {
  const pipeline = new Pipeline();
  await pipeline.apply(document);
  pipeline.runner.ran.length = 0;
  return pipeline;
}

const planned = async (pipeline: Pipeline, document: unknown): Promise<string> => {
  const { json } = await pipeline.call('/plan', { body: document });
  expect(json.id).toMatch(/^[0-9a-f]{40}$/);
  return String(json.id);
};
const apply = (pipeline: Pipeline, document: unknown, plan: string): Promise<Answer> =>
  pipeline.call('', { method: 'PUT', body: document, headers: { 'kubeloom-plan': plan } });
const workers = async (pipeline: Pipeline): Promise<readonly string[]> => {
  const { current } = await pipeline.cluster();
  const nodes = current ? allNodes(current).filter(({ pool }) => pool.name === 'web-fixed') : [];
  return nodes.map(({ node }) => node.name);
};
const scale = (pipeline: Pipeline, count: number) =>
  pipeline.call('/scale', { body: { sizes: { 'web-work': count } } });

/** Checks for drift with a finding about the first worker, and repairs it when asked to. */
async function checkDrift(pipeline: Pipeline, repair: boolean): Promise<void> {
  // A check has to wait for a run that is in progress.
  await pipeline.settle();
  const [node = ''] = await workers(pipeline);
  const where = { node, pool: 'web-fixed', provider: 'sim-1' };
  pipeline.runner.drift = [{ kind: 'machine', where, message: `the machine of ${node} is gone`, repairable: true }];
  expect((await pipeline.call('/drift', { body: { repair } })).status).toBe(202);
  await pipeline.settle();
}

/** What can happen between a plan and its apply, and whether the plan has changed then. */
const happenings: Readonly<Record<string, readonly [moves: boolean, act: (pipeline: Pipeline) => Promise<unknown>]>> = {
  'another apply': [true, (pipeline) => pipeline.apply(scaled(4))],
  'a drift repair': [true, (pipeline) => checkDrift(pipeline, true)],
  'a size': [true, (pipeline) => scale(pipeline, 3).then(() => pipeline.settle())],
  'a size that waits': [true, (pipeline) => scale(pipeline, 4)],
  'a replacement': [
    true,
    async (pipeline) => {
      await pipeline.call('/replace', { body: { nodes: (await workers(pipeline)).slice(0, 1) } });
      await pipeline.settle();
    },
  ],
  'a drift check that reports': [false, (pipeline) => checkDrift(pipeline, false)],
  'a plan': [false, (pipeline) => planned(pipeline, scaled(5))],
  'a pause that is ended': [false, (pipeline) => pipeline.call('/pause').then(() => pipeline.call('/resume'))],
  'a day': [false, async (pipeline) => pipeline.deps.clock.advance(3600)],
};

describe('a plan', () => {
  it('a plan has the same id at any time, and a different id for a different document', async () => {
    const pipeline = await existing();
    const id = await planned(pipeline, scaled(3));
    expect(await planned(pipeline, scaled(3))).toBe(id);
    expect(await planned(pipeline, scaled(4))).not.toBe(id);
  });

  it('a plan has no id when it is refused', async () => {
    const pipeline = await existing();
    const changed = scaled(2);
    const { clusters } = changed.spec.kubernetes;
    const other = { ...changed.spec.kubernetes, clusters: clusters.map((one) => ({ ...one, network: '10.9.0.0/24' })) };
    const { json } = await pipeline.call('/plan', {
      body: { ...changed, spec: { ...changed.spec, kubernetes: other } },
    });
    expect(json).toMatchObject({ id: null });
  });

  it('a plan is carried out when nothing has moved; the run and its event name it', async () => {
    const pipeline = await existing();
    const id = await planned(pipeline, scaled(3));
    expect(await apply(pipeline, scaled(3), id)).toMatchObject({ status: 202 });
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(await workers(pipeline)).toHaveLength(3);
    expect((await pipeline.runs())[0]).toMatchObject({ status: 'Succeeded', plan: { id } });
    expect((await pipeline.events()).some(({ message }) => message.includes(`plan ${id}`))).toBe(true);
    const description = await pipeline.call('', { method: 'GET' });
    expect(description.json).toMatchObject({ lastRun: { plan: { id } } });
  });

  it('a plan is carried out for a manifest that does not exist yet, and refused once the manifest exists', async () => {
    const pipeline = new Pipeline();
    const id = await planned(pipeline, scaled(2));
    expect(await apply(pipeline, scaled(2), id)).toMatchObject({ status: 202 });
    const again = await apply(pipeline, scaled(2), id);
    expect(again).toMatchObject({ status: 409, json: { code: 'PlanMoved' } });
    expect(again.json.detail).toContain('the manifest was created meanwhile');
  });

  it('a plan that no one ever made here is refused, and the answer names the one that there is', async () => {
    const pipeline = await existing();
    const id = await planned(pipeline, scaled(3));
    const other = await apply(pipeline, scaled(3), 'a'.repeat(40));
    expect(other).toMatchObject({ status: 409, json: { code: 'PlanMoved', details: { plan: id } } });
    expect(await apply(pipeline, scaled(3), 'short')).toMatchObject({ status: 400 });
  });

  it('a plan is refused with the other document when it was made for one', async () => {
    const pipeline = await existing();
    const id = await planned(pipeline, scaled(3));
    const { json } = await apply(pipeline, scaled(4), id);
    expect(json.detail).toContain('the document is not the one that was planned');
    expect(await pipeline.manifest()).toMatchObject({ generation: 1, status: 'Done' });
  });

  it('a plan is refused after a drift repair, which the answer names with its time', async () => {
    const pipeline = await existing();
    const id = await planned(pipeline, scaled(3));
    await checkDrift(pipeline, true);
    const { json } = await apply(pipeline, scaled(3), id);
    expect(json.detail).toMatch(/cluster web was changed by a drift repair at 2026-\S+ \(run shop-\S+-d1\)/);
  });

  it('a plan is refused after anything has moved and never before', async () => {
    const names = Object.keys(happenings);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...names), { maxLength: 3 }), async (chosen) => {
        const pipeline = await existing();
        const id = await planned(pipeline, scaled(5));
        let moves = false;
        for (const name of chosen) {
          const [moved, act] = happenings[name] ?? [false, async () => undefined];
          await act(pipeline);
          moves ||= moved;
        }
        const { status, json } = await apply(pipeline, scaled(5), id);
        expect(moves ? [status, json.code] : [status]).toEqual(moves ? [409, 'PlanMoved'] : [202]);
        pipeline.runner.drift = [];
        await pipeline.settle();
        if (!moves) expect(await workers(pipeline)).toHaveLength(5);
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});

describe('what moves after a plan was accepted and before its run begins', () => {
  const between = ['plan-manifest', 'plan-cluster'] as const;

  it.each(between)(
    'a size that is asked for before %s: nothing is touched, and the failure says what moved',
    async (task) => {
      const pipeline = await existing();
      const id = await planned(pipeline, scaled(3));
      await apply(pipeline, scaled(3), id);
      const { cluster } = await pipeline.cluster();
      pipeline.before.set(task, async () => {
        pipeline.before.delete(task);
        const asked = { 'web-work': { count: 4, at: '2026-11-23T03:00:00.000Z', by: 'autoscaler' } };
        const of = { namespace: 'team', manifest: 'shop', cluster, version: 1 };
        await pipeline.deps.demands.put({ ...of, sizes: asked, replace: [], failures: {} });
      });
      await pipeline.settle();
      expect(pipeline.runner.ran).toEqual([]);
      expect(await workers(pipeline)).toHaveLength(2);
      expect(await pipeline.manifest()).toMatchObject({ status: 'Failed' });
      const { failure } = await pipeline.cluster();
      expect(failure).toMatchObject({ class: 'user', code: 'PlanMoved' });
      expect(failure?.message).toContain('other sizes or replacements of cluster web were requested');
      // Neither the scheduler nor a size that is asked for afterwards carries out what was refused.
      pipeline.deps.clock.advance(48 * 3600);
      await pipeline.invoke('tick', {});
      await scale(pipeline, 5);
      await pipeline.settle();
      expect(pipeline.runner.ran).toEqual([]);
      // The plan as it is now is carried out.
      expect(await apply(pipeline, scaled(3), await planned(pipeline, scaled(3)))).toMatchObject({ status: 202 });
      expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
      expect(await workers(pipeline)).toHaveLength(3);
    },
  );

  it('neither of two clusters is touched when the plan of one has changed', async () => {
    const two = (fixed: number) => manifestOf([{ compute: { fixed } }, { name: 'api', compute: { fixed } }]);
    const pipeline = await existing(two(1));
    await apply(pipeline, two(2), await planned(pipeline, two(2)));
    const record = await pipeline.cluster('api');
    const lastChange = { at: '2026-11-23T03:00:00.000Z', runId: 'shop-x-g1-d9', direction: 'repair' };
    await pipeline.deps.clusters.put({ ...record, version: record.version + 1, lastChange });
    await pipeline.settle();
    expect(pipeline.runner.ran).toEqual([]);
    expect((await pipeline.cluster('web')).failure?.message).toContain('cluster api was changed by a drift repair');
  });

  it('a cluster on which the run has started continues after a failure, even if another cluster has changed meanwhile', async () => {
    const two = (fixed: number) => manifestOf([{ compute: { fixed } }, { name: 'api', compute: { fixed } }]);
    const pipeline = await existing(two(1));
    await apply(pipeline, two(2), await planned(pipeline, two(2)));
    pipeline.runner.trouble('kubernetes', 'quota');
    pipeline.before.set('plan-cluster', async () => {
      pipeline.before.delete('plan-cluster');
      const record = await pipeline.cluster('api');
      const lastChange = { at: '2026-11-23T03:00:00.000Z', runId: 'shop-x-g1-d9', direction: 'repair' };
      await pipeline.deps.clusters.put({ ...record, version: record.version + 1, lastChange });
    });
    await pipeline.settle();
    expect((await pipeline.cluster('web')).failure?.code).not.toBe('PlanMoved');
    await pipeline.call('/retry');
    await pipeline.settle();
    expect((await pipeline.cluster('web')).failure).toBeNull();
    expect(await pipeline.nodes('web')).toHaveLength(3);
    expect((await pipeline.cluster('api')).failure).toMatchObject({ code: 'PlanMoved' });
    expect(await pipeline.nodes('api')).toHaveLength(2);
  });

  it('a run that is bound to a plan continues after a failure: its own changes do not count as moved', async () => {
    const pipeline = await existing();
    pipeline.runner.trouble('kubernetes', 'quota');
    await apply(pipeline, scaled(3), await planned(pipeline, scaled(3)));
    await pipeline.settle();
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed' });
    await pipeline.call('/retry');
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(await workers(pipeline)).toHaveLength(3);
  });

  const both = manifestOf([{}, { name: 'api' }]);
  it('a plan that only deletes a cluster is done when an attempt that was interrupted has deleted it', async () => {
    const pipeline = await existing(both);
    await apply(pipeline, manifestOf([{}]), await planned(pipeline, manifestOf([{}])));
    pipeline.before.set('settle-manifest', async () => {
      pipeline.before.delete('settle-manifest');
      await pipeline.machines.abortAll();
      throw new Error('the platform was killed');
    });
    await pipeline.settle();
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', generation: 2, attempt: 2 });
    expect((await pipeline.clusters()).map(({ cluster }) => cluster)).toHaveLength(1);
  });

  it('a plan that deletes a cluster and changes another is refused when someone else has deleted it', async () => {
    const pipeline = await existing(both);
    const desired = manifestOf([{ compute: { fixed: 3 } }]);
    await apply(pipeline, desired, await planned(pipeline, desired));
    await pipeline.deps.clusters.remove(await pipeline.cluster('api'));
    await pipeline.settle();
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', generation: 2 });
    expect((await pipeline.cluster('web')).failure).toMatchObject({
      code: 'PlanMoved',
      message: expect.stringContaining('cluster api no longer exists'),
    });
    expect(pipeline.runner.ran).toEqual([]);
  });
});
