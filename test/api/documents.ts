/** Documents for tests of the API: small, valid, every part that a test needs can be changed. */

export interface ManifestOptions {
  readonly namespace?: string;
  readonly name?: string;
  readonly compute?: number;
  readonly serverType?: string;
  readonly version?: string;
  readonly deletionProtection?: boolean;
}

export const key = { namespace: 'team', name: 'shop' };
export const manifestPath = '/v1/manifests/team/shop';

/** One cluster on the provider `sim`. */
export function aManifest(options: ManifestOptions = {}) {
  const pool = (name: string, count: number) => ({
    name,
    providerSpec: { name: 'sim-1', region: 'anywhere' },
    count,
    serverType: options.serverType ?? 'small',
    image: 'linux',
  });
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'InputManifest',
    metadata: { namespace: options.namespace ?? key.namespace, name: options.name ?? key.name },
    spec: {
      providers: [{ name: 'sim-1', providerType: 'sim' }],
      nodePools: { dynamic: [pool('control', 1), pool('compute', options.compute ?? 2)] },
      kubernetes: {
        clusters: [
          {
            name: 'web',
            version: options.version ?? '1.35.0',
            network: '192.168.2.0/24',
            pools: { control: ['control'], compute: ['compute'] },
          },
        ],
      },
      ...(options.deletionProtection === undefined ? {} : { deletionProtection: options.deletionProtection }),
    },
  };
}

/** One cluster on machines that exist already. */
export function aStaticManifest(name: string, endpoint: string) {
  const { metadata, ...rest } = aManifest({ name });
  return {
    ...rest,
    metadata,
    spec: {
      nodePools: { static: [{ name: 'metal', nodes: [{ endpoint, secretRef: { namespace: 'team', name: 'ssh' } }] }] },
      kubernetes: {
        clusters: [{ name: 'web', version: '1.35.0', network: '192.168.2.0/24', pools: { control: ['metal'] } }],
      },
    },
  };
}

export function aSecret(name = 'hetzner', stringData: Record<string, string> = { credentials: 'x'.repeat(64) }) {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'team', name }, stringData };
}

export function aTemplateReference(name = 'own-templates') {
  return {
    apiVersion: 'claudie.io/v1beta1',
    kind: 'TemplateGitReference',
    metadata: { namespace: 'team', name },
    spec: {
      endpoint: { url: 'github.com/team/templates', protocol: 'https' },
      commit: 'v1.0.0',
      paths: { terraformer: 'templates', playbooks: 'a', configLb: 'b', configK8s: 'c', manifestsK8s: 'd' },
    },
  };
}
