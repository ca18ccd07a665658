/** Machines of clouds that are stopped and deleted by their ids, on clouds of loopback that refuse what theirs refuse. No account was asked. */
import { afterEach, describe, expect, it } from 'vitest';
import { providerTypeFacts, providerTypeNames } from '#domain/provider-types.ts';
import { orNotKnown } from '#runner/listing/list-cluster.ts';
import { actOnMachines, canAct, type MachineWork, readMachines } from '#runner/listing/machine-acts.ts';
import { type FakeCloud, fakeCloud } from '#test/provider-check/fake-cloud.ts';
import { type ActingCloud, cluster, OneMachine, type Refusal } from './acting-cloud.ts';
import { actingClouds } from './acting-clouds.ts';
import { tokenClouds } from './acting-token-clouds.ts';

const open: FakeCloud[] = [];
afterEach(() => {
  for (const cloud of open.splice(0)) cloud.close();
});

async function world({ type, id, place, input, routes }: ActingCloud) {
  const machine = new OneMachine();
  let url = '';
  const cloud = await fakeCloud(routes(machine, () => url));
  url = cloud.url;
  open.push(cloud);
  const asked = { ...input(url), cluster, regions: place === undefined ? [] : [place] };
  const at = { id, ...(place !== undefined && { place }) };
  const signal = new AbortController().signal;
  const act = (action: MachineWork['action'], machines = [at]) =>
    orNotKnown(() => actOnMachines(type, asked, { action, machines, signal, pauseMs: 0 }));
  return { machine, cloud, act, at, look: () => readMachines(type, asked, [at]) };
}

const clouds = [...actingClouds, ...tokenClouds];

describe.each(clouds.map((cloud) => [cloud.type, cloud] as const))('%s', (type, cloud) => {
  it(`a machine of ${type} is stopped by its id, and awaited until it is off`, async () => {
    const { machine, act, look } = await world(cloud);
    expect(await act('quarantine')).toEqual([cloud.id]);
    expect(machine).toMatchObject({ power: 'off', acts: ['stop'] });
    expect(await look()).toMatchObject([{ id: cloud.id, stopped: true }]);
  });

  it(`a machine of ${type} is deleted by its id, also when it was stopped`, async () => {
    const { machine, act, look } = await world(cloud);
    machine.power = 'off';
    expect(await act('delete')).toEqual([cloud.id]);
    expect(machine.acts).toEqual(['delete']);
    expect(await look()).toEqual([]);
  });

  it(`the hook does nothing to a machine of ${type} that has lost its tag, is off already, or is being deleted`, async () => {
    const { machine, act, look } = await world(cloud);
    machine.tag = 'shop-7654321';
    expect([await act('quarantine'), await act('delete'), await look()]).toEqual([[], [], []]);
    machine.tag = cluster;
    machine.power = 'off';
    expect(await act('quarantine')).toEqual([]);
    machine.power = 'deleting';
    if (cloud.hidesDeletion !== true) expect(await look()).toEqual([]);
    machine.power = 'gone';
    expect(await act('delete')).toEqual([]);
    expect(machine.acts).toEqual([]);
  });

  it(`an id that ${type} does not know is no machine, and no other one is touched`, async () => {
    const { machine, act, at } = await world(cloud);
    const other = { ...at, id: `${at.id}9` };
    expect(await act('delete', [other])).toEqual([]);
    expect(machine.acts).toEqual([]);
  });

  it.each([
    ['denied', 'credentials'],
    ['busy', undefined],
    ...(cloud.keeps ? [['kept', 'user'] as const] : []),
  ] as readonly (readonly [Refusal, string | undefined])[])(
    `an act that ${type} refuses (%s) is reported, with whether a person has to act`,
    async (refusal, needs) => {
      const { machine, act } = await world(cloud);
      machine.refusal = refusal;
      for (const action of ['quarantine', 'delete'] as const) {
        const answer = await act(action);
        expect(answer).toEqual({ failed: expect.stringContaining(cloud.id), ...(needs && { needs }) });
      }
      expect(machine).toMatchObject({ power: 'on', acts: ['stop', 'delete'] });
    },
  );

  it(`no act is asked of ${type} when the machine cannot be read`, async () => {
    const { machine, act, cloud: server } = await world({ ...cloud, routes: () => ({}) });
    const answer = await act('delete');
    if ('failed' in answer) expect(answer.failed).not.toBe('');
    else expect(answer).toEqual([]);
    expect(server.asked.some(({ method }) => method === 'DELETE')).toBe(false);
    expect(machine.acts).toEqual([]);
  });
});

it.each(tokenClouds.map((cloud) => [cloud.type, cloud] as const))(
  'a machine of %s that does not end when it is asked to is switched off',
  async (_, cloud) => {
    const { machine, act } = await world(cloud);
    machine.listens = false;
    expect(await act('quarantine')).toEqual([cloud.id]);
    expect(machine).toMatchObject({ power: 'off', acts: ['ask', 'stop'] });
  },
);

it('a stop that is cancelled waits no longer', async () => {
  const [cloud] = actingClouds;
  if (cloud === undefined) throw new Error('there is no cloud');
  const { cloud: server, at } = await world(cloud);
  const asked = { ...cloud.input(server.url), cluster, regions: [] };
  const cancelled = AbortSignal.abort();
  await expect(
    actOnMachines(cloud.type, asked, { action: 'quarantine', machines: [at], signal: cancelled, pauseMs: 0 }),
  ).rejects.toThrow();
});

it('each type that can act is tried, and modules of a user are left to their own hooks', () => {
  const acting = providerTypeNames.filter((type) => providerTypeFacts(type)?.strays === 'delete');
  expect(clouds.map(({ type }) => type).toSorted()).toEqual(acting.toSorted());
  expect(canAct({ type: 'aws', templates: 'builtin@1' })).toBe(true);
  expect(canAct({ type: 'aws', templates: 'git:git.example.com/a/b@1#.' })).toBe(false);
  expect(canAct({ type: 'ovh', templates: 'builtin@1' })).toBe(false);
});
