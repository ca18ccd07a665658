/** Machines of a group that get another server type in place, in rounds: one that fails stops those after it, and is repeated. */
import { expect, it } from 'vitest';
import { readObjects } from '#documents/read-objects.ts';
import { type ClusterState, serverTypeOf } from '#domain/cluster-state.ts';
import { validateMachineGroups } from '#domain/manifest/groups/validate-machine-groups.ts';
import { groupsWith, leaf } from '#test/machine-groups/groups.ts';
import { Pipeline } from './harness/pipeline.ts';

function documentOf(group: object): unknown {
  const web = { ...leaf, health: [{ http: { port: 80 } }], update: 'inPlace', ...group };
  const document = groupsWith({ web }, {}, 'web');
  const verdict = validateMachineGroups(
    { ...document, metadata: { name: 'shop', namespace: 'team' } },
    { readObjects },
  );
  if (verdict.document === undefined) throw new Error(JSON.stringify(verdict.faults));
  return verdict.document;
}

async function existing(group: object): Promise<Pipeline> {
  const pipeline = new Pipeline();
  await pipeline.apply(documentOf(group));
  expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
  forget(pipeline);
  return pipeline;
}

function forget({ runner }: Pipeline): void {
  runner.documents.length = 0;
  runner.ran.length = 0;
}

/** One letter for each machine. */
function typesIn(state: ClusterState | null): string {
  const pools = state?.pools ?? [];
  return pools.flatMap((pool) => pool.nodes.map((node) => serverTypeOf(node, pool))).join('');
}

/** Each time that restarted machines were awaited: the types that all machines were to have then, and which had restarted. */
function rounds({ runner }: Pipeline): readonly { readonly types: string; readonly restarted: readonly string[] }[] {
  return runner.documents.flatMap(({ target, stages }, at) => {
    const restarted = stages.flatMap((stage) => (stage.stage === 'configuration' ? (stage.work.restarted ?? []) : []));
    return runner.ran[at] === 'configuration' ? [{ types: typesIn(target), restarted }] : [];
  });
}

it('a round in place whose machines stay ill stops there: the others keep their type, and a retry starts with the same machines and continues', async () => {
  const group = { maxUnavailable: 2, size: 5 };
  const pipeline = await existing(group);
  const machines = await pipeline.nodes('shop');
  pipeline.runner.trouble('configuration', 'user');
  await pipeline.apply(documentOf({ ...group, serverType: 'u' }));
  const first = { types: 'uuttt', restarted: machines.slice(0, 2) };
  expect(rounds(pipeline)).toEqual([first]);
  expect(await pipeline.manifest()).toMatchObject({ status: 'Failed' });
  const record = await pipeline.cluster('shop');
  expect(record).toMatchObject({ status: 'NeedsAttention', failure: { class: 'user' } });
  expect([typesIn(record.current), typesIn(record.attempted)]).toEqual(['ttttt', 'uuttt']);

  forget(pipeline);
  await pipeline.retry();
  await pipeline.settle();
  expect(rounds(pipeline)).toEqual([
    first,
    { types: 'uuuut', restarted: machines.slice(2, 4) },
    { types: 'uuuuu', restarted: machines.slice(4) },
  ]);
  expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
  expect(await pipeline.nodes('shop')).toEqual(machines);
});

it('a round in place that fails once is repeated automatically before the next machines restart, and nothing is changed back', async () => {
  const group = { size: 2 };
  const pipeline = await existing(group);
  pipeline.runner.trouble('configuration', 'transient');
  await pipeline.apply(documentOf({ ...group, serverType: 'u' }));
  expect(rounds(pipeline).map(({ types }) => types)).toEqual(['ut', 'ut', 'uu']);
  expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
  expect(pipeline.runner.ran.filter((stage) => stage.endsWith('-undo'))).toEqual([]);
});

it('a group in place of which the old type is written again after a failed round gets it back, and no other machine restarts', async () => {
  const group = { maxUnavailable: 2, size: 5 };
  const pipeline = await existing(group);
  const machines = await pipeline.nodes('shop');
  pipeline.runner.trouble('configuration', 'user');
  await pipeline.apply(documentOf({ ...group, serverType: 'u' }));
  forget(pipeline);
  await pipeline.apply(documentOf(group));
  expect(rounds(pipeline)).toEqual([{ types: 'ttttt', restarted: machines.slice(0, 2) }]);
  expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
});
