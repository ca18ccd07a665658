/** The manifest: what a user asks for. Schema and defaults; the rules between fields are in `validate-manifest.ts`. */
import { z } from 'zod';
import { type ProviderTypeName, providerTypeNames, providerTypesThat } from '../../provider-types.ts';

import { clusterDocumentFields } from './cluster-documents.ts';
import { DriftChecks } from './drift-checks.ts';
import { kubernetesOptionFields } from './kubernetes-options.ts';
import { LoadBalancer, Role } from './load-balancers.ts';
import { ClusterName, Metadata, ProviderName, shown, TemplatesReference, Text } from './names.ts';
import { networkText, parseNetwork } from './networks.ts';
import { DynamicNodePool, StaticNodePool } from './node-pools.ts';
import { onTemplates } from './on-templates.ts';
import { ProviderPlugin, pluginType } from './provider-plugin.ts';
import { StoredProxyEndpoint } from './proxy-endpoint.ts';
import { SecretSource } from './secret-source.ts';

export const apiVersions = ['claudie.io/v1beta1', 'kubeloom.dev/v1'] as const;
/** The name that stands for the templates that come with Kubeloom. */
export const defaultTemplates = 'claudie-default-templates';

export const Provider = z.strictObject({
  name: ProviderName.describe('Name of this provider instance: one set of credentials of one cloud.'),
  providerType: z
    .enum([...(providerTypeNames as [ProviderTypeName, ...ProviderTypeName[]]), pluginType])
    .describe('Which cloud it is; `plugin`: a type that does not come with Kubeloom.'),
  plugin: ProviderPlugin.optional().describe('Kubeloom: the source of a type `plugin`.'),
  secretRef: SecretSource.optional().describe('Secret with the credentials; `local` and `sim` need none.'),
  templatesRef: TemplatesReference.default({ name: defaultTemplates }).describe(
    'Terraform modules to use instead of the ones that come with Kubeloom.',
  ),
  onTemplates,
});
export type Provider = z.infer<typeof Provider>;

export const InstallationProxy = z.strictObject({
  mode: z
    .enum(['on', 'off', 'default'])
    .default('default')
    .describe(
      `\`default\`: on when there is an endpoint and the cluster has a dynamic pool of type ${providerTypesThat(({ proxied }) => proxied === true)}.`,
    ),
  endpoint: StoredProxyEndpoint.optional().describe(
    'The HTTP proxy; without user and password. When left out: none with `kubeloom.dev/v1` and `mode: default`, that of the installation with `on`; with `claudie.io/v1beta1` that of the installation, or that of Claudie.',
  ),
  noProxy: z
    .string()
    .max(8000, { error: 'has more than 8000 characters; shorten it', abort: true })
    .regex(/^[\w*.:/[\], -]*$/, {
      error: 'is not a list of hosts; use host names, addresses and networks, with commas between',
    })
    .default('')
    .describe('Comma-separated hosts that bypass the proxy, in addition to the usual ones.'),
});

export const KubernetesCluster = z.strictObject({
  name: ClusterName.describe('Name of the cluster, unique among clusters and load balancers.'),
  version: z
    .string()
    .regex(/^v?\d+\.\d+\.\d+$/, {
      error: (issue) => `${shown(issue.input)} is not a Kubernetes version; use three numbers such as "1.36.0"`,
    })
    .transform((version) => version.replace(/^v/, ''))
    .describe('Kubernetes version, with or without a leading "v".'),
  network: z
    .string()
    .max(50)
    .refine((network) => parseNetwork(network) !== undefined, {
      error: (issue) => `${shown(issue.input)} is not an IPv4 network; use a CIDR such as "192.168.2.0/24"`,
    })
    .transform((network) => networkText(network))
    .describe('IPv4 network of the encrypted mesh between the nodes; cannot be changed later.'),
  installationProxy: InstallationProxy.prefault({}).describe(
    'HTTP proxy for downloads during the installation of nodes.',
  ),
  pools: z
    .strictObject({
      control: z
        .array(Text)
        .min(1, { error: 'there is no control pool; a cluster needs at least one' })
        .describe('Node pools of the control plane.'),
      compute: z.array(Text).default([]).describe('Node pools that run workloads.'),
    })
    .describe('Names of the node pools.'),
  ...kubernetesOptionFields,
  ...clusterDocumentFields,
  protect: z.boolean().default(false).describe('Kubeloom: refuse every change that deletes the cluster.'),
  replaceAtOnce: z
    .int()
    .min(1, { error: 'is less than 1; nothing could ever be replaced' })
    .max(100)
    .optional()
    .describe('Kubeloom: node pools that are replaced at once when their templates change; 1 when left out.'),
});
export type KubernetesCluster = z.infer<typeof KubernetesCluster> & {
  /** Machine groups: its compute pools are machines without Kubernetes; version and control pools are empty. */
  readonly machinesOnly?: true;
  /** The machines have no mesh; only with `machinesOnly`. */
  readonly meshless?: true;
};

export const InputManifest = z.strictObject({
  apiVersion: z.enum(apiVersions).describe('Either name will do; they differ in the default of `installationProxy`.'),
  kind: z.literal('InputManifest'),
  metadata: Metadata.describe('Name and namespace.'),
  spec: z
    .strictObject({
      providers: z.array(Provider).default([]).describe('Clouds and their credentials.'),
      nodePools: z
        .strictObject({
          dynamic: z.array(DynamicNodePool).default([]).describe('Pools whose machines Kubeloom creates.'),
          static: z.array(StaticNodePool).default([]).describe('Pools of machines that exist already.'),
        })
        .prefault({})
        .describe('Node pools: blueprints that clusters and load balancers refer to by name.'),
      kubernetes: z
        .strictObject({
          clusters: z
            .array(KubernetesCluster)
            .max(100, { error: 'there are more than 100 clusters; use a second manifest' })
            .default([]),
        })
        .prefault({})
        .describe('Kubernetes clusters.'),
      loadBalancers: z
        .strictObject({
          roles: z.array(Role).default([]).describe('What load balancers forward.'),
          clusters: z.array(LoadBalancer).default([]).describe('The load balancers.'),
        })
        .prefault({})
        .describe('Load balancers.'),
      driftChecks: DriftChecks.optional().describe(
        'Kubeloom: how often it checks for drift, and whether it reports or repairs it. Default: every 6 hours, report only.',
      ),
      requireApproval: z
        .boolean()
        .optional()
        .describe(
          'Kubeloom: a changed document, a deletion and a rollback wait until an `approver` approves their plan.',
        ),
      onTemplates,
      deletionProtection: z.boolean().default(false).describe('Kubeloom: refuse to delete this manifest.'),
    })
    .describe('The desired state.'),
});
/** A manifest as parsed: defaults applied, versions without `v`, older names replaced. Parsing it again changes nothing. */
export type InputManifest = Omit<Written, 'spec'> & {
  spec: Omit<Written['spec'], 'nodePools' | 'kubernetes'> & {
    nodePools: { dynamic: DynamicNodePool[]; static: StaticNodePool[] };
    kubernetes: { clusters: KubernetesCluster[] };
  };
};
type Written = z.infer<typeof InputManifest>;
