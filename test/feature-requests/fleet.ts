/** A manifest over three clouds: pool `a` in `one`, `b` in `two`, `c` in `three`, a load balancer for the API in `one`. */
import { keyOf } from '#test/scenarios/simulated-world.ts';

export interface FleetSpec {
  /** Nodes of each compute pool; a pool without a number is not there. */
  readonly pools?: Readonly<Partial<Record<'a' | 'b' | 'c', number>>>;
  /** Labels of pool `c`. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Server type of pool `b`, and the name it goes by then. */
  readonly fixed?: true;
  readonly version?: string;
}

const cloudOf = { a: 'one', b: 'two', c: 'three' } as const;

export function fleet(name: string, { pools = { a: 1 }, labels = {}, fixed, version = '1.35.0' }: FleetSpec = {}) {
  const nameOf = (pool: string) => (pool === 'b' && fixed ? 'b2' : pool);
  const compute = (['a', 'b', 'c'] as const).flatMap((pool) => {
    const count = pools[pool];
    if (count === undefined) return [];
    return [
      {
        ...poolOf(nameOf(pool), pool === 'b' && fixed ? 'one' : cloudOf[pool], count),
        ...(pool === 'c' && { labels }),
      },
    ];
  });
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'InputManifest',
    metadata: { name },
    spec: {
      providers: ['one', 'two', 'three'].map((cloud) => ({ name: cloud, providerType: 'sim' })),
      nodePools: { dynamic: [poolOf('control', 'one', 1), ...compute, poolOf('front', 'one', 1)] },
      kubernetes: {
        clusters: [
          {
            name: 'fleet',
            version,
            network: '192.168.2.0/24',
            pools: { control: ['control'], compute: compute.map((pool) => pool.name) },
          },
        ],
      },
      loadBalancers: {
        roles: [{ name: 'api', protocol: 'tcp', port: 6443, targetPort: 6443, targetPools: ['control'] }],
        clusters: [
          {
            name: 'lb',
            roles: ['api'],
            dns: { dnsZone: 'example.com', provider: 'one', hostname: name },
            targetedK8s: 'fleet',
            pools: ['front'],
          },
        ],
      },
    },
  };
}

export const fleetKey = (name: string) => keyOf(fleet(name));

function poolOf(name: string, cloud: string, count: number) {
  return {
    name,
    count,
    providerSpec: { name: cloud, region: 'here' },
    serverType: 'small',
    image: 'debian',
    storageDiskSize: 0,
  };
}
