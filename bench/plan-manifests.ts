/** Manifests for the benchmark of planning: many clusters of 10 pools, which share their blueprints or have their own. */

export type Shape = 'shared' | 'own';

const computePools = 8;
const nodesOfPool = 10;

/** `clusters` × (1 control, 8 compute, 1 load balancer pool) × 10 nodes. Cluster 0 has one pool of `changing` nodes to itself. */
export function manifestToPlan(shape: Shape, clusters: number, changing = nodesOfPool): unknown {
  const numbers = Array.from({ length: clusters }, (_, index) => index);
  const blueprints = (cluster: number) => poolsOf(shape === 'own' ? `c${cluster}-` : '');
  const shared = shape === 'shared' ? blueprints(0).all : numbers.flatMap((cluster) => blueprints(cluster).all);
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'InputManifest',
    metadata: { name: 'bench' },
    spec: {
      providers: [0, 1, 2, 3].map((index) => ({
        name: `hetzner-${index}`,
        providerType: 'hetzner',
        secretRef: { name: `hetzner-${index}`, namespace: 'bench' },
      })),
      nodePools: { dynamic: [...shared, 'changes'].map((name, index) => pool(name, index, changing)) },
      kubernetes: {
        clusters: numbers.map((cluster) => {
          const { control, compute } = blueprints(cluster);
          return {
            name: `cluster-${cluster}`,
            version: '1.36.0',
            network: '10.128.0.0/16',
            pools: { control: [control], compute: cluster === 0 ? [...compute.slice(1), 'changes'] : compute },
          };
        }),
      },
      loadBalancers: {
        roles: [
          {
            name: 'apiserver',
            protocol: 'tcp',
            port: 6443,
            targetPort: 6443,
            targetPools: [...new Set(numbers.map((cluster) => blueprints(cluster).control))],
          },
        ],
        clusters: numbers.map((cluster) => ({
          name: `lb-${cluster}`,
          roles: ['apiserver'],
          dns: { dnsZone: 'bench.test', provider: 'hetzner-0' },
          targetedK8s: `cluster-${cluster}`,
          pools: [blueprints(cluster).balancer],
        })),
      },
    },
  };
}

function poolsOf(prefix: string) {
  const control = `${prefix}control`;
  const balancer = `${prefix}balancer`;
  const compute = Array.from({ length: computePools }, (_, index) => `${prefix}compute-${index}`);
  return { control, balancer, compute, all: [control, balancer, ...compute] };
}

function pool(name: string, index: number, changing: number) {
  const providerSpec = { name: `hetzner-${index % 4}`, region: 'nbg1' };
  const count = name === 'changes' ? changing : nodesOfPool;
  return { name, count, providerSpec, serverType: 'cpx31', image: 'ubuntu-24.04' };
}
