/** Replacements that are taken back: before their run, while it creates the other node, and at the moment in which the removal starts. */
import { expect, it } from 'vitest';
import { type Demand, noDemand } from '#domain/demand.ts';
import { demandOf } from '#functions/pipeline/records/demand-records.ts';
import { manifestOf } from './harness/manifests.ts';
import { key, Pipeline } from './harness/pipeline.ts';

const scaled = manifestOf([{ compute: { work: { min: 1, max: 5 }, fixed: 2 } }]);

async function existing(document = scaled): Promise<Pipeline> {
  const pipeline = new Pipeline();
  await pipeline.apply(document);
  pipeline.runner.ran.length = 0;
  return pipeline;
}

const replace = async (pipeline: Pipeline, ...nodes: readonly string[]): Promise<void> => {
  expect(await pipeline.call('/replace', { body: { nodes, because: 'it hangs' } })).toMatchObject({ status: 202 });
};

const left = async (pipeline: Pipeline): Promise<Demand> =>
  demandOf(await pipeline.deps.demands.get(key, (await pipeline.cluster()).cluster));
const of = async (pipeline: Pipeline, pool: string) =>
  (await pipeline.nodes()).filter((name) => name.startsWith(`web-${pool}-`));
const messages = async (pipeline: Pipeline, kind: string) =>
  (await pipeline.events()).filter((event) => event.kind === kind).map(({ message }) => message);

const undo = (pipeline: Pipeline, ...nodes: readonly string[]) =>
  pipeline.call('/replace', { body: { nodes, undo: true } });

it('a replacement that is taken back before its run starts changes nothing', async () => {
  const pipeline = await existing();
  const before = await pipeline.nodes();
  const [first = ''] = await of(pipeline, 'work');
  await pipeline.call('/pause');
  await replace(pipeline, first);
  expect(await undo(pipeline, first)).toMatchObject({ status: 202 });
  expect(await left(pipeline)).toEqual(noDemand);
  expect((await messages(pipeline, 'ReplacementRequested')).at(-1)).toMatch(
    new RegExp(`^end of the replacement of ${first} requested by tester from `),
  );
  await pipeline.call('/resume');
  await pipeline.settle();
  expect(pipeline.runner.ran).toEqual([]);
  expect(await pipeline.nodes()).toEqual(before);
});

it('a node whose replacement is taken back while the other one is created stays, and the other one leaves', async () => {
  const pipeline = await existing();
  const before = await of(pipeline, 'fixed');
  pipeline.runner.trouble('configuration', async () => {
    expect(await undo(pipeline, before[0] ?? '')).toMatchObject({ status: 202 });
  });
  await replace(pipeline, before[0] ?? '');
  await pipeline.settle();
  expect(await of(pipeline, 'fixed')).toEqual(before);
  expect(await left(pipeline)).toEqual(noDemand);
  expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
});

it('a replacement is not taken back once the removal has started, nor one that no one asked for', async () => {
  const pipeline = await existing();
  const [first = '', second = ''] = await of(pipeline, 'fixed');
  const refused: unknown[] = [];
  pipeline.runner.trouble('nodes', () => undefined);
  pipeline.runner.trouble('nodes', async () => {
    refused.push((await undo(pipeline, first, second)).json.detail);
  });
  await replace(pipeline, first);
  await pipeline.settle();
  expect(refused).toEqual([
    expect.stringMatching(
      new RegExp(`the removal of "${first}" has started.*no replacement of "${second}" was requested`),
    ),
  ]);
  expect(await of(pipeline, 'fixed')).not.toContain(first);
});

/** Calls `work` right before the next write of the cluster's record that starts a removal. */
const beforeRemoval = (pipeline: Pipeline, work: () => Promise<void>): void => {
  const { clusters } = pipeline.deps;
  const put = clusters.put.bind(clusters);
  clusters.put = async (record) => {
    if (record.status === 'Running' && record.lastChange?.direction === 'shrink') {
      clusters.put = put;
      await work();
    }
    return put(record);
  };
};

it('a replacement that is taken back after the removal was planned, before it is stored, is: the node stays', async () => {
  const pipeline = await existing();
  const before = await of(pipeline, 'fixed');
  beforeRemoval(pipeline, async () => {
    expect(await undo(pipeline, before[0] ?? '')).toMatchObject({ status: 202 });
  });
  await replace(pipeline, before[0] ?? '');
  await pipeline.settle();
  expect(await of(pipeline, 'fixed')).toEqual(before);
  expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
});

it('an undo is refused if the removal started before the undo was stored, and the node is removed', async () => {
  const pipeline = await existing();
  const [first = ''] = await of(pipeline, 'fixed');
  const { demands } = pipeline.deps;
  const put = demands.put.bind(demands);
  await replace(pipeline, first);
  let removalStarts = (): void => undefined;
  const removal = new Promise<void>((resolve) => {
    removalStarts = resolve;
  });
  let undone: ReturnType<typeof undo> | undefined;
  // What the undo reads is from before the removal; its write comes after the start of it.
  pipeline.runner.trouble('infrastructure', async () => {
    demands.put = async (record) => {
      demands.put = put;
      await removal;
      return put(record);
    };
    undone = undo(pipeline, first);
  });
  pipeline.runner.trouble('nodes', () => undefined);
  pipeline.runner.trouble('nodes', async () => {
    removalStarts();
    expect(await undone).toMatchObject({ status: 409, json: { detail: expect.stringContaining('has started') } });
  });
  await pipeline.settle();
  expect(await undone).toBeDefined();
  expect(await of(pipeline, 'fixed')).not.toContain(first);
});
