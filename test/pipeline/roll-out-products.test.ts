/** A roll-out over clusters and machine groups that inherit from one layer. */
import { expect, it } from 'vitest';
import { groupsWith, leaf } from '#test/machine-groups/groups.ts';
import { clusterNamed, environment, Fleet, fleet } from './harness/fleet.ts';

const head = (kind: string, name: string) => ({
  apiVersion: 'kubeloom.dev/v1',
  kind,
  metadata: { name, namespace: fleet },
});
/** The version of Kubernetes is nothing for machines. */
const order = { ...head('InventoryOrder', 'default'), spec: { unusedValues: 'warn' } };
const { spec } = groupsWith({ work: { ...leaf, size: '${values.count}' } });
const machines = {
  ...head('InventoryTemplate', 'machines'),
  spec: { version: 1, produces: 'MachineGroups', document: { spec } },
};
const groupsNamed = (name: string) => {
  const cluster = clusterNamed(name);
  return { ...cluster, spec: { ...cluster.spec, template: 'machines@1' } };
};

async function mixed(): Promise<Fleet> {
  const world = await Fleet.of(2);
  for (const document of [order, machines, groupsNamed('m0'), groupsNamed('m1')]) {
    const { status, text } = await world.put(document);
    expect(status, text).toBe(200);
  }
  await world.pipeline.settle();
  return world;
}
const counts = async (world: Fleet) => Object.fromEntries(await world.counts());

it('issue 15, 1 and 4: one changed line is planned for clusters and machine groups, rolled out in waves, and undone', async () => {
  const world = await mixed();
  expect(await counts(world)).toEqual({ c000: '1', c001: '1', m0: '1', m1: '1' });
  const larger = environment('1.35.2', 3);
  const plan = await world.call('POST', '/plan', { body: larger });
  expect(plan.json).toMatchObject({ depend: 4, changes: 4, refused: 0, totals: { nodes: { added: 8 } } });

  const started = await world.start(larger, '?soak=30m&waves=1,100%25', String(plan.json.id));
  expect(started, started.text).toMatchObject({ status: 202 });
  const id = String(started.json.id);
  // Its pauses pass at once, and the checks that it starts run meanwhile.
  world.pipeline.before.set('plan-batch', async () => {
    world.pipeline.deps.clock.advance(1801);
    await world.pipeline.settle();
  });
  await world.pipeline.rollOut();
  expect(await world.rollOut(id)).toMatchObject({ status: 'RolledOut', states: { done: 4 } });
  expect(await counts(world)).toEqual({ c000: '3', c001: '3', m0: '3', m1: '3' });

  expect((await world.verb('undo', id)).status).toBe(202);
  await world.pipeline.rollOut();
  expect(await world.rollOut(id)).toMatchObject({ status: 'Undone', states: { undone: 4 } });
  expect(await counts(world)).toEqual({ c000: '1', c001: '1', m0: '1', m1: '1' });
});

it('a cluster does not become machine groups under its name, nor the other way round: the plan refuses it', async () => {
  const world = await mixed();
  const reasonOf = async (document: object) => {
    const { refused, clusters } = (await world.call('POST', '/plan', { body: document })).json;
    const [row] = clusters as { faults: { reason: string }[] }[];
    return [refused, row?.faults[0]?.reason];
  };
  expect(await reasonOf(groupsNamed('c000'))).toEqual([
    1,
    '"c000" is a Kubernetes cluster and cannot become machine groups',
  ]);
  expect(await reasonOf(clusterNamed('m0'))).toEqual([
    1,
    '"m0" is machine groups and cannot become a Kubernetes cluster',
  ]);
});
