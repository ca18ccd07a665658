/** The Ansible inventory. */
import { describe, expect, it } from 'vitest';
import type { ClusterState } from '#domain/cluster-state.ts';
import { renderInventory, visitedNodes } from '#rendering/inventory.ts';
import { controlPool, staticPool, twoProviderFacts, twoProviderState, workerPool } from './states.ts';

const noWork = { install: [], peers: [], proxy: [], uninstall: [], loadBalancers: [] };
const healthy = {
  ask: { kind: 'tcp' as const, port: 80 },
  timeout: 1,
  pause: 1,
  unhealthyAfter: 1,
  healthyAfter: 1,
};
const input = {
  target: twoProviderState(),
  others: [],
  facts: twoProviderFacts,
  work: noWork,
  keyDirectory: '/work/keys',
  adminCidrs: ['203.0.113.0/24'],
};

describe('Ansible inventory', () => {
  it('the inventory has all groups, the mesh of all nodes, and the roles of load balancers with work', async () => {
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

  it('the inventory visits only the nodes with work', () => {
    const visits = visitedNodes({ ...input, work: { ...noWork, peers: ['control-aaaaaaa-02'] } });
    expect(visits.map(({ node }) => node.name)).toEqual(['control-aaaaaaa-02']);
  });

  it('nodes that leave are taken from the state before', () => {
    const target = twoProviderState({ pools: [controlPool, workerPool] });
    const before = twoProviderState({ pools: [controlPool, workerPool, staticPool] });
    const work = { ...noWork, uninstall: ['basement-01'] };
    const { all } = renderInventory({ ...input, target, others: [before], work });
    expect(all.children.uninstall?.hosts).toEqual({ 'basement-01': {} });
    expect(all.children.compute?.hosts['basement-01']).toMatchObject({
      ansible_host: '203.0.113.9',
      ansible_user: 'ops',
    });
    expect(JSON.stringify(all.vars.kubeloom_mesh)).not.toContain('basement-01');
  });

  it('machines that restarted are visited, and awaited like new ones', () => {
    const pools = twoProviderState().pools.map((pool) => ({ ...pool, health: [healthy] }));
    const [restarted, fresh] = ['workers-bbbbbbb-01', 'basement-01'];
    const work = { ...noWork, restarted: [restarted], install: [fresh], health: [restarted, fresh] };
    const { all } = renderInventory({ ...input, target: twoProviderState({ pools }), work });
    expect(Object.keys(all.children.awaited?.hosts ?? {}).toSorted()).toEqual([fresh, restarted]);
    expect(all.children.compute?.hosts[restarted]).toHaveProperty('kubeloom_health');
    expect(visitedNodes({ ...input, work: { ...noWork, restarted: [restarted] } })).toHaveLength(1);
  });

  it('a machine that restarted and gets another boot script is asked after that: its new checks may need the new script', () => {
    const [restarted, other] = ['workers-bbbbbbb-01', 'basement-01'];
    const work = { ...noWork, restarted: [restarted, other], boot: [restarted], health: [restarted, other] };
    const { all } = renderInventory({ ...input, work });
    expect(all.children.awaited?.hosts).toEqual({ [other]: {} });
    expect(all.children.boot?.hosts).toEqual({ [restarted]: {} });
  });

  it('static nodes of a deleted cluster are cleaned', () => {
    const work = { ...noWork, uninstall: ['basement-01'] };
    const { all } = renderInventory({ ...input, target: null, others: [twoProviderState()], work });
    expect(all.vars.kubeloom_mesh).toEqual([]);
    expect(Object.keys(all.children.static?.hosts ?? {})).toEqual(['basement-01']);
  });

  it('the proxy has all addresses that must not go through it', () => {
    const target = twoProviderState({
      installationProxy: { enabled: true, endpoint: 'http://proxy:8880', noProxy: ['intern.example.com'] },
    });
    const { all } = renderInventory({ ...input, target });
    const proxy = all.vars.kubeloom_proxy as { enabled: boolean; no_proxy: string };
    expect(proxy.enabled).toBe(true);
    expect(proxy.no_proxy.split(',')).toEqual(
      expect.arrayContaining(['192.168.2.1', '198.51.100.1', 'shop.example.com', 'intern.example.com', 'svc']),
    );
  });

  it('a node without an address is named', () => {
    const facts = { ...twoProviderFacts, nodes: {} };
    expect(() => renderInventory({ ...input, facts })).toThrow(/control-aaaaaaa-01 has no public address yet/);
  });
});

describe('host firewalls', () => {
  const own = { hostFirewall: true } as const;
  const { nodes } = twoProviderFacts;
  const facts = {
    ...twoProviderFacts,
    nodes: {
      ...nodes,
      'control-aaaaaaa-01': { ...nodes['control-aaaaaaa-01'], ...own },
      'workers-bbbbbbb-01': { ...nodes['workers-bbbbbbb-01'], ...own },
      'edge-ccccccc-01': { ...nodes['edge-ccccccc-01'], ...own },
    },
  };
  const visited = ['control-aaaaaaa-01', 'control-aaaaaaa-02', 'workers-bbbbbbb-01', 'edge-ccccccc-01'];
  const firewalls = (change: Partial<ClusterState> = {}) => {
    const target = twoProviderState({ pools: [controlPool, workerPool], ...change });
    const { all } = renderInventory({ ...input, facts, target, work: { ...noWork, peers: visited } });
    const hosts = {
      ...all.children.control?.hosts,
      ...all.children.compute?.hosts,
      ...all.children.loadbalancers?.hosts,
    };
    return Object.fromEntries(Object.entries(hosts).map(([name, host]) => [name, host.kubeloom_firewall]));
  };
  const common = {
    ssh_port: 22,
    wireguard_port: 51820,
    tcp: [],
    udp: [],
    peers: ['198.18.0.3/32', '198.51.100.1/32', '198.51.100.2/32', '198.51.100.5/32'],
    admin: ['203.0.113.0/24'],
    pod_devices: ['cilium_host', 'cilium_net', 'cilium_vxlan', 'lxc*'],
  };

  it('nodes without a cloud firewall get a host firewall with the ports of their roles', () => {
    expect(firewalls()).toEqual({
      'control-aaaaaaa-01': common,
      'control-aaaaaaa-02': undefined,
      'workers-bbbbbbb-01': common,
      'edge-ccccccc-01': { ...common, tcp: [6443, 443], pod_devices: [] },
    });
  });

  it('control nodes that serve the API themselves open its port in the host firewall', () => {
    const onNode = firewalls({ apiEndpoint: { kind: 'node', node: 'control-aaaaaaa-01' } });
    expect(onNode).toMatchObject({ 'control-aaaaaaa-01': { tcp: [6443] }, 'workers-bbbbbbb-01': { tcp: [] } });
  });

  it('the host firewall allows the devices of the network that the cluster has', () => {
    const canal = firewalls({ kubernetesOptions: { cni: 'canal' } });
    expect(canal['workers-bbbbbbb-01']).toMatchObject({ pod_devices: ['cali*', 'flannel.1'] });
    const external = firewalls({ kubernetesOptions: { cni: 'external' } });
    expect(external['workers-bbbbbbb-01']).toMatchObject({
      pod_devices: expect.arrayContaining(['cali*', 'cni*', 'lxc*']),
    });
  });

  it('the host firewall allows WireGuard from all addresses when a static node can be behind NAT', () => {
    const mixed = firewalls({ pools: [controlPool, workerPool, staticPool] });
    expect(mixed['control-aaaaaaa-01']).toMatchObject({ peers: ['0.0.0.0/0'] });
  });
});

describe('nodes of one router', () => {
  const local = (address: string, network = 'net') => ({ local: { network, address } });
  const nodes = {
    ...twoProviderFacts.nodes,
    'control-aaaaaaa-01': { ...twoProviderFacts.nodes['control-aaaaaaa-01'], ...local('10.0.0.5') },
    'control-aaaaaaa-02': { ...twoProviderFacts.nodes['control-aaaaaaa-02'], ...local('10.0.0.6') },
    'workers-bbbbbbb-01': { ...twoProviderFacts.nodes['workers-bbbbbbb-01'], ...local('10.0.0.7', 'other') },
  };
  const facts = { ...twoProviderFacts, nodes };
  const names = ['control-aaaaaaa-01', 'control-aaaaaaa-02', 'workers-bbbbbbb-01'];

  it('a node with a local address says in which network of which provider it is, and where it is reached there', () => {
    const { all } = renderInventory({ ...input, facts, work: { ...noWork, peers: names } });
    expect(all.children.control?.hosts['control-aaaaaaa-01']).toMatchObject({ kubeloom_site: 'hz-prod net' });
    expect(all.vars.kubeloom_mesh).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: names[1], site: 'hz-prod net', local_endpoint: '10.0.0.6:51820' }),
        expect.objectContaining({ name: names[2], site: expect.stringContaining(' other') }),
      ]),
    );
  });

  it('the host firewall allows neighbours under their local addresses, and nodes of other networks do not count', () => {
    const firewalled = Object.fromEntries(
      Object.entries(nodes).map(([name, known]) => [name, { ...known, hostFirewall: true as const }]),
    );
    const target = twoProviderState({ pools: [controlPool, workerPool] });
    const { all } = renderInventory({
      ...input,
      facts: { ...facts, nodes: firewalled },
      target,
      work: { ...noWork, peers: names },
    });
    const text = JSON.stringify(all.children.control?.hosts['control-aaaaaaa-01']?.kubeloom_firewall);
    expect(text).toContain('10.0.0.6/32');
    expect(text).not.toMatch(/10\.0\.0\.[57]\/32/);
  });
});

describe('data disks', () => {
  it('a node with a data disk gets the pattern to find it, and the size where it became larger', () => {
    const dataDevice = '/dev/disk/by-id/*1234*';
    const facts = {
      ...twoProviderFacts,
      nodes: {
        ...twoProviderFacts.nodes,
        'workers-bbbbbbb-01': { ...twoProviderFacts.nodes['workers-bbbbbbb-01'], dataDevice },
      },
    };
    const { all } = renderInventory({ ...input, facts, work: { ...noWork, install: ['workers-bbbbbbb-01'] } });
    expect(all.children.compute?.hosts['workers-bbbbbbb-01']).toMatchObject({ kubeloom_data_device: dataDevice });
    const grows = renderInventory({ ...input, facts, work: { ...noWork, disks: ['workers-bbbbbbb-01'] } });
    expect(grows.all.children.compute?.hosts['workers-bbbbbbb-01']).toMatchObject({
      kubeloom_data_device: dataDevice,
      kubeloom_data_size: 50,
    });
  });
});

it('machines without a mesh have no peers, and ask their own services under 127.0.0.1', () => {
  const state = { ...twoProviderState(), meshless: true as const };
  const work = { install: ['workers-bbbbbbb-01'], peers: [], proxy: [], uninstall: [], loadBalancers: [] };
  const { all } = renderInventory({
    target: state,
    others: [],
    facts: twoProviderFacts,
    work,
    keyDirectory: '/keys',
    adminCidrs: [],
  });
  expect(all.vars).toMatchObject({ kubeloom_meshless: true, kubeloom_mesh: [] });
  expect(all.children.compute?.hosts['workers-bbbbbbb-01']).toMatchObject({ kubeloom_private_address: '127.0.0.1' });
});
