/** The nodes stage gives nothing away because a record of another exists: copies of volumes, members of etcd, control nodes. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NodePoolState } from '#domain/cluster-state.ts';
import { controlPool, staticPool, twoProviderFacts, twoProviderState, workerPool } from '#test/rendering/states.ts';
import { controlNodes, type KubectlWorld, kubectlWorld, nodesStage } from '../kubectl-world.ts';
import { aDocument } from '../stage-world.ts';

let world: KubectlWorld;
beforeEach(async () => {
  world = await kubectlWorld();
});
afterEach(() => world.close());

const exists = (name: string) => existsSync(join(world.cluster, 'nodes', name));
const [first = '', second = ''] = controlNodes;
const worker = 'workers-bbbbbbb-01';
const own = 'basement-01';

describe('the last copy of a volume', () => {
  const replica = (volumeName: string, nodeID: string, more: { spec?: object } & object = {}) => ({
    ...more,
    spec: { volumeName, nodeID, healthyAt: '2026-11-23T02:00:00Z', failedAt: '', ...more.spec },
  });
  const storing = async (remove: string[], pools: NodePoolState[], ...items: readonly object[]) => {
    writeFileSync(join(world.cluster, 'replicas'), JSON.stringify({ items }));
    await world.shrink(twoProviderState({ pools, storage: 'longhorn' }), remove);
    return (await world.run('nodes')).error;
  };
  const staying = [controlPool, workerPool];
  const detached = { status: { currentState: 'stopped' } };

  it('a replica on a node that the cluster no longer has is no other copy', async () => {
    const error = await storing([own], staying, replica('a', own, detached), replica('a', 'gone-01', detached));
    expect(error).toMatchObject({ code: 'LastReplica', class: 'conflict', resource: own });
    expect(exists(own)).toBe(true);
  });

  it.each(['Unknown', 'False'])('a replica on a node that is ready: %s is no other copy', async (ready) => {
    world.live(worker, { ready });
    expect(await storing([own], staying, replica('a', own), replica('a', worker))).toMatchObject({
      code: 'LastReplica',
    });
  });

  it.each([
    ['is being deleted', { metadata: { deletionTimestamp: '2026-11-23T02:00:00Z' } }],
    ['is in error', { status: { currentState: 'error' } }],
    ['is in a state that Longhorn does not know', { status: { currentState: 'unknown' } }],
  ])('a replica that %s is no other copy', async (_, more) => {
    const error = await storing([own], staying, replica('a', own), replica('a', worker, more));
    expect(error?.code).toBe('LastReplica');
  });

  it.each([
    ['the cluster-autoscaler is about to delete', 'ToBeDeletedByClusterAutoscaler'],
    ['was declared dead', 'node.kubernetes.io/out-of-service'],
  ])('a replica on a node that %s is no other copy', async (_, key) => {
    world.live(worker, { taints: [{ key, effect: 'NoSchedule' }] });
    expect((await storing([own], staying, replica('a', own), replica('a', worker)))?.code).toBe('LastReplica');
  });

  it('a replica on a node that Kubernetes is deleting is no other copy', async () => {
    world.live(worker, { deleting: true });
    expect((await storing([own], staying, replica('a', own), replica('a', worker)))?.code).toBe('LastReplica');
  });

  it('two nodes of different pools that leave side by side do not count for each other', async () => {
    world.live('workers-bbbbbbb-02');
    const kept = { ...workerPool, nodes: workerPool.nodes.map((node) => ({ ...node, name: 'workers-bbbbbbb-02' })) };
    const both = [replica('a', own), replica('a', worker)];
    expect((await storing([own, worker], [controlPool, kept], ...both))?.code).toBe('LastReplica');
    expect([own, worker].filter(exists)).toEqual([own, worker]);
  });

  it('a node that an earlier waypoint was to remove, and that still runs, is no other place', async () => {
    world.live('workers-bbbbbbb-02');
    const left = { ...workerPool, nodes: workerPool.nodes.map((node) => ({ ...node, name: 'workers-bbbbbbb-02' })) };
    writeFileSync(
      join(world.cluster, 'replicas'),
      JSON.stringify({ items: [replica('a', own), replica('a', 'workers-bbbbbbb-02')] }),
    );
    const target = twoProviderState({ pools: staying, storage: 'longhorn' });
    const attempted = twoProviderState({ pools: [controlPool, workerPool, left, staticPool] });
    const document = { direction: 'shrink', before: twoProviderState(), target, attempted } as const;
    await world.put(aDocument([nodesStage([], [own])], document), twoProviderFacts);
    expect((await world.run('nodes')).error?.code).toBe('LastReplica');
  });

  it('a node that does not answer by the end of the drain is no other place, though it did when the stage started', async () => {
    world.dies(worker, 'drain');
    expect((await storing([own], staying, replica('a', own), replica('a', worker)))?.code).toBe('LastReplica');
  });

  it('a node that Kubeloom does not know, and that is ready, counts as a place', async () => {
    world.live('of-a-person-01');
    expect(await storing([own], staying, replica('a', own), replica('a', 'of-a-person-01'))).toBeUndefined();
    expect(exists(own)).toBe(false);
  });
});

describe('the last control nodes', () => {
  const keeping = (...names: readonly string[]) =>
    twoProviderState({
      pools: [{ ...controlPool, nodes: names.map((name, at) => ({ name, privateAddress: `192.168.2.${at + 1}` })) }],
    });
  const members = (...names: readonly string[]) =>
    writeFileSync(
      join(world.cluster, 'members'),
      JSON.stringify({ members: names.map((name, at) => ({ ID: `a${at}`, name })) }),
    );
  const third = 'control-aaaaaaa-03';
  beforeEach(() => writeFileSync(join(world.cluster, 'etcd-environment'), ''));

  it.each(['Unknown', 'False'])('one is not removed while all that stay are ready: %s', async (ready) => {
    world.live(second, { ready });
    await world.shrink(keeping(second), [first]);
    const { error } = await world.run('nodes');
    expect(error).toMatchObject({ code: 'LastControlNode', class: 'conflict', resource: first });
    expect(error?.message).toContain(`${second}, which would stay, is not ready`);
    expect(world.calls().map((call) => call.split(' ')[0])).toEqual(['get']);
  });

  it('one is not removed when those that are left would be no majority of etcd', async () => {
    world.live(third, { ready: 'Unknown' });
    members(first, second, third);
    await world.shrink(keeping(second, third), [first]);
    expect((await world.run('nodes')).error?.message).toContain('1 of 2 members that are left would answer');
    expect(exists(first)).toBe(true);
  });

  it('a member of etcd that no node has counts, and does not answer', async () => {
    members(first, second, 'gone-01');
    await world.shrink(keeping(second), [first]);
    expect((await world.run('nodes')).error?.message).toContain('(gone-01 not)');
    expect(world.calls().join()).not.toContain('member remove');
  });

  it('one that is dead leaves before one that answers', async () => {
    world.live(third, { ready: 'Unknown' });
    members(first, second, third);
    const document = { direction: 'shrink', before: keeping(first, second, third), target: keeping(second) } as const;
    await world.put(aDocument([nodesStage([], [first, third])], document), twoProviderFacts);
    const { error, summary } = await world.run('nodes');
    expect(error).toBeUndefined();
    expect(summary).toMatchObject({ nodesRemoved: 2 });
    const deleted = world.calls().filter((call) => call.startsWith('delete node'));
    expect(deleted.map((call) => call.split(' ')[2])).toEqual([third, first]);
  });
});
