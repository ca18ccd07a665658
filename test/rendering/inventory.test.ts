/** The Ansible inventory. */
import { describe, expect, it } from 'vitest';
import { renderInventory, visitedNodes } from '#rendering/inventory.ts';
import { controlPool, staticPool, twoProviderFacts, twoProviderState, workerPool } from './states.ts';

const noWork = { install: [], peers: [], proxy: [], uninstall: [], loadBalancers: [] };
const input = {
  wish: twoProviderState(),
  others: [],
  facts: twoProviderFacts,
  work: noWork,
  keyDirectory: '/work/keys',
};

describe('the inventory', () => {
  it('has all groups, the mesh of all nodes, and the roles of the load balancers at work', async () => {
    const inventory = renderInventory({
      ...input,
      work: {
        ...noWork,
        install: ['workers-bbbbbbb-01', 'basement-01', 'edge-ccccccc-01'],
        peers: ['control-aaaaaaa-01'],
        loadBalancers: ['lb'],
      },
    });
    await expect(`${JSON.stringify(inventory, null, 2)}\n`).toMatchFileSnapshot('golden/inventory.json');
  });

  it('visits only the nodes with work', () => {
    const visits = visitedNodes({ ...input, work: { ...noWork, peers: ['control-aaaaaaa-02'] } });
    expect(visits.map(({ node }) => node.name)).toEqual(['control-aaaaaaa-02']);
  });

  it('finds nodes that leave in the state before', () => {
    const wish = twoProviderState({ pools: [controlPool, workerPool] });
    const before = twoProviderState({ pools: [controlPool, workerPool, staticPool] });
    const work = { ...noWork, uninstall: ['basement-01'] };
    const { all } = renderInventory({ ...input, wish, others: [before], work });
    expect(all.children.uninstall?.hosts).toEqual({ 'basement-01': {} });
    expect(all.children.compute?.hosts['basement-01']).toMatchObject({
      ansible_host: '203.0.113.9',
      ansible_user: 'ops',
    });
    expect(JSON.stringify(all.vars.kubeloom_mesh)).not.toContain('basement-01');
  });

  it('cleans static nodes of a cluster that goes away', () => {
    const work = { ...noWork, uninstall: ['basement-01'] };
    const { all } = renderInventory({ ...input, wish: null, others: [twoProviderState()], work });
    expect(all.vars.kubeloom_mesh).toEqual([]);
    expect(Object.keys(all.children.static?.hosts ?? {})).toEqual(['basement-01']);
  });

  it('gives the proxy with everything that must not go through it', () => {
    const wish = twoProviderState({
      installationProxy: { enabled: true, endpoint: 'http://proxy:8880', noProxy: ['intern.example.com'] },
    });
    const { all } = renderInventory({ ...input, wish });
    const proxy = all.vars.kubeloom_proxy as { enabled: boolean; no_proxy: string };
    expect(proxy.enabled).toBe(true);
    expect(proxy.no_proxy.split(',')).toEqual(
      expect.arrayContaining(['192.168.2.1', '198.51.100.1', 'shop.example.com', 'intern.example.com', 'svc']),
    );
  });

  it('says which node has no address yet', () => {
    const facts = { ...twoProviderFacts, nodes: {} };
    expect(() => renderInventory({ ...input, facts })).toThrow(/control-aaaaaaa-01 has no public address yet/);
  });
});
