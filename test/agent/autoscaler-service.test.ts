/** The agent between a gRPC client, as the cluster-autoscaler is one, and the API. */
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { ApiRefusal } from '#agent/agent-api.ts';
import { gpuLabel } from '#agent/autoscaler-service.ts';
import { clientOf } from './autoscaler-client.ts';
import { aPool, type Pools, pools } from './pools.ts';

const running = (name: string) => ({ name, state: 'running' as const });

describe('what the autoscaler asks', () => {
  it('each autoscaled pool is a node group with its bounds, and one question to the API answers a whole round', async () => {
    const api = pools(aPool(), aPool({ pool: 'gpu', min: 1, max: 2, nodes: [], size: 0 }));
    const call = await clientOf(api);

    await call('Refresh');
    expect(await call('NodeGroups')).toMatchObject({
      nodeGroups: [
        { id: 'work', minSize: 0, maxSize: 5 },
        { id: 'gpu', minSize: 1, maxSize: 2 },
      ],
    });
    expect(await call('NodeGroupTargetSize', { id: 'work' })).toEqual({ targetSize: 1 });
    expect(await call('GPULabel')).toEqual({ label: gpuLabel });
    expect(api.looks).toBe(1);
  });

  it('a node is of the pool that has it, by its provider id or, before it has one, by its name', async () => {
    const call = await clientOf(pools(aPool()));
    const groupOf = async (providerID: string, name: string) =>
      ((await call('NodeGroupForNode', { node: { providerID, name } })).nodeGroup as { id: string }).id;

    expect(await groupOf('kubeloom://work-01', 'work-01')).toBe('work');
    expect(await groupOf('', 'work-01')).toBe('work');
    expect(await groupOf('kubeloom://control-01', 'control-01')).toBe('');
  });

  it('the next node of an empty pool is described for the scheduler, unless its capacity is not known', async () => {
    const taints = [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' as const }];
    const { template } = aPool();
    const call = await clientOf(
      pools(
        aPool({ nodes: [], size: 0, template: { ...template, taints } }),
        aPool({ pool: 'unknown', template: { ...template, capacity: {} } }),
      ),
    );

    const { nodeInfo, nodeBytes } = await call('NodeGroupTemplateNodeInfo', { id: 'work' });
    expect(nodeInfo).toEqual(nodeBytes);
    expect(nodeInfo).toMatchObject({
      metadata: { labels: { 'claudie.io/nodepool': 'work', 'kubernetes.io/hostname': 'work-next' } },
      spec: { taints },
      status: {
        capacity: { cpu: { string: '2' }, memory: { string: '4Gi' }, pods: { string: '110' } },
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    });
    await expect(call('NodeGroupTemplateNodeInfo', { id: 'unknown' })).rejects.toMatchObject({
      code: status.UNIMPLEMENTED,
    });
  });
});

describe('how often the API is asked', () => {
  /** Questions to the API in an hour of rounds of ten seconds. */
  async function looksOfAnHour(...initial: readonly ReturnType<typeof aPool>[]): Promise<number> {
    let now = 0;
    const api = pools(...initial);
    const call = await clientOf(api, () => now);
    for (; now < 3_600_000; now += 10_000) {
      await call('Refresh');
      await call('NodeGroups');
      await call('NodeGroupTargetSize', { id: 'work' });
    }
    return api.looks;
  }

  it('every two minutes while nothing moves', async () => {
    expect(await looksOfAnHour(aPool())).toBe(30);
  });

  it.each([
    ['a machine is to come', { size: 2 }],
    ['a machine is being made', { nodes: [{ name: 'work-01', state: 'creating' as const }] }],
    ['a machine leaves', { nodes: [{ name: 'work-01', state: 'deleting' as const }] }],
    ['a failure waits to be seen', { failure: { count: 1, outOfResources: true, code: 'c', message: 'm' } }],
  ])('every half a minute while %s', async (_, over) => {
    expect(await looksOfAnHour(aPool(over))).toBe(120);
  });

  it('a size is changed from what it is now, also when a person changed it since', async () => {
    let now = 0;
    const api = pools(aPool());
    const call = await clientOf(api, () => now);
    await call('Refresh');
    now = 110_000;
    api.change('work', { size: 3 });

    await call('NodeGroupIncreaseSize', { id: 'work', delta: 1 });
    expect(api.asked, 'more than it wants was asked for already').toEqual([]);
    await call('NodeGroupIncreaseSize', { id: 'work', delta: 1 });
    expect(api.asked).toEqual([{ pool: 'work', count: 4, remove: [] }]);
  });

  it('what it asked for itself is known at once', async () => {
    const api = pools(aPool());
    const call = await clientOf(api, () => 0);
    await call('NodeGroupIncreaseSize', { id: 'work', delta: 2 });
    await call('Refresh');
    expect(await call('NodeGroupTargetSize', { id: 'work' })).toEqual({ targetSize: 3 });
    expect(api.looks).toBe(1);
  });

  it('a round in which the API does not answer fails, and the next one reads the pools', async () => {
    const good = pools(aPool());
    let down = true;
    const api: Pools = { ...good, groups: () => (down ? Promise.reject(new TypeError('no')) : good.groups()) };
    const call = await clientOf(api);
    await expect(call('Refresh')).rejects.toMatchObject({ code: status.UNAVAILABLE });
    down = false;
    await call('Refresh');
    expect(await call('NodeGroupTargetSize', { id: 'work' })).toEqual({ targetSize: 1 });
  });
});

describe('what the autoscaler changes', () => {
  it('an increase asks for the whole size, and the machines to come are instances that are being created', async () => {
    const api = pools(aPool());
    const call = await clientOf(api);

    await call('NodeGroupIncreaseSize', { id: 'work', delta: 2 });

    expect(api.asked).toEqual([{ pool: 'work', count: 3, remove: [] }]);
    const { instances } = await call('NodeGroupNodes', { id: 'work' });
    expect(instances).toMatchObject([
      { id: 'kubeloom://work-01', status: { instanceState: 1 } },
      { status: { instanceState: 2, errorInfo: null } },
      { status: { instanceState: 2, errorInfo: null } },
    ]);
  });

  it('deleted nodes leave by name, and the pool gets smaller by as many', async () => {
    const api = pools(aPool({ size: 3, nodes: [running('work-01'), running('work-02'), running('work-03')] }));
    const call = await clientOf(api);
    const node = (name: string) => ({ name, providerID: `kubeloom://${name}` });

    await call('NodeGroupDeleteNodes', { id: 'work', nodes: [node('work-01'), node('work-03')] });
    expect(api.asked).toEqual([{ pool: 'work', count: 1, remove: ['work-01', 'work-03'] }]);

    await call('NodeGroupDeleteNodes', { id: 'work', nodes: [node('work-01')] });
    expect(api.asked.at(-1), 'a node that is leaving already does not count twice').toMatchObject({ count: 1 });
  });

  it.each([
    ['three of three', 3, [0, 1, 2]],
    ['one of three', 3, [2]],
    ['the same one twice', 3, [2, 2]],
    ['one that never was', 3, [7]],
  ])('a placeholder whose machine exists by now takes none of the machines: %s', async (_, size, places) => {
    const api = pools(aPool({ size, nodes: ['work-01', 'work-02', 'work-03'].map(running) }));
    const call = await clientOf(api);
    const nodes = places.map((place) => ({ name: '', providerID: `kubeloom:///work/${place}` }));

    await call('NodeGroupDeleteNodes', { id: 'work', nodes });

    expect(api.asked).toEqual([]);
  });

  it('only placeholders whose machines did not come make the pool smaller', async () => {
    const api = pools(aPool({ size: 4, nodes: [running('work-01'), running('work-02')] }));
    const call = await clientOf(api);
    const nodes = [0, 1, 3].map((place) => ({ name: '', providerID: `kubeloom:///work/${place}` }));

    await call('NodeGroupDeleteNodes', { id: 'work', nodes: [...nodes, { name: 'work-02', providerID: '' }] });

    expect(api.asked).toEqual([{ pool: 'work', count: 2, remove: ['work-02'] }]);
  });

  it('a node of another pool is not deleted, and nothing is asked', async () => {
    const api = pools(aPool());
    const call = await clientOf(api);

    await expect(
      call('NodeGroupDeleteNodes', {
        id: 'work',
        nodes: [{ name: 'control-01', providerID: 'kubeloom://control-01' }],
      }),
    ).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, details: 'not of work: control-01' });
    expect(api.asked).toEqual([]);
  });

  it('a smaller target cancels machines that do not exist yet, and never removes an existing node', async () => {
    const api = pools(aPool({ size: 3 }));
    const call = await clientOf(api);

    await expect(call('NodeGroupDecreaseTargetSize', { id: 'work', delta: -3 })).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
    await call('NodeGroupDecreaseTargetSize', { id: 'work', delta: -2 });
    expect(api.asked).toEqual([{ pool: 'work', count: 1, remove: [] }]);
  });
});

describe('what the provider refused', () => {
  const failure = { count: 3, outOfResources: true, code: 'OutOfCapacity', message: 'no more cpx31 in hel1' };

  it('instances that could not be made are reported as out of resources, with the words of the provider', async () => {
    const call = await clientOf(pools(aPool({ failure })));

    expect(await call('NodeGroupTargetSize', { id: 'work' })).toEqual({ targetSize: 3 });
    const { instances } = await call('NodeGroupNodes', { id: 'work' });
    const errorInfo = { errorCode: failure.code, errorMessage: failure.message, instanceErrorClass: 1 };
    expect(instances).toMatchObject([
      { id: 'kubeloom://work-01', status: { instanceState: 1, errorInfo: null } },
      { status: { instanceState: 2, errorInfo } },
      { status: { instanceState: 2, errorInfo } },
    ]);
  });

  it('the autoscaler deletes the instances that failed, and the pool is as large as it was', async () => {
    const api = pools(aPool({ failure }));
    const call = await clientOf(api);
    const { instances } = (await call('NodeGroupNodes', { id: 'work' })) as { instances: { id: string }[] };

    const nodes = instances.slice(1).map(({ id }) => ({ name: id, providerID: id }));
    await call('NodeGroupDeleteNodes', { id: 'work', nodes });

    expect(api.asked).toEqual([{ pool: 'work', count: 1, remove: [] }]);
    expect(await call('NodeGroupTargetSize', { id: 'work' })).toEqual({ targetSize: 1 });
  });

  it('an error that is not a lack of resources is reported to the autoscaler with another class', async () => {
    const call = await clientOf(pools(aPool({ failure: { ...failure, outOfResources: false } })));

    const { instances } = (await call('NodeGroupNodes', { id: 'work' })) as { instances: object[] };
    expect(instances.at(-1)).toMatchObject({ status: { errorInfo: { instanceErrorClass: 99 } } });
  });
});

describe('refusals', () => {
  it.each([
    ['a size out of bounds', new ApiRefusal(422, 'no'), status.FAILED_PRECONDITION],
    ['a token that is not good for this', new ApiRefusal(403, 'no'), status.PERMISSION_DENIED],
    ['a fault of the API', new ApiRefusal(503, 'no'), status.UNAVAILABLE],
    ['an API that does not answer', new TypeError('no'), status.UNAVAILABLE],
  ])('%s becomes an error of gRPC with its words', async (_what, error, code) => {
    const api: Pools = { ...pools(aPool()), resize: () => Promise.reject(error) };
    const call = await clientOf(api);

    await expect(call('NodeGroupIncreaseSize', { id: 'work', delta: 1 })).rejects.toMatchObject({
      code,
      details: 'no',
    });
  });

  it('an unknown group is not found', async () => {
    const call = await clientOf(pools(aPool()));

    await expect(call('NodeGroupNodes', { id: 'other' })).rejects.toMatchObject({
      code: status.NOT_FOUND,
      details: 'there is no autoscaled pool other in this cluster',
    });
  });
});
