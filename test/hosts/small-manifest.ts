/** A small manifest on provider type local; each test says what is different. */

export interface Small {
  readonly name: string;
  /** Version of Kubernetes. @default 1.36.0 */
  readonly version?: string;
  /** Control nodes. @default 1 */
  readonly controls?: number;
  /** Name of a pool: provider instance and region in which it lives. */
  readonly compute: Readonly<
    Record<string, { readonly provider: string; readonly region: string; readonly count?: number }>
  >;
  /** @default no load balancer */
  readonly balancer?: {
    readonly servesApi: boolean;
    /** Port of the role for the web. @default 30080 */
    readonly targetPort?: number;
    /** Target port of the same role. @default 80 */
    readonly port?: number;
  };
}

export function smallManifest({ name, version = '1.36.0', controls = 1, compute, balancer }: Small): unknown {
  const pool = (pool: string, provider: string, region: string, count = 1) => ({
    name: pool,
    providerSpec: { name: provider, region },
    count,
    serverType: 'host',
    image: 'debian',
    storageDiskSize: 0,
  });
  const pools = Object.entries(compute).map(([id, { provider, region, count }]) => pool(id, provider, region, count));
  const { storageDiskSize: _, ...lone } = pool('balancer', 'local-1', 'here');
  const { storageDiskSize: __, ...control } = pool('control', 'local-1', 'here', controls);
  const api = { name: 'apiserver', protocol: 'tcp', port: 6443, targetPort: 6443, targetPools: ['control'] };
  const web = {
    name: 'web',
    protocol: 'tcp',
    port: balancer?.port ?? 80,
    targetPort: balancer?.targetPort ?? 30_080,
    targetPools: Object.keys(compute),
  };
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'InputManifest',
    metadata: { name },
    spec: {
      providers: ['local-1', 'local-2', 'local-3'].map((provider) => ({ name: provider, providerType: 'local' })),
      nodePools: { dynamic: [control, ...pools, ...(balancer ? [lone] : [])] },
      kubernetes: {
        clusters: [
          {
            name: 'small',
            version,
            network: '192.168.2.0/24',
            pools: { control: ['control'], compute: Object.keys(compute) },
          },
        ],
      },
      loadBalancers: {
        roles: balancer ? [api, { ...web, settings: { proxyProtocol: false } }] : [],
        clusters: balancer
          ? [
              {
                name: 'front',
                roles: balancer.servesApi ? ['apiserver', 'web'] : ['web'],
                dns: { dnsZone: 'local.test', provider: 'local-1', hostname: 'small' },
                targetedK8s: 'small',
                pools: ['balancer'],
              },
            ]
          : [],
      },
    },
  };
}
