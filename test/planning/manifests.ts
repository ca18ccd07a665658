/** Builder of small manifests: everything has a default, a test names only what it is about. */
import { InputManifest } from '#domain/manifest/schema/input-manifest.ts';

export interface PoolSpec {
  readonly name: string;
  readonly provider?: string;
  readonly [field: string]: unknown;
}

export interface ManifestSpec {
  readonly control?: readonly string[];
  readonly compute?: readonly string[];
  readonly dynamic?: readonly PoolSpec[];
  readonly static?: readonly { readonly name: string; readonly endpoints: readonly string[]; readonly key?: string }[];
  readonly version?: string;
  readonly network?: string;
  readonly proxy?: Readonly<Record<string, string>>;
  readonly roles?: readonly Readonly<Record<string, unknown>>[];
  readonly loadBalancers?: readonly {
    readonly name: string;
    readonly roles: readonly string[];
    readonly pools: readonly string[];
    readonly dns?: Readonly<Record<string, unknown>>;
  }[];
  /** Secret of each provider instance, where it is not the usual one. */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly protect?: boolean;
  /** Fields of the cluster about how Kubernetes is set up. */
  readonly kubernetes?: Readonly<Record<string, unknown>>;
}

const types = { 'hz-1': 'hetzner', 'aws-1': 'aws', 'azure-1': 'azure', 'azure-2': 'azure', dns: 'cloudflare' };

/** A manifest with the one cluster `c`: one control node at hz-1 and two compute nodes at aws-1 by default. */
export function manifestOf(desired: ManifestSpec = {}): InputManifest {
  const dynamic = desired.dynamic ?? [control(1), compute(2)];
  return InputManifest.parse({
    apiVersion: 'kubeloom.dev/v1',
    kind: 'InputManifest',
    metadata: { name: 'm' },
    spec: {
      providers: Object.entries(types).map(([name, providerType]) => ({
        name,
        providerType,
        secretRef: { name: desired.secrets?.[name] ?? `${name}-secret`, namespace: 'team' },
      })),
      nodePools: {
        dynamic: dynamic.map(({ provider = 'aws-1', ...pool }) => ({
          serverType: 'small',
          image: 'ubuntu-24.04',
          providerSpec: { name: provider, region: 'here' },
          ...(pool.autoscaler ? {} : { count: 1 }),
          ...pool,
        })),
        static: (desired.static ?? []).map(({ name, endpoints, key = 'static-key' }) => ({
          name,
          nodes: endpoints.map((endpoint) => ({ endpoint, secretRef: { name: key, namespace: 'team' } })),
        })),
      },
      kubernetes: {
        clusters: [
          {
            name: 'c',
            version: desired.version ?? '1.34.1',
            network: desired.network ?? '192.168.2.0/24',
            installationProxy: desired.proxy ?? { mode: 'off' },
            pools: { control: desired.control ?? ['control'], compute: desired.compute ?? ['compute'] },
            ...desired.kubernetes,
            ...(desired.protect ? { protect: true } : {}),
          },
        ],
      },
      loadBalancers: {
        roles: desired.roles ?? [apiRole, webRole],
        clusters: (desired.loadBalancers ?? []).map(({ dns, ...loadBalancer }) => ({
          dns: { dnsZone: 'example.com', provider: 'dns', ...dns },
          targetedK8s: 'c',
          ...loadBalancer,
        })),
      },
    },
  });
}

export const control = (count: number, more: Readonly<Record<string, unknown>> = {}): PoolSpec => ({
  name: 'control',
  provider: 'hz-1',
  count,
  ...more,
});
export const compute = (count: number, more: Readonly<Record<string, unknown>> = {}): PoolSpec => ({
  name: 'compute',
  count,
  ...more,
});
export const balancer = (count: number, more: Readonly<Record<string, unknown>> = {}): PoolSpec => ({
  name: 'balancer',
  count,
  ...more,
});

export const apiRole = { name: 'api', protocol: 'tcp', port: 6443, targetPort: 6443, target: 'k8sControlPlane' };
export const webRole = {
  name: 'web',
  protocol: 'tcp',
  port: 80,
  targetPort: 30080,
  target: 'k8sComputeNodes',
  settings: { proxyProtocol: false },
};
