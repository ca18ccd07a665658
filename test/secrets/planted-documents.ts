/** Secrets of several providers and of static nodes with values that can be found again, and a manifest that uses them all. */
import { generateKeyPairSync } from 'node:crypto';

interface PlantedSecret {
  readonly apiVersion: 'v1';
  readonly kind: 'Secret';
  readonly metadata: { readonly name: string; readonly namespace: 'default' };
  readonly stringData?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, string>>;
}

export interface Planted {
  readonly documents: readonly PlantedSecret[];
  /** A new version of a Secret whose fields do not fit the provider that uses it. */
  readonly refused: PlantedSecret;
  readonly values: readonly { readonly what: string; readonly value: string }[];
}

const secret = (name: string, fields: Pick<PlantedSecret, 'stringData' | 'data'>): PlantedSecret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'default' },
  ...fields,
});

/** `mark(length)` gives another value each time. */
export function plantedSecrets(mark: (length: number) => string): Planted {
  const fields = {
    hetzner: { credentials: mark(64) },
    aws: { accesskey: mark(20), secretkey: mark(40) },
    azure: { subscriptionid: mark(36), tenantid: mark(36), clientid: mark(36), clientsecret: mark(40) },
    gcp: { credentials: JSON.stringify({ private_key: mark(64) }), gcpproject: mark(20) },
    machines: { privatekey: privateKey(mark) },
    refused: { credentials: mark(50) },
  };
  const encoded = Object.fromEntries(
    Object.entries(fields.aws).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  );
  const { refused, ...stored } = fields;
  return {
    documents: Object.entries(stored).map(([name, values]) =>
      secret(name, name === 'aws' ? { data: encoded } : { stringData: values }),
    ),
    refused: secret('hetzner', { stringData: refused }),
    values: Object.entries(fields).flatMap(([name, values]) =>
      Object.entries(values).map(([field, value]) => ({ what: `${name}.${field}`, value: findable(value) })),
    ),
  };
}

/** One line of it is enough to know it again; JSON and line ends would hide the whole. */
function findable(value: string): string {
  const lines = value.split(/[\s"]/).filter((line) => !line.includes('PRIVATE') && /^[A-Za-z0-9+/=]{20,}$/.test(line));
  return lines[0] ?? value;
}

function privateKey(mark: (length: number) => string): string {
  const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return `${key.export({ type: 'pkcs1', format: 'pem' })}${mark(8)}`.trim();
}

export interface PathGoal {
  /** A label that may be seen anywhere. */
  readonly visible: string;
  readonly compute: number;
  readonly proxy?: string;
}

export function manifestWith({ visible, compute, proxy }: PathGoal) {
  const clouds = ['hetzner', 'aws', 'azure', 'gcp'];
  const pool = (name: string, provider: string, count: number) => ({
    name,
    providerSpec: { name: provider, region: 'r' },
    count,
    serverType: 's',
    image: 'i',
    labels: { visible },
  });
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'InputManifest',
    metadata: { name: 'planted', namespace: 'default' },
    spec: {
      providers: clouds.map((type) => ({
        name: type,
        providerType: type,
        secretRef: { name: type, namespace: 'default' },
      })),
      nodePools: {
        dynamic: [pool('control', 'hetzner', 1), ...clouds.map((type) => pool(type, type, compute))],
        static: [
          {
            name: 'own',
            nodes: [{ endpoint: '203.0.113.7', secretRef: { name: 'machines', namespace: 'default' } }],
          },
        ],
      },
      kubernetes: {
        clusters: [
          {
            name: 'planted',
            version: '1.36.0',
            network: '192.168.3.0/24',
            ...(proxy === undefined ? {} : { installationProxy: { mode: 'on', endpoint: proxy } }),
            pools: { control: ['control'], compute: [...clouds, 'own'] },
          },
        ],
      },
    },
  };
}
