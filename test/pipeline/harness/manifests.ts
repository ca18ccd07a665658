/** Manifests for scenarios: clusters of one control pool and some compute pools, all simulated. */
import { InputManifest } from '#domain/manifest/input-manifest.ts';

export interface ClusterWish {
  readonly name?: string;
  readonly control?: number;
  /** Nodes of each compute pool, by pool name. */
  readonly compute?: Readonly<Record<string, number>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly version?: string;
  /** A load balancer in front of all compute pools. */
  readonly balanced?: true;
  /** Machines of the user's own, as a compute pool. */
  readonly machines?: number;
}

export function manifestOf(clusters: readonly ClusterWish[] = [{}]): InputManifest {
  return InputManifest.parse({
    apiVersion: 'kubeloom.dev/v1',
    kind: 'InputManifest',
    metadata: { name: 'shop', namespace: 'team' },
    spec: {
      providers: [{ name: 'sim-1', providerType: 'sim' }],
      nodePools: { dynamic: clusters.flatMap(dynamicPools), static: clusters.flatMap(staticPools) },
      kubernetes: {
        clusters: clusters.map((wish, index) => ({
          name: nameOf(wish),
          version: wish.version ?? '1.36.0',
          network: `192.168.${index + 1}.0/24`,
          pools: { control: [`${nameOf(wish)}-control`], compute: computeNames(wish) },
        })),
      },
      loadBalancers: {
        roles: clusters.filter(({ balanced }) => balanced).map(roleOf),
        clusters: clusters.filter(({ balanced }) => balanced).map(balancerOf),
      },
    },
  });
}

const nameOf = ({ name = 'web' }: ClusterWish): string => name;
const computeOf = ({ compute = { work: 2 } }: ClusterWish): Readonly<Record<string, number>> => compute;

function computeNames(wish: ClusterWish): readonly string[] {
  const own = wish.machines ? [`${nameOf(wish)}-own`] : [];
  return [...Object.keys(computeOf(wish)).map((pool) => `${nameOf(wish)}-${pool}`), ...own];
}

function dynamicPools(wish: ClusterWish): readonly object[] {
  const name = nameOf(wish);
  return [
    poolOf(`${name}-control`, wish.control ?? 1, {}),
    ...Object.entries(computeOf(wish)).map(([pool, count]) => poolOf(`${name}-${pool}`, count, wish.labels ?? {})),
    ...(wish.balanced ? [poolOf(`${name}-front`, 1, {})] : []),
  ];
}

function staticPools(wish: ClusterWish): readonly object[] {
  if (!wish.machines) return [];
  const secretRef = { name: 'machines', namespace: 'team' };
  const nodes = Array.from({ length: wish.machines }, (_, n) => ({
    endpoint: `198.51.100.${n + 1}`,
    username: 'root',
    secretRef,
  }));
  return [{ name: `${nameOf(wish)}-own`, nodes }];
}

function roleOf(wish: ClusterWish): object {
  return {
    name: `${nameOf(wish)}-http`,
    protocol: 'tcp',
    port: 80,
    targetPort: 30080,
    targetPools: computeNames(wish),
  };
}

function balancerOf(wish: ClusterWish): object {
  const name = nameOf(wish);
  const dns = { dnsZone: 'example.com', provider: 'sim-1', hostname: name };
  return { name: `${name}-lb`, roles: [`${name}-http`], dns, targetedK8s: name, pools: [`${name}-front`] };
}

function poolOf(name: string, count: number, labels: Readonly<Record<string, string>>): object {
  const providerSpec = { name: 'sim-1', region: 'anywhere' };
  return { name, count, labels, providerSpec, serverType: 'small', image: 'linux' };
}
