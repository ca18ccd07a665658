/** A cluster over two clouds with a static node and a load balancer, and what is known of it. */
import type {
  ClusterFacts,
  ClusterState,
  DynamicSource,
  LoadBalancerState,
  NodePoolState,
  ProviderInstance,
} from '#domain/cluster-state.ts';
import { simulatedPublicKey } from '#runner/sim/simulated-facts.ts';

export const hetzner: ProviderInstance = {
  name: 'hz-prod',
  type: 'hetzner',
  secret: 'team/hetzner-token',
  templates: 'builtin@1',
};
export const local: ProviderInstance = { name: 'rack', type: 'local', templates: 'builtin@1' };

export function dynamicPool(
  change: Omit<Partial<NodePoolState>, 'source'> & { id: string },
  source: Partial<DynamicSource> = {},
): NodePoolState {
  return {
    name: change.id.slice(0, -8),
    role: 'compute',
    sshPort: 22,
    labels: {},
    annotations: {},
    taints: [],
    nodes: [],
    ...change,
    source: {
      kind: 'dynamic',
      provider: hetzner,
      region: 'fsn1',
      serverType: 'cpx22',
      image: 'ubuntu-24.04',
      storageDiskSize: 50,
      spot: false,
      subnet: '10.0.0.0/24',
      ...source,
    },
  };
}

export function dynamicSource({ id, source }: NodePoolState): DynamicSource {
  if (source.kind !== 'dynamic') throw new Error(`${id} is static`);
  return source;
}

export const controlPool = dynamicPool(
  {
    id: 'control-aaaaaaa',
    role: 'control',
    nodes: [
      { name: 'control-aaaaaaa-01', privateAddress: '192.168.2.1' },
      { name: 'control-aaaaaaa-02', privateAddress: '192.168.2.2' },
    ],
  },
  { storageDiskSize: 0, zone: 'fsn1-dc14' },
);

export const workerPool = dynamicPool(
  {
    id: 'workers-bbbbbbb',
    nodes: [{ name: 'workers-bbbbbbb-01', privateAddress: '192.168.2.3' }],
    labels: { tier: 'web' },
    annotations: { note: 'price ${high}' },
    taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }],
  },
  {
    provider: local,
    region: 'rack 1',
    serverType: 'any',
    image: 'any ${image} %{x}',
    machineSpec: { cpuCount: 2, memory: 4 },
    subnet: '10.0.1.0/24',
  },
);

export const staticPool: NodePoolState = {
  id: 'basement',
  name: 'basement',
  role: 'compute',
  source: { kind: 'static' },
  sshPort: 22,
  labels: {},
  annotations: {},
  taints: [],
  nodes: [
    {
      name: 'basement-01',
      privateAddress: '192.168.2.4',
      static: { endpoint: '203.0.113.9', username: 'ops', secret: 'team/basement-key' },
    },
  ],
};

const edgePool = dynamicPool(
  { id: 'edge-ccccccc', role: 'loadBalancer', nodes: [{ name: 'edge-ccccccc-01', privateAddress: '192.168.2.5' }] },
  { region: 'nbg1', storageDiskSize: 0, subnet: '10.0.2.0/24' },
);

export const balancer: LoadBalancerState = {
  id: 'lb-ddddddd',
  name: 'lb',
  roles: [
    {
      name: 'api',
      protocol: 'tcp',
      port: 6443,
      targetPort: 6443,
      targetPools: ['control'],
      proxyProtocol: false,
      stickySessions: false,
      servesApi: true,
    },
    {
      name: 'web',
      protocol: 'tcp',
      port: 443,
      targetPort: 30443,
      targetPools: ['workers', 'basement'],
      proxyProtocol: true,
      stickySessions: false,
      servesApi: false,
    },
  ],
  dns: { zone: 'example.com', provider: hetzner, hostname: 'shop', alternativeNames: ['www'] },
  pools: [edgePool],
};

export function twoProviderState(change: Partial<ClusterState> = {}): ClusterState {
  return {
    id: 'shop-1234567',
    name: 'shop',
    kubernetesVersion: '1.34.2',
    network: '192.168.2.0/24',
    apiEndpoint: { kind: 'loadBalancer', loadBalancer: 'lb' },
    installationProxy: { enabled: false, endpoint: '', noProxy: [] },
    pools: [controlPool, workerPool, staticPool],
    loadBalancers: [balancer],
    ...change,
  };
}

export const twoProviderFacts: ClusterFacts = {
  nodes: {
    'control-aaaaaaa-01': {
      publicAddress: '198.51.100.1',
      wireguardPublicKey: simulatedPublicKey('control-aaaaaaa-01'),
    },
    'control-aaaaaaa-02': {
      publicAddress: '198.51.100.2',
      wireguardPublicKey: simulatedPublicKey('control-aaaaaaa-02'),
    },
    'workers-bbbbbbb-01': { publicAddress: '198.18.0.3', sshPort: 2222, wireguardPort: 40001 },
    'edge-ccccccc-01': { publicAddress: '198.51.100.5', wireguardPublicKey: simulatedPublicKey('edge-ccccccc-01') },
  },
  loadBalancers: { lb: { endpoint: 'shop.example.com' } },
  simulated: [],
};
