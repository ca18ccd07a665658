/** Manifests for scenarios: clusters of one control pool and some compute pools, all simulated. */
import { InputManifest } from '#domain/manifest/schema/input-manifest.ts';

type PoolSize = number | { readonly min: number; readonly max: number };

export interface ClusterSpec {
  readonly name?: string;
  readonly control?: number;
  /** Nodes of each compute pool by pool name, or the bounds of an autoscaled one. */
  readonly compute?: Readonly<Record<string, PoolSize>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly version?: string;
  /** A load balancer in front of all compute pools. */
  readonly balanced?: true;
  /** Machines of the user's own, as a compute pool. */
  readonly machines?: number;
}

export function manifestOf(clusters: readonly ClusterSpec[] = [{}]): InputManifest {
  return InputManifest.parse({
    apiVersion: 'kubeloom.dev/v1',
    kind: 'InputManifest',
    metadata: { name: 'shop', namespace: 'team' },
    spec: {
      providers: [{ name: 'sim-1', providerType: 'sim' }],
      nodePools: { dynamic: clusters.flatMap(dynamicPools), static: clusters.flatMap(staticPools) },
      kubernetes: {
        clusters: clusters.map((desired, index) => ({
          name: nameOf(desired),
          version: desired.version ?? '1.36.0',
          network: `192.168.${index + 1}.0/24`,
          pools: { control: [`${nameOf(desired)}-control`], compute: computeNames(desired) },
        })),
      },
      loadBalancers: {
        roles: clusters.filter(({ balanced }) => balanced).map(roleOf),
        clusters: clusters.filter(({ balanced }) => balanced).map(balancerOf),
      },
    },
  });
}

const nameOf = ({ name = 'web' }: ClusterSpec): string => name;
const computeOf = ({ compute = { work: 2 } }: ClusterSpec): Readonly<Record<string, PoolSize>> => compute;

function computeNames(desired: ClusterSpec): readonly string[] {
  const own = desired.machines ? [`${nameOf(desired)}-own`] : [];
  return [...Object.keys(computeOf(desired)).map((pool) => `${nameOf(desired)}-${pool}`), ...own];
}

function dynamicPools(desired: ClusterSpec): readonly object[] {
  const name = nameOf(desired);
  return [
    poolOf(`${name}-control`, desired.control ?? 1, {}),
    ...Object.entries(computeOf(desired)).map(([pool, count]) =>
      poolOf(`${name}-${pool}`, count, desired.labels ?? {}),
    ),
    ...(desired.balanced ? [poolOf(`${name}-front`, 1, {})] : []),
  ];
}

function staticPools(desired: ClusterSpec): readonly object[] {
  if (!desired.machines) return [];
  const secretRef = { name: 'machines', namespace: 'team' };
  const nodes = Array.from({ length: desired.machines }, (_, n) => ({
    endpoint: `198.51.100.${n + 1}`,
    username: 'root',
    secretRef,
  }));
  return [{ name: `${nameOf(desired)}-own`, nodes }];
}

function roleOf(desired: ClusterSpec): object {
  return {
    name: `${nameOf(desired)}-http`,
    protocol: 'tcp',
    port: 80,
    targetPort: 30080,
    targetPools: computeNames(desired),
  };
}

function balancerOf(desired: ClusterSpec): object {
  const name = nameOf(desired);
  const dns = { dnsZone: 'example.com', provider: 'sim-1', hostname: name };
  return { name: `${name}-lb`, roles: [`${name}-http`], dns, targetedK8s: name, pools: [`${name}-front`] };
}

function poolOf(name: string, size: PoolSize, labels: Readonly<Record<string, string>>): object {
  const providerSpec = { name: 'sim-1', region: 'anywhere' };
  const sized = typeof size === 'number' ? { count: size } : { autoscaler: size };
  return { name, ...sized, labels, providerSpec, serverType: 'small', image: 'linux' };
}
