/** Demand as it is written: no writer loses what another one asked for, and none outlives its cluster. */
import { describe, expect, it } from 'vitest';
import { noDemand, withSizes } from '#domain/demand.ts';
import { changeDemand, requestReplacements } from '#functions/pipeline/records/demand-records.ts';
import { fakeDeps } from '#test/fakes/fake-deps.ts';
import { manifestOf } from './harness/manifests.ts';
import { key, Pipeline } from './harness/pipeline.ts';

const cluster = 'web-1234567';
const of = { key: { namespace: 'team', name: 'shop' }, cluster };
const [noon, later] = ['2026-11-20T12:00:00.000Z', '2026-11-20T12:05:00.000Z'];

describe('demand', () => {
  it('writers at the same moment all get what they asked for', async () => {
    const deps = fakeDeps();
    await Promise.all([
      changeDemand(deps, of, (demand) => withSizes(demand, { work: 5 }, { by: 'ann', at: noon })),
      requestReplacements(deps, of, [{ node: 'work-1', because: 'it hangs' }], { by: 'healing', at: noon }),
      requestReplacements(deps, of, [{ node: 'work-2', because: 'it is gone' }], { by: 'healing', at: noon }),
    ]);
    const stored = await deps.demands.get(of.key, cluster);
    expect(stored).toMatchObject({ version: 3, sizes: { work: { count: 5, by: 'ann', at: noon } } });
    expect(stored?.replace.map(({ node }) => node).sort()).toEqual(['work-1', 'work-2']);
  });

  it('a node that is asked for twice keeps who asked first, and nothing is written again', async () => {
    const deps = fakeDeps();
    const nodes = [{ node: 'work-1', because: 'it hangs' }];
    await requestReplacements(deps, of, nodes, { by: 'healing', at: noon });
    const again = await requestReplacements(deps, of, nodes, { by: 'ann', at: later });
    expect(again.replace).toEqual([{ node: 'work-1', because: 'it hangs', by: 'healing', at: noon }]);
    expect((await deps.demands.get(of.key, cluster))?.version).toBe(1);
  });

  it('a new size forgets that an earlier one failed, and leaves other pools alone', () => {
    const failure = { count: 9, at: noon, class: 'capacity', code: 'OutOfStock', message: 'none left' } as const;
    const before = { ...noDemand, failures: { work: failure, other: failure } };
    expect(withSizes(before, { work: 4 }, { by: 'ann', at: later })).toEqual({
      replace: [],
      failures: { other: failure },
      sizes: { work: { count: 4, by: 'ann', at: later } },
    });
  });
});

describe('demand of what is deleted', () => {
  const put = async (pipeline: Pipeline) => {
    for (const record of await pipeline.deps.clusters.list(key))
      await changeDemand(pipeline.deps, { key, cluster: record.cluster }, (demand) =>
        withSizes(demand, { 'web-work': 2 }, { by: 'ann', at: noon }),
      );
    expect(await pipeline.deps.demands.list(key)).not.toEqual([]);
  };

  it('the demand of a cluster that is deleted is deleted with it, and that of another stays', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(manifestOf([{ name: 'web' }, { name: 'db' }]));
    await put(pipeline);
    await pipeline.apply(manifestOf([{ name: 'web' }]));
    expect((await pipeline.deps.demands.list(key)).filter(({ cluster }) => cluster.startsWith('db'))).toEqual([]);
  });

  it('a manifest that is deleted or orphaned leaves no demand', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(manifestOf());
    await put(pipeline);
    await pipeline.submit(manifestOf(), true);
    await pipeline.settle();
    expect(await pipeline.deps.demands.list(key)).toEqual([]);
    const orphaned = new Pipeline();
    await orphaned.apply(manifestOf());
    await put(orphaned);
    expect((await orphaned.call('?orphan=all', { method: 'DELETE' })).status).toBe(202);
    await orphaned.settle();
    expect(await orphaned.deps.demands.list(key)).toEqual([]);
  });
});
