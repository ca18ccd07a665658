/** Labels, annotations, taints and provider ids of nodes, nodes of others and nodes that never joined: what a check says of them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repairPlans } from '#domain/planning/work/repair-plans.ts';
import { twoProviderFacts, twoProviderState } from '#test/rendering/states.ts';
import { aCheck } from '#test/runner/stage-world.ts';
import { kubectlLooks, live, look, openLooks, world } from './recorded-looks.ts';

beforeEach(openLooks);
afterEach(() => world.close());

const worker = 'workers-bbbbbbb-01';
const control = 'control-aaaaaaa-01';

describe('a check of nodes', () => {
  it('a node whose labels, annotations, taints or provider id differ is one finding, which names keys and no value', async () => {
    live({
      [worker]: { metadata: { labels: { 'claudie.io/nodepool': 'other' }, annotations: {} } },
      [control]: { spec: { taints: [], providerID: '' } },
    });
    const { items } = await look();
    expect(items.map(({ kind, where: { node }, repairable }) => ({ kind, node, repairable }))).toEqual([
      { kind: 'metadata', node: control, repairable: true },
      { kind: 'metadata', node: worker, repairable: true },
    ]);
    expect(items[0]?.message).toContain('taint node-role.kubernetes.io/control-plane:NoSchedule, provider id');
    expect(items[1]?.message).toContain('label claudie.io/nodepool, ');
    expect(items[1]?.message).toContain('annotation node.longhorn.io/default-node-tags');
    expect(items[1]?.message).not.toContain('other,');
    expect(kubectlLooks()).toBe(2);
  });

  it('keys that others set are left alone, also in a list of taints', async () => {
    live();
    expect((await look()).items).toEqual([]);
    const taints = [
      { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' },
      { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
      { key: 'mine', value: 'x', effect: 'NoExecute' },
    ];
    live({ [control]: { spec: { taints, providerID: 'aws:///eu-west-1a/i-0123456789abcdef0' } } });
    expect((await look()).items).toEqual([]);
  });

  it('a node with the provider id of another one of Kubeloom cannot be repaired', async () => {
    live({ [worker]: { spec: { providerID: 'kubeloom://workers-bbbbbbb-07' } } });
    const { items } = await look();
    expect(items).toMatchObject([{ kind: 'metadata', where: { node: worker }, repairable: false }]);
    expect(items[0]?.message).not.toContain('-07');
  });

  it('a repair of metadata patches those nodes, and runs neither Ansible nor KubeOne', async () => {
    live({ [worker]: { metadata: { labels: {} } } });
    const { items } = await look();
    expect(repairPlans(twoProviderState(), items)).toEqual([
      {
        stage: 'nodes',
        reasons: ['labels, annotations and taints for 1 node'],
        work: { patch: [worker], remove: [], maxUnavailable: 1 },
      },
    ]);
  });

  it('a node that Kubernetes has and the cluster has not is reported, twenty by name, and nothing repairs it', async () => {
    live({ 'by-hand': {}, 'basement-01': null });
    const { items, health } = await look();
    expect(items).toMatchObject([
      { kind: 'node', where: { node: 'basement-01' } },
      { kind: 'unknown', where: { name: 'by-hand' }, repairable: false },
    ]);
    expect(health?.map(({ node }) => node)).not.toContain('by-hand');
    expect(repairPlans(twoProviderState(), items.slice(1))).toEqual([]);
    live(Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`joined-${index}`, {}])));
    const many = (await look()).items;
    expect(many).toHaveLength(21);
    expect(many.at(-1)?.message).toBe('Kubernetes has 4980 other nodes that are not of Kubeloom');
  });

  it('a node that never joined is called that, and one that joined is no longer there', async () => {
    const facts = { ...twoProviderFacts, kubeconfigKey: 'kubeconfigs/team/shop/shop-1234567' };
    const nodes = { ...facts.nodes, [worker]: { ...facts.nodes[worker], joined: true } };
    await world.put(aCheck(twoProviderState(), { ...facts, nodes }));
    live({ [worker]: null, 'basement-01': null });
    expect((await look()).items.map(({ message }) => message)).toEqual([
      `${worker} is no longer in Kubernetes`,
      'basement-01 has not joined Kubernetes since its machine was set up: its kubelet never reported',
    ]);
  });

  it('a node that never joined is as old as the set-up of its machine, and says so', async () => {
    const facts = { ...twoProviderFacts, kubeconfigKey: 'kubeconfigs/team/shop/shop-1234567' };
    const setUpAt = new Date(world.ports.clock.now().getTime() - 200 * 60_000).toISOString();
    const nodes = { ...facts.nodes, [worker]: { ...facts.nodes[worker], setUpAt } };
    await world.put(aCheck(twoProviderState(), { ...facts, nodes }));
    live({ [worker]: null });
    const { items, health } = await look();
    expect(items.map(({ message }) => message)).toEqual([
      `${worker} has not joined Kubernetes since its machine was set up 3 h 20 min ago: its kubelet never reported`,
    ]);
    expect(health).toContainEqual({ node: worker, health: 'notReady', createdAt: setUpAt });
  });
});
