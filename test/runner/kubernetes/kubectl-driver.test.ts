/** The nodes stage: metadata of nodes, and what removing a node does to storage, etcd and volumes. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StagePlan } from '#domain/plan.ts';
import { memberOf } from '#runner/kubernetes/etcd-member.ts';
import { adminKey } from '#test/fakes/kubeconfigs.ts';
import { controlPool, staticPool, twoProviderFacts, twoProviderState, workerPool } from '#test/rendering/states.ts';
import { controlNodes, type KubectlWorld, kubeconfigKey, kubectlWorld, nodesStage } from '../kubectl-world.ts';
import { aDocument } from '../stage-world.ts';

let world: KubectlWorld;
beforeEach(async () => {
  world = await kubectlWorld();
});
afterEach(() => world.close());

describe('node metadata', () => {
  it('each node is patched once, and its join is recorded', async () => {
    await world.put(aDocument([nodesStage([...controlNodes, 'workers-bbbbbbb-01'])]), twoProviderFacts);
    expect((await world.run('nodes')).summary).toEqual({ nodesPatched: 3, nodesRemoved: 0 });
    const patches = world.calls().filter((call) => call.startsWith('patch'));
    expect(patches).toHaveLength(3);
    expect(patches.find((call) => call.includes('workers'))).toContain('"providerID":"kubeloom://workers-bbbbbbb-01"');
    expect((await world.facts()).nodes['workers-bbbbbbb-01']?.joined).toBe(true);
  });

  it('a node that someone else changed meanwhile is read again', async () => {
    world.fail('patch', 'basement-01', 'Error from server (Conflict): the object has been modified');
    await world.put(aDocument([nodesStage(['basement-01'])]), twoProviderFacts);
    expect((await world.run('nodes')).ok).toBe(true);
    expect(world.calls().filter((call) => call.startsWith('patch'))).toHaveLength(2);
  });

  it('a node that the API server rejects is named with the reason', async () => {
    world.fail('patch', 'basement-01', 'The Node "basement-01" is invalid: metadata.labels: Invalid value: "a b"');
    await world.put(aDocument([nodesStage(['basement-01'])]), twoProviderFacts);
    expect((await world.run('nodes')).error).toMatchObject({ class: 'user', resource: 'basement-01' });
  });

  it('a nodes stage without a kubeconfig fails', async () => {
    await world.ports.artifacts.remove(kubeconfigKey);
    await world.put(aDocument([nodesStage(['basement-01'])]), twoProviderFacts);
    expect((await world.run('nodes')).error?.code).toBe('KubeconfigMissing');
  });

  it('the key of the kubeconfig is not in the log', async () => {
    world.fail('patch', 'basement-01', `error: ${adminKey} is invalid`);
    await world.put(aDocument([nodesStage(['basement-01'])]), twoProviderFacts);
    const result = await world.run('nodes');
    expect(JSON.stringify(result) + (await world.log('nodes'))).not.toContain(adminKey);
  });
});

describe('removal of nodes', () => {
  it('a compute node is drained before it is deleted', async () => {
    await world.shrink(twoProviderState({ pools: [controlPool, workerPool] }), ['basement-01']);
    expect((await world.run('nodes')).summary).toMatchObject({ nodesRemoved: 1 });
    expect(world.calls().map((call) => call.split(' ')[0])).toEqual(['get', 'cordon', 'drain', 'delete']);
    expect(existsSync(join(world.cluster, 'nodes', 'basement-01'))).toBe(false);
  });

  describe('with storage', () => {
    const replica = (volumeName: string, nodeID: string, more: object = {}) => ({
      spec: { volumeName, nodeID, healthyAt: '2026-11-23T02:00:00Z', failedAt: '', ...more },
    });
    const storing = async (...items: readonly object[]) => {
      writeFileSync(join(world.cluster, 'replicas'), JSON.stringify({ items }));
      await world.shrink(twoProviderState({ pools: [controlPool, workerPool], storage: 'longhorn' }), ['basement-01']);
    };

    it('no replica is placed on a node from before its drain on', async () => {
      await storing(replica('a', 'basement-01'), replica('a', 'workers-bbbbbbb-01'));
      expect((await world.run('nodes')).error).toBeUndefined();
      expect(world.calls().map((call) => call.split(' ')[0])).toEqual([
        'get',
        'cordon',
        'patch',
        'drain',
        'get',
        'get',
        'delete',
      ]);
      expect(world.calls()[2]).toContain('patch nodes.longhorn.io basement-01');
    });

    it('a node with the last healthy replica of a volume is not removed, and the volume is named', async () => {
      const lost = replica('b', 'workers-bbbbbbb-01', { failedAt: '2026-11-23T02:30:00Z' });
      await storing(replica('a', 'basement-01'), replica('b', 'basement-01'), lost, replica('a', 'workers-bbbbbbb-01'));
      const { error } = await world.run('nodes');
      expect(error).toMatchObject({ code: 'LastReplica', class: 'conflict', resource: 'basement-01' });
      expect(error?.message).toContain('last healthy replica of b:');
      expect(existsSync(join(world.cluster, 'nodes', 'basement-01'))).toBe(true);
    });

    it('a dead node is removed with what it had', async () => {
      world.live('basement-01', { ready: 'Unknown' });
      await storing(replica('a', 'basement-01'));
      expect((await world.run('nodes')).error).toBeUndefined();
    });
  });

  it.each([
    ['KubeOne sets the variables of etcdctl', 'ETCDCTL_ENDPOINTS ETCDCTL_CACERT ETCDCTL_CERT ETCDCTL_KEY'],
    ['kubeadm sets none', ''],
  ])(
    'a control node leaves etcd through one that stays, after the drain and before the delete (%s)',
    async (_, names) => {
      writeFileSync(join(world.cluster, 'etcd-environment'), names);
      const [first] = controlPool.nodes;
      const target = twoProviderState({
        pools: [{ ...controlPool, nodes: first ? [first] : [] }, workerPool, staticPool],
      });
      await world.shrink(target, ['control-aaaaaaa-02']);
      expect((await world.run('nodes')).ok).toBe(true);
      const verbs = world.calls().map((call) => call.split(' ')[0]);
      expect(verbs).toEqual(['get', 'cordon', 'drain', 'get', 'get', 'exec', 'exec', 'delete', 'get']);
      expect(world.calls().at(-1)).toContain('configmap kubeadm-config');
      expect(world.calls()[6]).toMatch(/etcd-control-aaaaaaa-01 .*member remove b2$/);
    },
  );

  it('etcd is not changed when the control plane is simulated, and an event says so', async () => {
    const [first] = controlPool.nodes;
    const target = twoProviderState({ pools: [{ ...controlPool, nodes: first ? [first] : [] }] });
    await world.put(aDocument([nodesStage([], ['control-aaaaaaa-02'])], { before: twoProviderState(), target }), {
      ...twoProviderFacts,
      simulated: ['control plane'],
    });
    expect((await world.run('nodes')).ok).toBe(true);
    expect(world.calls().join()).not.toContain('exec');
    expect(await world.log('nodes')).toContain('simulated control plane');
  });

  it('the last control node is never removed', async () => {
    await world.shrink(twoProviderState({ pools: [{ ...controlPool, nodes: [] }] }), ['control-aaaaaaa-01']);
    expect((await world.run('nodes')).error?.code).toBe('LastControlNode');
    expect(world.calls().map((call) => call.split(' ')[0])).toEqual(['get']);
  });

  it('the volumes of a node that does not answer are released', async () => {
    world.live('basement-01', { ready: 'Unknown' });
    await world.shrink(twoProviderState({ pools: [controlPool, workerPool] }), ['basement-01']);
    await world.run('nodes');
    expect(world.calls()).toContainEqual(
      expect.stringContaining('taint node basement-01 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute'),
    );
  });

  it('a removal of nodes that are gone, or from a cluster that never ran, has nothing to do', async () => {
    await world.shrink(twoProviderState({ pools: [controlPool, workerPool] }), ['basement-99']);
    expect((await world.run('nodes')).summary).toMatchObject({ nodesRemoved: 0 });
    await world.ports.artifacts.remove(kubeconfigKey);
    expect((await world.run('nodes')).ok).toBe(true);
  });
});

describe('etcd members', () => {
  it('an etcd member list is read past warnings, and names are compared whole', () => {
    const output = 'warning: x\n{"members":[{"ID":"1","name":"control-011"},{"ID":"2","name":"control-01"}]}';
    expect(memberOf(output, 'control-01')).toBe('2');
    expect(memberOf(output, 'control-0')).toBeUndefined();
    expect(() => memberOf('no json', 'control-01')).toThrow('etcdctl: its list of members cannot be read');
  });
});

describe('orphaned nodes', () => {
  it('an orphaned node that cannot be drained does not fail the stage', async () => {
    const orphan: StagePlan = {
      stage: 'infrastructure',
      reasons: [],
      work: { workspaces: [], orphan: ['workers-bbbbbbb-01'] },
    };
    const before = twoProviderState();
    const target = { ...before, pools: [controlPool, staticPool] };
    const stages = [nodesStage([], ['workers-bbbbbbb-01', 'basement-01']), orphan];
    await world.put(aDocument(stages, { direction: 'shrink', before, target }), twoProviderFacts);
    world.fail('drain', 'workers-bbbbbbb-01', 'error: cannot evict');
    expect((await world.run('nodes')).ok).toBe(true);
    expect((await world.reported()).some((line) => line.startsWith('NodeOrphaned: workers-bbbbbbb-01'))).toBe(true);
    world.fail('drain', 'basement-01', 'error: cannot evict');
    expect((await world.run('nodes')).ok).toBe(true);
  });
});
