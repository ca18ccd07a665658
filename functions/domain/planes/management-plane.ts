/** The kind `ManagementPlane`: the components of Cluster API on a cluster that Kubeloom created. */
import { z } from 'zod';
import { ClusterName, dnsName, Metadata, shown } from '../manifest/schema/names.ts';
import { SecretSource } from '../manifest/schema/secret-source.ts';

/** What a component is, in the order in which they are applied. */
export const componentKinds = [
  'prerequisite',
  'core',
  'bootstrap',
  'controlPlane',
  'infrastructure',
  'addon',
  'ipam',
] as const;
type ComponentKind = (typeof componentKinds)[number];

/** Its faults never repeat it: a password in it would get into logs. Without a query, which has tokens. */
const Https = z.string().refine(isPlainHttps, {
  error: 'is not an https URL without user, password, query and fragment; name the file of a release',
});

function isPlainHttps(text: string): boolean {
  if (!/^https:\/\/[^\s?#]+$/i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

const Sum = z.string().regex(/^[0-9a-f]{64}$/, {
  error: (issue) => `${shown(issue.input)} is not a SHA-256; write its 64 digits, as \`sha256sum FILE\` prints them`,
});

export const SourceFile = z.strictObject({
  url: Https.describe('Where the runner gets the file, over https.'),
  sha256: Sum.describe('SHA-256 of the file; a file with another sum is refused.'),
});
export type SourceFile = z.infer<typeof SourceFile>;

const Variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, {
  error: (issue) => `${shown(issue.input)} is not the name of a variable; write it like "EXP_MACHINE_POOL"`,
});

const Component = z.strictObject({
  kind: z
    .enum(componentKinds)
    .describe(
      'Its kind; components are applied in this order. `prerequisite`: required by the others, such as cert-manager.',
    ),
  name: dnsName(30).describe('Name of the provider, such as "kubeadm" or "vsphere"; the core is "cluster-api".'),
  instance: dnsName(15)
    .optional()
    .describe('Keeps several instances of one infrastructure provider apart, each with its own credentials.'),
  version: z
    .string()
    .max(40)
    .regex(/^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/, {
      error: (issue) => `${shown(issue.input)} is not a version; write it like "v1.11.1"`,
    })
    .describe('The release. A release older than the installed one is refused.'),
  source: SourceFile.describe('The file with its objects, `…-components.yaml` of the release.'),
  metadata: SourceFile.optional().describe(
    '`metadata.yaml` of the release, which contains its contract. Required except for prerequisites.',
  ),
  namespace: dnsName(63)
    .optional()
    .describe('Namespace in which it runs. Default: that of its file; for an instance, followed by "-" and its name.'),
  watchNamespace: dnsName(63)
    .optional()
    .describe('It only works on the objects of this namespace; required when the provider has several instances.'),
  values: z
    .record(Variable, z.string().max(10_000))
    .default({})
    .describe('Variables of its file: `${NAME}`, and `${NAME:=default}` where the file has a default.'),
  secretRef: SecretSource.optional().describe(
    'A Secret, or a secret of a Vault, whose fields are variables, too; read when it is applied or compared, and never stored.',
  ),
});
export type Component = z.infer<typeof Component>;

export const ManagementPlane = z.strictObject({
  apiVersion: z.literal('kubeloom.dev/v1').describe('Always kubeloom.dev/v1.'),
  kind: z.literal('ManagementPlane'),
  metadata: Metadata.extend({
    name: dnsName(20).describe('Name of the plane, unique in its namespace.'),
  }).describe('Name and namespace.'),
  spec: z
    .strictObject({
      cluster: z
        .strictObject({
          manifest: dnsName(63).describe('Name of a manifest of this namespace.'),
          name: ClusterName.describe('The cluster in it.'),
        })
        .describe('Where the components run. A cluster has one plane.'),
      components: z.array(Component).min(1).max(40).describe('The components of Cluster API.'),
    })
    .describe('What is installed where.'),
});
export type ManagementPlane = z.infer<typeof ManagementPlane>;

const prefixes = {
  prerequisite: '',
  core: '',
  bootstrap: 'bootstrap-',
  controlPlane: 'control-plane-',
  infrastructure: 'infrastructure-',
  addon: 'addon-',
  ipam: 'ipam-',
} as const satisfies Readonly<Record<ComponentKind, string>>;

/** As Cluster API's label of providers has it: `infrastructure-vsphere`. */
export function providerLabel({ kind, name }: Pick<Component, 'kind' | 'name'>): string {
  return `${prefixes[kind]}${name}`;
}

/** Name of its documents in the cluster; the dots keep it apart from names of users. */
export function componentDocument(plane: string, component: Pick<Component, 'kind' | 'name' | 'instance'>): string {
  const { instance } = component;
  return `${plane}.${providerLabel(component)}${instance === undefined ? '' : `.${instance}`}`;
}

/** The plane of a component's documents; undefined for all others. */
export function planeOfDocument(name: string): string | undefined {
  return name.includes('.') ? name.split('.')[0] : undefined;
}

/** `providerLabel` of a component's documents; undefined for all others. */
export function providerOfDocument(name: string): string | undefined {
  return name.split('.')[1];
}
