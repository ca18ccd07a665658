/**
 * A manifest as far as it can be read: parts that do not fit the schema are left out, all others keep their place. Rules
 * work on partial manifests, so that one fault of form does not hide the others.
 */
import { z } from 'zod';
import { clusterDocumentFields } from '../schema/cluster-documents.ts';
import { InstallationProxy, Provider } from '../schema/input-manifest.ts';
import { kubernetesOptionFields } from '../schema/kubernetes-options.ts';
import { RoleFields } from '../schema/load-balancers.ts';
import { DynamicNodePoolFields, ManifestMachineSpec, ManifestTaint, StaticNodePool } from '../schema/node-pools.ts';

const loose = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);
const text = loose(z.string());
const flag = z.boolean().catch(false);
/** Lists keep the places of their items; one that cannot be read becomes its empty form. */
const list = <Shape extends z.ZodRawShape>(item: z.ZodObject<Shape>) =>
  z.array(item.catch(() => item.parse({}))).catch([]);
/** Names of other things; '' replaces a value that is not text; an invalid list also becomes ''. */
const names = z.array(z.string().catch('')).default([]).catch(['']);
const part = <Shape extends z.ZodRawShape>(object: z.ZodObject<Shape>) => object.catch(() => object.parse({}));

const reference = loose(z.object({ name: text, namespace: text }));
/** With the Secret that it needs here, also one that is in Vault: the connection. */
const secretSource = z.object({
  name: text,
  namespace: text,
  vault: loose(z.object({ connection: reference })),
});
export type PartialSecretSource = z.infer<typeof secretSource>;
const metadata = {
  labels: z.record(z.string(), z.unknown()).catch({}),
  taints: z.array(loose(ManifestTaint)).catch([]),
};

const PartialProvider = z.object({
  name: text,
  providerType: loose(Provider.shape.providerType),
  /** Given but broken counts as given. */
  plugin: z.unknown().optional(),
  /** Given but broken counts as given. */
  secretRef: secretSource.optional().catch({}),
  templatesRef: reference,
});
export type PartialProvider = z.infer<typeof PartialProvider>;

const fields = DynamicNodePoolFields.shape;
const PartialDynamicPool = z.object({
  ...metadata,
  name: text,
  providerSpec: loose(z.object({ name: text, region: text, zone: text, externalNetworkName: text })),
  /** Given but broken counts as 1. */
  count: fields.count.catch(1),
  autoscaler: fields.autoscaler.catch({ min: 1, max: 1 }),
  serverType: text,
  image: text,
  storageDiskSize: loose(z.number()),
  machineSpec: loose(ManifestMachineSpec),
  properties: z.unknown().optional(),
  spot: flag,
});
export type PartialDynamicPool = z.infer<typeof PartialDynamicPool>;

const PartialStaticPool = z.object({
  ...metadata,
  name: text,
  nodes: list(z.object({ endpoint: text, secretRef: loose(secretSource) })),
  sshPort: StaticNodePool.shape.sshPort.catch(22),
});
export type PartialStaticPool = z.infer<typeof PartialStaticPool>;

const PartialCluster = z.object({
  name: text,
  version: text,
  network: text,
  installationProxy: part(z.object({ mode: InstallationProxy.shape.mode.catch('default'), endpoint: text })),
  pools: part(z.object({ control: names, compute: names })),
  cni: loose(kubernetesOptionFields.cni),
  registries: loose(z.object({ overwrite: text, insecure: flag, mirrors: list(z.object({ registry: text })) })),
  /** Given but broken counts as given. */
  addons: z.unknown().optional(),
  storage: loose(clusterDocumentFields.storage),
  documents: list(z.object({ name: text, enabled: z.boolean().catch(true), inline: text, templatesRef: reference })),
});
export type PartialCluster = z.infer<typeof PartialCluster>;

const PartialRole = z.object({
  name: text,
  protocol: loose(RoleFields.shape.protocol),
  port: loose(z.int()),
  targetPort: loose(z.int()),
  targetPools: names,
  /** Given but broken counts as ''. */
  target: z.string().optional().catch(''),
  settings: loose(z.object({ proxyProtocol: flag, stickySessions: flag })),
});
export type PartialRole = z.infer<typeof PartialRole>;

const PartialLoadBalancer = z.object({
  name: text,
  roles: names,
  dns: part(z.object({ dnsZone: text, provider: text, hostname: text, alternativeNames: names })),
  targetedK8s: text,
  pools: names,
});
export type PartialLoadBalancer = z.infer<typeof PartialLoadBalancer>;

const PartialManifest = part(
  z.object({
    apiVersion: z.string().catch(''),
    metadata: part(z.object({ namespace: z.string().catch('default'), name: z.string().catch('') })),
    spec: part(
      z.object({
        providers: list(PartialProvider),
        nodePools: part(z.object({ dynamic: list(PartialDynamicPool), static: list(PartialStaticPool) })),
        kubernetes: part(z.object({ clusters: list(PartialCluster) })),
        loadBalancers: part(z.object({ roles: list(PartialRole), clusters: list(PartialLoadBalancer) })),
      }),
    ),
  }),
);
export type PartialManifest = z.infer<typeof PartialManifest>;

/** Reads whatever can be read; never throws. */
export function readPartialManifest(document: unknown): PartialManifest {
  return PartialManifest.parse(document);
}
