/**
 * Machine groups: machines of one kind, kept at their number, without Kubernetes. Schema and defaults; rules between fields
 * are in `validate-machine-groups.ts`.
 */
import { z } from 'zod';
import { DriftChecks } from '../schema/drift-checks.ts';
import { InputManifest, Provider } from '../schema/input-manifest.ts';
import { LoadBalancer, Port, Role } from '../schema/load-balancers.ts';
import { isHarmless, Metadata, shown, Text } from '../schema/names.ts';
import { networkText, parseNetwork } from '../schema/networks.ts';
import { DynamicNodePoolFields, StaticNodePool, updates } from '../schema/node-pools.ts';
import { onTemplates } from '../schema/on-templates.ts';
import { SecretSource } from '../schema/secret-source.ts';
import { GroupHealth } from './group-health.ts';

/** Default for machines whose document names none. */
export const defaultNetwork = '192.168.0.0/20';
/** Instead of one: the machines have no mesh. */
export const noNetwork = 'none';
/** Groups inside of each other, and of one document. */
export const maxDepth = 5;
export const maxGroups = 100;
const maxBootBytes = 16_384;

const Line = z
  .string()
  .refine((line) => isHarmless(line.replaceAll(/[\n\t]/g, '')), { error: 'contains a control character; remove it' });
const Boot = z
  .union([Line, z.array(Line)], { error: 'is neither a script nor a list of commands; write "boot: [ command, … ]"' })
  .transform((boot) => (typeof boot === 'string' ? boot : boot.join('\n')))
  .refine((script) => new TextEncoder().encode(script).length <= maxBootBytes, {
    error: `has more than ${maxBootBytes} bytes; let the script download large files`,
  })
  .optional();

const pool = DynamicNodePoolFields.shape;
const shared = {
  labels: pool.labels,
  protect: pool.protect,
  maxUnavailable: pool.maxUnavailable.describe(
    'Machines on which a changed boot script runs at once, that `update: replace` removes at once, and that `update: inPlace` restarts at once, never more. `replace` takes 20 rounds at most (80 all groups together), so of large groups it removes a twentieth; `inPlace` with more than 100 rounds is refused.',
  ),
  boot: Boot.describe(
    'Commands, or a script with its own first line (`#!…`), that each machine runs as root when it is created, and again when they are changed: they must be safe to run again. Stored in plain text.',
  ),
  openPorts: z
    .array(
      z
        .union([Port, z.strictObject({ port: Port, protocol: z.enum(['tcp', 'udp']).default('tcp') })], {
          error: 'is neither a port nor one with its protocol; write 80 or { port: 53, protocol: udp }',
        })
        .transform((port) => (typeof port === 'number' ? { port, protocol: 'tcp' as const } : port)),
    )
    .max(50, { error: 'has more than 50 ports; open fewer' })
    .default([])
    .describe('Ports that are open to all addresses, as a number or `{ port, protocol }`.'),
  health: GroupHealth,
};

const update = z
  .enum(updates)
  .default('surge')
  .describe(
    'What happens when the image, server type or disk changes. `surge`: all new machines are made, then the old ones are removed. `replace`: `maxUnavailable` old machines are removed, then as many new ones made, and so on: never more machines than `size`. `inPlace`: `maxUnavailable` machines restart at once with another server type and keep their disks, the next ones when these are healthy; data disks become larger; anything else is refused. `refuse`: nothing, the change is refused.',
  );

/** Machines that Kubeloom creates. */
export const CreatedGroup = z.strictObject({
  size: pool.count
    .unwrap()
    .refine((size) => size !== 0, {
      error: 'is too small: a group has at least one machine; to have none, remove the group',
    })
    .describe('Number of machines.'),
  providerSpec: pool.providerSpec,
  serverType: pool.serverType,
  image: pool.image.describe('Operating system image, as the provider calls it (Debian or Ubuntu).'),
  storageDiskSize: pool.storageDiskSize.unwrap().default(0).describe('GB of an extra disk; 0 = none.'),
  machineSpec: pool.machineSpec,
  properties: pool.properties,
  spot: pool.spot,
  repair: pool.repair,
  update,
  ...shared,
});
export type CreatedGroup = z.infer<typeof CreatedGroup>;

/** Machines that exist already. */
export const StaticGroup = z.strictObject({
  nodes: StaticNodePool.shape.nodes,
  sshPort: StaticNodePool.shape.sshPort,
  ...shared,
});
export type StaticGroup = z.infer<typeof StaticGroup>;

const Plugin = z.strictObject({
  name: Text.describe('A provider type.'),
  version: Text.default('latest').describe(
    'For a type from a git repository: branch, tag or commit; `latest`: the highest version tag. Built-in types have only one.',
  ),
  url: Text.optional().describe('For types that do not come with Kubeloom: their git repository or archive.'),
  sha256: z.string().optional().describe('SHA-256 of the archive.'),
  secretRef: SecretSource.optional().describe(
    'Secret with the credentials. Default for built-in types that need one: the Secret with the name of the type.',
  ),
});

/** Machines that Kubeloom creates, in the words of Kadende: the provider is a plugin, its properties are its own. */
export const PluginGroup = z.strictObject({
  size: CreatedGroup.shape.size,
  resourcePlugin: Plugin,
  resourceProperties: z.record(z.string(), z.unknown()).default({}),
  repair: pool.repair,
  update,
  ...shared,
});
export type PluginGroup = z.infer<typeof PluginGroup>;

/** Machines, or further groups. */
export type Group = CreatedGroup | StaticGroup | PluginGroup | { readonly [name: string]: Group };
const Group: z.ZodType<Group> = z.lazy(() =>
  z.union([CreatedGroup, StaticGroup, PluginGroup, z.record(z.string(), Group)]),
);

const spec = {
  providers: z.array(Provider).default([]).describe('Clouds and their credentials.'),
  network: z
    .string()
    .max(50)
    .refine((network) => network === noNetwork || parseNetwork(network) !== undefined, {
      error: (issue) =>
        `${shown(issue.input)} is not an IPv4 network; use a CIDR such as "${defaultNetwork}", or "${noNetwork}" for machines without a mesh`,
    })
    .transform((network) => (network === noNetwork ? network : networkText(network)))
    .default(defaultNetwork)
    .describe(
      'IPv4 network of the encrypted mesh between the machines, or `none` for machines without a mesh; cannot be changed later.',
    ),
  loadBalancers: z
    .strictObject({
      roles: z
        .array(Role)
        .default([])
        .describe('What load balancers forward; `targetPools` are groups, as `batch-small`.'),
      clusters: z
        .array(LoadBalancer.omit({ targetedK8s: true }).extend({ pools: LoadBalancer.shape.pools.unwrap().min(1) }))
        .default([])
        .describe('The load balancers; their `pools` are groups with no other purpose.'),
    })
    .prefault({})
    .describe('Load balancers in front of groups.'),
  driftChecks: DriftChecks.optional().describe('How often Kubeloom checks, and whether it reports or repairs.'),
  protect: z.boolean().default(false).describe('Refuse every change that deletes all groups.'),
  requireApproval: z
    .boolean()
    .optional()
    .describe('A changed document, a deletion and a rollback wait until an `approver` approves their plan.'),
  onTemplates,
  deletionProtection: z.boolean().default(false).describe('Refuse to delete this document.'),
};

const frame = {
  apiVersion: InputManifest.shape.apiVersion,
  kind: z.literal('MachineGroups'),
  metadata: Metadata.describe('Name and namespace.'),
};

/** The document with groups of any form: those are judged one by one. */
export const MachineGroupsFrame = z.strictObject({
  ...frame,
  spec: z.strictObject({ ...spec, groups: z.record(z.string(), z.unknown()).describe('Groups by their names.') }),
});

export const MachineGroups = z.strictObject({
  ...frame,
  spec: z
    .strictObject({
      ...spec,
      groups: z.record(z.string(), Group).describe('Groups by their names, or groups of groups.'),
    })
    .describe('The desired state.'),
});
/** As parsed: defaults applied. Parsing it again changes nothing. */
export type MachineGroups = z.infer<typeof MachineGroups>;
