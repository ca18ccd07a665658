/** The nodes stage with a kubectl that plays a small API server. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClusterState } from '#domain/cluster-state.ts';
import type { StagePlan } from '#domain/plan.ts';
import { memberOf } from '#runner/kubernetes/etcd-member.ts';
import { controlPool, staticPool, twoProviderFacts, twoProviderState, workerPool } from '#test/rendering/states.ts';
import { fakeKubectl } from './fake-kubectl.ts';
import { aDocument, type StageWorld, stageWorld } from './stage-world.ts';

const nodesStage = (patch: string[], remove: string[] = [], maxUnavailable = 1): StagePlan => ({
  stage: 'nodes',
  reasons: [],
  work: { patch, remove, maxUnavailable },
});
const kubeconfig = 'kubeconfigs/team/shop/shop-1234567';
const controls = ['control-aaaaaaa-01', 'control-aaaaaaa-02'];

let world: StageWorld;
let cluster: string;
const calls = () =>
  existsSync(join(cluster, 'calls')) ? readFileSync(join(cluster, 'calls'), 'utf8').trim().split('\n') : [];
const fail = (command: string, node: string, words: string) =>
  writeFileSync(join(cluster, `fail-${command}-${node}`), words);

function live(name: string, change: { ready?: string; labels?: Record<string, string> } = {}): void {
  const node = {
    metadata: { name, resourceVersion: '5', labels: change.labels ?? {} },
    spec: {},
    status: { conditions: [{ type: 'Ready', status: change.ready ?? 'True' }] },
  };
  writeFileSync(join(cluster, 'nodes', name), JSON.stringify(node));
}

async function shrink(target: ClusterState, remove: string[], waitsSince: Record<string, string> = {}): Promise<void> {
  const before = twoProviderState();
  await world.put(
    aDocument([nodesStage([], remove)], { direction: 'shrink', before, target, waitsSince }),
    twoProviderFacts,
  );
}

beforeEach(async () => {
  world = stageWorld();
  cluster = join(world.directory, 'cluster');
  mkdirSync(join(cluster, 'nodes'), { recursive: true });
  world.set('KUBELOOM_TEST_CLUSTER', cluster);
  world.set('KUBELOOM_KUBECTL', world.script('kubectl', fakeKubectl));
  await world.ports.artifacts.putText(kubeconfig, 'kind: Config\nusers:\n  - user:\n      token: bearer-of-all\n');
  for (const name of [...controls, 'workers-bbbbbbb-01', 'basement-01']) live(name);
  writeFileSync(
    join(cluster, 'members'),
    JSON.stringify({
      members: [
        { ID: 'a1', name: controls[0] },
        { ID: 'b2', name: controls[1] },
      ],
    }),
  );
});
afterEach(() => world.close());

describe('node metadata', () => {
  it('each node is patched once, and its join is recorded', async () => {
    await world.put(aDocument([nodesStage([...controls, 'workers-bbbbbbb-01'])]), twoProviderFacts);
    expect((await world.run('nodes')).summary).toEqual({ nodesPatched: 3, nodesRemoved: 0 });
    const patches = calls().filter((call) => call.startsWith('patch'));
    expect(patches).toHaveLength(3);
    expect(patches.find((call) => call.includes('workers'))).toContain('"providerID":"kubeloom://workers-bbbbbbb-01"');
    expect((await world.facts()).nodes['workers-bbbbbbb-01']?.joined).toBe(true);
  });

  it('a node that someone else changed meanwhile is read again', async () => {
    fail('patch', 'basement-01', 'Error from server (Conflict): the object has been modified');
    await world.put(aDocument([nodesStage(['basement-01'])]), twoProviderFacts);
    expect((await world.run('nodes')).ok).toBe(true);
    expect(calls().filter((call) => call.startsWith('patch'))).toHaveLength(2);
  });

  it('a node that the API server rejects is named with the reason', async () => {
    fail('patch', 'basement-01', 'The Node "basement-01" is invalid: metadata.labels: Invalid value: "a b"');
    await world.put(aDocument([nodesStage(['basement-01'])]), twoProviderFacts);
    expect((await world.run('nodes')).error).toMatchObject({ class: 'user', resource: 'basement-01' });
  });

  it('a nodes stage without a kubeconfig fails', async () => {
    await world.ports.artifacts.remove(kubeconfig);
    await world.put(aDocument([nodesStage(['basement-01'])]), twoProviderFacts);
    expect((await world.run('nodes')).error?.code).toBe('KubeconfigMissing');
  });

  it('the token of the kubeconfig is not in the log', async () => {
    fail('patch', 'basement-01', 'error: bearer-of-all is invalid');
    await world.put(aDocument([nodesStage(['basement-01'])]), twoProviderFacts);
    const result = await world.run('nodes');
    expect(JSON.stringify(result) + (await world.log('nodes'))).not.toContain('bearer-of-all');
  });
});

describe('removal of nodes', () => {
  it('a compute node is drained before it is deleted', async () => {
    await shrink(twoProviderState({ pools: [controlPool, workerPool] }), ['basement-01']);
    expect((await world.run('nodes')).summary).toMatchObject({ nodesRemoved: 1 });
    expect(calls().map((call) => call.split(' ')[0])).toEqual(['get', 'cordon', 'drain', 'delete']);
    expect(existsSync(join(cluster, 'nodes', 'basement-01'))).toBe(false);
  });

  describe('with storage', () => {
    const replica = (volumeName: string, nodeID: string, more: object = {}) => ({
      spec: { volumeName, nodeID, healthyAt: '2026-11-23T02:00:00Z', failedAt: '', ...more },
    });
    const storing = async (...items: readonly object[]) => {
      writeFileSync(join(cluster, 'replicas'), JSON.stringify({ items }));
      await shrink(twoProviderState({ pools: [controlPool, workerPool], storage: 'longhorn' }), ['basement-01']);
    };

    it('no replica is placed on a node from before its drain on', async () => {
      await storing(replica('a', 'basement-01'), replica('a', 'workers-bbbbbbb-01'));
      expect((await world.run('nodes')).error).toBeUndefined();
      expect(calls().map((call) => call.split(' ')[0])).toEqual(['get', 'cordon', 'patch', 'drain', 'get', 'delete']);
      expect(calls()[2]).toContain('patch nodes.longhorn.io basement-01');
    });

    it('a node with the last healthy replica of a volume is not removed, and the volume is named', async () => {
      const lost = replica('b', 'workers-bbbbbbb-01', { failedAt: '2026-11-23T02:30:00Z' });
      await storing(replica('a', 'basement-01'), replica('b', 'basement-01'), lost, replica('a', 'workers-bbbbbbb-01'));
      const { error } = await world.run('nodes');
      expect(error).toMatchObject({ code: 'LastReplica', class: 'conflict', resource: 'basement-01' });
      expect(error?.message).toContain('last healthy replica of b:');
      expect(existsSync(join(cluster, 'nodes', 'basement-01'))).toBe(true);
    });

    it('a dead node is removed with what it had', async () => {
      live('basement-01', { ready: 'Unknown' });
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
      writeFileSync(join(cluster, 'etcd-environment'), names);
      const [first] = controlPool.nodes;
      const target = twoProviderState({
        pools: [{ ...controlPool, nodes: first ? [first] : [] }, workerPool, staticPool],
      });
      await shrink(target, ['control-aaaaaaa-02']);
      expect((await world.run('nodes')).ok).toBe(true);
      const verbs = calls().map((call) => call.split(' ')[0]);
      expect(verbs).toEqual(['get', 'cordon', 'drain', 'get', 'exec', 'exec', 'delete', 'get']);
      expect(calls().at(-1)).toContain('configmap kubeadm-config');
      expect(calls()[5]).toMatch(/etcd-control-aaaaaaa-01 .*member remove b2$/);
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
    expect(calls().join()).not.toContain('exec');
    expect(await world.log('nodes')).toContain('simulated control plane');
  });

  it('the last control node is never removed', async () => {
    await shrink(twoProviderState({ pools: [{ ...controlPool, nodes: [] }] }), ['control-aaaaaaa-01']);
    expect((await world.run('nodes')).error?.code).toBe('LastControlNode');
    expect(calls().map((call) => call.split(' ')[0])).toEqual(['get']);
  });

  it('the volumes of a node that does not answer are released', async () => {
    live('basement-01', { ready: 'Unknown' });
    await shrink(twoProviderState({ pools: [controlPool, workerPool] }), ['basement-01']);
    await world.run('nodes');
    expect(calls()).toContainEqual(
      expect.stringContaining('taint node basement-01 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute'),
    );
  });

  it('a removal goes on after a drain timeout, and stops at any other drain error', async () => {
    fail('drain', 'basement-01', 'error when waiting for pod "x" terminating: global timeout reached: 3m0s');
    const since = { 'basement-01': new Date(world.ports.clock.now().getTime() - 28 * 60_000).toISOString() };
    await shrink(twoProviderState({ pools: [controlPool, workerPool] }), ['basement-01'], since);
    expect((await world.run('nodes')).ok).toBe(true);
    expect(calls().find((call) => call.startsWith('drain'))).toContain('--timeout=2m');
    expect((await world.reported()).join()).toContain('DrainTimedOut');
    live('basement-01');
    fail('drain', 'basement-01', 'error: cannot evict pod as it would violate the pod disruption budget');
    expect((await world.run('nodes')).error).toMatchObject({ code: 'DrainFailed', resource: 'basement-01' });
    expect(existsSync(join(cluster, 'nodes', 'basement-01'))).toBe(true);
  });

  it('a drain that takes long lets the waypoint pause: the result says which budget holds which pod', async () => {
    const pods = ['db-0', 'db-1'].map(
      (pod) =>
        `error when evicting pods/"${pod}" -n "shop" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.`,
    );
    fail('drain', 'basement-01', [...pods, ...pods, 'error: global timeout reached: 3m0s'].join('\n'));
    const budget = (name: string, disruptionsAllowed: number) => ({
      metadata: { name, namespace: 'shop' },
      status: { disruptionsAllowed },
    });
    writeFileSync(join(cluster, 'budgets'), JSON.stringify({ items: [budget('db', 0), budget('web', 1)] }));
    await shrink(twoProviderState({ pools: [controlPool] }), ['basement-01', 'workers-bbbbbbb-01']);
    const { error } = await world.run('nodes');
    const because = 'the disruption budget shop/db does not allow to evict shop/db-0, shop/db-1';
    expect(error).toMatchObject({ code: 'DrainWaits', retryable: false, waitsFor: [{ node: 'basement-01', because }] });
    expect(error?.message).toBe(`basement-01: ${because}.`);
    expect(existsSync(join(cluster, 'nodes', 'basement-01'))).toBe(true);
    expect(existsSync(join(cluster, 'nodes', 'workers-bbbbbbb-01'))).toBe(false);
  });

  it('a node that its owner locked is skipped with an event, and the others are removed', async () => {
    live('basement-01', { labels: { 'claudie.io/upgrade-lock': 'busy' } });
    await shrink(twoProviderState({ pools: [controlPool] }), ['basement-01', 'workers-bbbbbbb-01']);
    expect((await world.run('nodes')).error).toMatchObject({
      class: 'conflict',
      code: 'NodeLocked',
      resource: 'basement-01',
      retryable: false,
      waitsFor: [
        { node: 'basement-01', because: expect.stringContaining('held by the label kubeloom.dev/upgrade-lock') },
      ],
    });
    expect(existsSync(join(cluster, 'nodes', 'basement-01'))).toBe(true);
    expect(existsSync(join(cluster, 'nodes', 'workers-bbbbbbb-01'))).toBe(false);
  });

  it('each pool drains as many nodes at once as it allows', async () => {
    const names = ['workers-bbbbbbb-01', 'workers-bbbbbbb-02', 'workers-bbbbbbb-03'];
    for (const name of names) live(name);
    const pool = { ...workerPool, nodes: names.map((name) => ({ name, privateAddress: '192.168.2.7' })) };
    const work = { patch: [], remove: names, maxUnavailable: 1, maxUnavailableOf: { 'workers-bbbbbbb': 3 } };
    const states = {
      before: twoProviderState({ pools: [controlPool, pool] }),
      target: twoProviderState({ pools: [controlPool] }),
    };
    const verbs = async (changed: { maxUnavailableOf?: Record<string, number> }) => {
      writeFileSync(join(cluster, 'calls'), '');
      for (const name of names) live(name);
      await world.put(
        aDocument([{ stage: 'nodes', reasons: [], work: { ...work, ...changed } }], states),
        twoProviderFacts,
      );
      expect((await world.run('nodes')).ok).toBe(true);
      return calls().map((call) => call.split(' ')[0]);
    };
    const one = ['cordon', 'drain', 'delete'];
    expect(await verbs({ maxUnavailableOf: {} })).toEqual(['get', ...one, ...one, ...one]);
    writeFileSync(join(cluster, 'together'), '3');
    expect((await verbs({})).slice(1, 4)).toEqual(['cordon', 'cordon', 'cordon']);
  });

  it.each([
    { maxUnavailable: 1, held: ['01'], removed: [] },
    { maxUnavailable: 2, held: ['01'], removed: ['02', '03'] },
    { maxUnavailable: 2, held: ['01', '02'], removed: [] },
  ])(
    'a node whose drain is held counts as unavailable: with $maxUnavailable at once and $held held, $removed leave',
    async ({ maxUnavailable, held, removed }) => {
      const named = (numbers: readonly string[]) => numbers.map((number) => `workers-bbbbbbb-${number}`);
      const names = named(['01', '02', '03']);
      for (const name of names) live(name);
      for (const name of named(held)) fail('drain', name, 'error: global timeout reached: 3m0s');
      writeFileSync(join(cluster, 'budgets'), JSON.stringify({ items: [] }));
      const pool = { ...workerPool, nodes: names.map((name) => ({ name, privateAddress: '192.168.2.7' })) };
      const before = twoProviderState({ pools: [controlPool, pool] });
      const target = twoProviderState({ pools: [controlPool] });
      await world.put(aDocument([nodesStage([], names, maxUnavailable)], { before, target }), twoProviderFacts);
      const { error } = await world.run('nodes');
      expect(error?.code).toBe('DrainWaits');
      expect(error?.waitsFor?.map(({ node }) => node).sort()).toEqual(named(held));
      const cordoned = calls().flatMap((call) => (call.startsWith('cordon') ? [call.split(' ')[1]] : []));
      expect(cordoned.sort()).toEqual([...named(held), ...named(removed)].sort());
      for (const name of named(removed)) expect(existsSync(join(cluster, 'nodes', name))).toBe(false);
    },
  );

  it('a removal of nodes that are gone, or from a cluster that never ran, has nothing to do', async () => {
    await shrink(twoProviderState({ pools: [controlPool, workerPool] }), ['basement-99']);
    expect((await world.run('nodes')).summary).toMatchObject({ nodesRemoved: 0 });
    await world.ports.artifacts.remove(kubeconfig);
    expect((await world.run('nodes')).ok).toBe(true);
  });
});

describe('etcd members', () => {
  it('an etcd member list is read past warnings, and names are compared whole', () => {
    const output = 'warning: x\n{"members":[{"ID":"1","name":"control-011"},{"ID":"2","name":"control-01"}]}';
    expect(memberOf(output, 'control-01')).toBe('2');
    expect(memberOf(output, 'control-0')).toBeUndefined();
    expect(memberOf('no json', 'control-01')).toBeUndefined();
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
    fail('drain', 'workers-bbbbbbb-01', 'error: cannot evict');
    expect((await world.run('nodes')).ok).toBe(true);
    expect((await world.reported()).some((line) => line.startsWith('NodeOrphaned: workers-bbbbbbb-01'))).toBe(true);
    fail('drain', 'basement-01', 'error: cannot evict');
    expect((await world.run('nodes')).ok).toBe(true);
  });
});
