/** Random manifests with their states and plans, for property tests. */
import fc from 'fast-check';
import type { ClusterState } from '#domain/cluster-state.ts';
import { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { buildDesiredState } from '#domain/planning/desired/build-desired-state.ts';
import type { HeldPoolUse } from '#domain/planning/desired/desired-pools.ts';

const clusterName = 'c';

const providers = [
  { name: 'hz-1', providerType: 'hetzner', region: 'nbg1' },
  { name: 'aws-1', providerType: 'aws', region: 'eu-west-1' },
  { name: 'aws-2', providerType: 'aws', region: 'eu-west-2' },
  { name: 'sim-1', providerType: 'sim', region: 'here' },
] as const;

const poolNames = ['p0', 'p1', 'p2', 'p3', 'p4'] as const;
const staticNames = ['s0', 's1'] as const;
const machines = ['203.0.113.1', '203.0.113.2', '203.0.113.3', '203.0.113.4', '203.0.113.5'] as const;
const versions = ['1.34.1', '1.35.2', '1.36.0'] as const;
const labels = fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('1', '2'), { maxKeys: 2 });
const taints = fc.subarray([{ key: 'only', value: 'x', effect: 'NoSchedule' as const }]);

const size = fc.oneof(
  { weight: 4, arbitrary: fc.record({ count: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 2 }))
      .map(([min, more]) => ({ autoscaler: { min, max: min + more } })),
  },
);

const dynamicPool = (name: (typeof poolNames)[number]) => {
  const provider = providers[poolNames.indexOf(name) % providers.length] ?? providers[0];
  return fc.record({ size, labels, taints, spot: fc.constant(false) }).map(({ size: scale, ...rest }) => ({
    name,
    providerSpec: { name: provider.name, region: provider.region },
    serverType: 'small',
    image: 'ubuntu-24.04',
    ...rest,
    ...scale,
  }));
};

/** How a role is used by a manifest: its ports and whether it is about the API. */
const appRole = (name: string, pools: readonly string[]) =>
  fc.record({
    name: fc.constant(name),
    protocol: fc.constantFrom('tcp' as const, 'udp' as const),
    port: fc.constantFrom(80, 443, 8080),
    targetPort: fc.constantFrom(30080, 30443),
    targetPools: fc.subarray([...pools], { minLength: 1 }),
    settings: fc.record({ proxyProtocol: fc.constant(false), stickySessions: fc.boolean() }),
  });

interface Shape {
  readonly control: readonly string[];
  readonly compute: readonly string[];
  readonly balancers: readonly { readonly name: string; readonly pools: readonly string[]; readonly api: boolean }[];
}

/** Which pool is used for what. Static pools serve one purpose only. */
const shape: fc.Arbitrary<Shape> = fc
  .record({
    control: fc.subarray(['p0', 'p1', 'p2', 's0'], { minLength: 1, maxLength: 2 }),
    compute: fc.subarray(['p0', 'p1', 'p2', 'p3', 's0', 's1'], { maxLength: 4 }),
    balancers: fc.subarray(['lb0', 'lb1'] as const),
    balancerPools: fc.tuple(
      fc.subarray(['p3', 'p4'], { minLength: 1 }),
      fc.subarray(['p3', 'p4', 's1'], { minLength: 1, maxLength: 2 }),
    ),
    swapped: fc.boolean(),
    api: fc.constantFrom('none', 'lb0', 'lb1'),
  })
  .map(({ control, compute, balancers, balancerPools, swapped, api }) => {
    const used = compute.filter((name) => !(name === 's0' && control.includes('s0')));
    return {
      control,
      compute: used,
      balancers: balancers.map((name, index) => ({
        name,
        pools: (balancerPools[swapped ? 1 - index : index] ?? ['p4']).filter(
          (pool) => !(pool === 's1' && used.includes('s1')),
        ),
        api: api === name,
      })),
    };
  })
  .filter(({ balancers }) => balancers.every(({ pools }) => pools.length > 0));

/** A valid manifest with one cluster, `clusterName`; at most `newest` (index into three minors) as version. */
export const manifestArbitrary: fc.Arbitrary<InputManifest> = shape.chain((use) => {
  const targets = [...new Set([...use.control, ...use.compute])];
  return fc
    .record({
      dynamic: fc.tuple(...poolNames.map(dynamicPool)),
      split: fc.integer({ min: 1, max: machines.length - 1 }),
      order: fc.shuffledSubarray([...machines], { minLength: machines.length }),
      statics: fc.tuple(labels, labels),
      secret: fc.constantFrom('old', 'new'),
      version: fc.constantFrom(...versions),
      proxy: fc.constantFrom('on', 'off', 'default'),
      roles: fc.tuple(appRole('web', targets), appRole('api2', targets), appRole('other', targets)),
      picked: fc.tuple(fc.subarray(['web', 'api2', 'other']), fc.subarray(['web', 'api2', 'other'])),
      zones: fc.tuple(fc.constantFrom('a.example', 'b.example'), fc.constantFrom('a.example', 'b.example')),
      storage: fc.constantFrom('longhorn', 'none', undefined),
      documents: fc.subarray([
        { name: 'own', inline: 'kind: ConfigMap' },
        { name: 'longhorn-classes', enabled: false },
      ]),
      hosts: fc.tuple(fc.constantFrom(undefined, 'fixed'), fc.constantFrom(undefined, 'other')),
    })
    .map((parts) => document(use, parts));
});

interface Parts {
  readonly dynamic: readonly { readonly name: string }[];
  readonly split: number;
  readonly order: readonly string[];
  readonly statics: readonly Readonly<Record<string, string>>[];
  readonly secret: string;
  readonly version: string;
  readonly proxy: string;
  readonly roles: readonly {
    readonly name: string;
    readonly protocol: string;
    readonly port: number;
  }[];
  readonly picked: readonly (readonly string[])[];
  readonly zones: readonly string[];
  readonly hosts: readonly (string | undefined)[];
  readonly storage: string | undefined;
  readonly documents: readonly { readonly name: string }[];
}

function document(use: Shape, parts: Parts): InputManifest {
  const usedPools = new Set([...use.control, ...use.compute, ...use.balancers.flatMap(({ pools }) => pools)]);
  const [first, second] = [parts.order.slice(0, parts.split), parts.order.slice(parts.split)];
  const secretRef = { name: parts.secret, namespace: 'secrets' };
  const staticPool = (name: string, endpoints: readonly string[], index: number) => ({
    name,
    labels: parts.statics[index],
    nodes: endpoints.map((endpoint) => ({ endpoint, secretRef })),
  });
  const api = { name: 'api', protocol: 'tcp', port: 6443, targetPort: 6443, targetPools: use.control };
  return InputManifest.parse({
    apiVersion: 'kubeloom.dev/v1',
    kind: 'InputManifest',
    metadata: { name: 'm' },
    spec: {
      providers: [
        ...providers.map(({ name, providerType }) => ({
          name,
          providerType,
          ...(providerType === 'sim' ? {} : { secretRef }),
        })),
        { name: 'dns-1', providerType: 'cloudflare', secretRef },
      ],
      nodePools: {
        dynamic: parts.dynamic.filter((pool) => usedPools.has(pool.name)),
        static: staticNames
          .map((name, index) => staticPool(name, [first, second][index] ?? [], index))
          .filter((pool) => usedPools.has(pool.name)),
      },
      kubernetes: {
        clusters: [
          {
            name: clusterName,
            version: parts.version,
            network: '192.168.2.0/24',
            installationProxy: { mode: parts.proxy, endpoint: 'http://proxy.example:8880' },
            pools: { control: use.control, compute: use.compute },
            ...(parts.storage === undefined || use.compute.length === 0 ? {} : { storage: parts.storage }),
            documents: parts.documents,
          },
        ],
      },
      loadBalancers: {
        roles: [api, ...parts.roles],
        clusters: use.balancers.map(({ name, pools, api: serves }, index) => ({
          name,
          roles: [...(serves ? ['api'] : []), ...distinct(parts.roles, parts.picked[index] ?? [])],
          dns: {
            dnsZone: parts.zones[index],
            provider: 'dns-1',
            ...(parts.hosts[index] ? { hostname: parts.hosts[index] } : {}),
          },
          targetedK8s: clusterName,
          pools,
        })),
      },
    },
  });
}

/** Picked roles that do not share a port with one picked before. */
function distinct(roles: Parts['roles'], picked: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return roles
    .filter(({ name, protocol, port }) => {
      const listener = `${protocol}/${port}`;
      if (!picked.includes(name) || taken.has(listener)) return false;
      taken.add(listener);
      return true;
    })
    .map((role) => role.name);
}

/** Versions of the templates of each provider instance. */
export const templatesArbitrary: fc.Arbitrary<Readonly<Record<string, string>>> = fc.record({
  'hz-1': fc.constantFrom('git@1', 'git@2'),
  'aws-1': fc.constantFrom('git@1', 'git@2'),
});

/** Random names that are the same in every run: a prefix and a counter. */
export function countingIds(prefix: string): { hash(length: number): string } {
  let count = 0;
  return { hash: (length) => `${prefix}${(++count).toString(36)}`.padEnd(length, '0').slice(0, length) };
}

export interface Desired {
  readonly manifest: InputManifest;
  readonly templates?: Readonly<Record<string, string>>;
  readonly current?: ClusterState | null;
  readonly attempted?: ClusterState | null;
  readonly ids?: string;
  readonly heldPools?: readonly HeldPoolUse[];
  readonly leaving?: readonly string[];
  readonly sizes?: Readonly<Record<string, number>>;
}

/** The desired state of the one cluster of a random manifest. */
export function desiredOf({
  manifest,
  templates = {},
  current = null,
  attempted = null,
  ids = 'x',
  ...more
}: Desired): ClusterState {
  const question = { manifest, templates, current, attempted, cluster: clusterName, ids: countingIds(ids) };
  const desired = buildDesiredState({ ...question, ...more });
  if (desired === null) throw new Error('the manifest has no cluster');
  return desired;
}

/** Freezes a value all the way down, so that nothing can change it unnoticed. */
export function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
}
