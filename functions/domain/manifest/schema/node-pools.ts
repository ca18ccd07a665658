/** Node pools of a manifest: dynamic ones are created by a provider, static ones are machines that exist already. */
import { z } from 'zod';
import type { HealthCheck } from '../../health-check.ts';
import {
  Annotations,
  hasControlCharacter,
  isHarmless,
  LabelKey,
  Labels,
  LabelValue,
  NodePoolName,
  shown,
  Text,
  WordOfCloud,
} from './names.ts';
import { NodeAddress } from './node-address.ts';
import { NodeRepair } from './node-repair.ts';
import { SecretSource } from './secret-source.ts';

/** A pool has at most this many nodes: their number is two hexadecimal digits of their names. */
const maxNodesOfPool = 255;

const Count = z
  .int()
  .min(0, { error: (issue) => `${shown(issue.input)} is negative; use a number from 1 to ${maxNodesOfPool}` })
  .max(maxNodesOfPool, {
    error: (issue) =>
      `${shown(issue.input)} is too many; a pool has at most ${maxNodesOfPool} nodes, use a second pool`,
  });
/** May be empty. */
const OneLine = z.string().refine(isHarmless, { error: hasControlCharacter }).meta({ pattern: '^(\\S(.*\\S)?)?$' });
/** No cloud has more: a number with a digit too many is found here. */
const amount = (most: number) =>
  z
    .int()
    .min(0, { error: (issue) => `${shown(issue.input)} is negative; use 0 or more`, abort: true })
    .max(most, { error: (issue) => `${shown(issue.input)} is more than any machine has; use ${most} or less` });
const Cpus = amount(4096);
/** GB. */
const Memory = amount(65_536);
const Gpus = amount(64);
/** GB. */
const Disk = amount(1_048_576);

export const ManifestTaint = z.strictObject({
  key: LabelKey.describe('Key of the taint, as for labels.'),
  value: LabelValue.optional().describe('Value of the taint.'),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).describe('Effect on pods.'),
});

export const ManifestMachineSpec = z
  .strictObject({
    cpuCount: Cpus.optional().describe('CPUs, for flexible server types; goes with `memory`.'),
    memory: Memory.optional().describe('GB of memory, for flexible server types; goes with `cpuCount`.'),
    nvidiaGpuCount: Gpus.optional().describe('NVIDIA GPUs of each node.'),
    nvidiaGpuType: WordOfCloud.optional().describe('Accelerator type; needed on gcp.'),
    nvidiaGpu: Gpus.optional().describe('Older name of `nvidiaGpuCount`.'),
  })
  .transform(({ cpuCount, memory, nvidiaGpu, nvidiaGpuCount = nvidiaGpu, nvidiaGpuType }) => ({
    ...(cpuCount !== undefined && { cpuCount }),
    ...(memory !== undefined && { memory }),
    ...(nvidiaGpuCount !== undefined && { nvidiaGpuCount }),
    ...(nvidiaGpuType !== undefined && { nvidiaGpuType }),
  }));

const highestPriority = 1000;

const Autoscaler = z.strictObject({
  min: Count.describe('Fewest nodes; 0 is allowed.'),
  max: Count.min(1, { error: 'is less than 1; an autoscaled pool must be able to have a node' }).describe(
    'Most nodes.',
  ),
  capacity: z
    .strictObject({
      cpu: Cpus.min(1, { error: 'is less than 1 CPU' }).describe('CPUs of a node.'),
      memory: Memory.min(1, { error: 'is less than 1 GB' }).describe('GB of memory of a node.'),
      gpu: Gpus.optional().describe('GPUs of a node.'),
    })
    .optional()
    .describe('Kubeloom: the capacity of a node; an autoscaler needs it to scale the pool up from 0 nodes.'),
  priority: z
    .int()
    .min(1, { error: (issue) => `${shown(issue.input)} is less than 1; use 1 to ${highestPriority}` })
    .max(highestPriority, { error: (issue) => `${shown(issue.input)} is too high; use 1 to ${highestPriority}` })
    .optional()
    .describe(
      'Kubeloom: of several pools that pods fit into, the one of the highest priority grows first; without one, last.',
    ),
  price: z
    .boolean()
    .optional()
    .describe(
      'Kubeloom: of the pools of a cluster that pods fit into, the cheapest grows first; one such pool is enough.',
    ),
  monthlyPrice: z
    .strictObject({
      amount: z
        .number()
        .min(0, { error: 'is negative; use 0 or more' })
        .max(1_000_000)
        .describe('0: it costs nothing more.'),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/, { error: (issue) => `${shown(issue.input)} is not a currency; use a code as EUR` })
        .describe('ISO 4217 code, as `EUR`.'),
    })
    .optional()
    .describe('Kubeloom: what a node of the pool costs a month, for that order; default: the list price.'),
});

const ProviderSpec = z.strictObject({
  name: Text.describe('Name of a provider of this manifest.'),
  region: WordOfCloud.describe('Region of the provider.'),
  zone: OneLine.optional().describe('Zone of the region; without one, nodes are spread over all zones.'),
  externalNetworkName: OneLine.optional().describe('External network of the nodes (OpenStack).'),
});

const shared = {
  name: NodePoolName.describe('Name of the pool, unique among all pools.'),
  labels: Labels.default({}).describe('Kubernetes labels of the nodes.'),
  annotations: Annotations.default({}).describe('Kubernetes annotations of the nodes.'),
  taints: z.array(ManifestTaint).default([]).describe('Kubernetes taints of the nodes.'),
  protect: z.boolean().default(false).describe('Kubeloom: refuse every change that removes the pool or a node of it.'),
  maxUnavailable: z
    .int()
    .min(1, { error: 'is less than 1; nothing could ever be drained' })
    .max(maxNodesOfPool)
    .default(1)
    .describe('Kubeloom: compute nodes of the pool that may be drained at once.'),
};

/** The fields as they are written; `DynamicNodePool` is what the program works with. */
export const DynamicNodePoolFields = z.strictObject({
  ...shared,
  providerSpec: ProviderSpec.describe('Where the nodes are created.'),
  count: Count.optional().describe('Number of nodes; this or `autoscaler`.'),
  autoscaler: Autoscaler.optional().describe('Bounds of an autoscaled pool; this or `count`.'),
  serverType: WordOfCloud.describe('Server type, as the provider calls it.'),
  image: WordOfCloud.describe('Operating system image, as the provider calls it (Ubuntu 22.04 or 24.04, amd64).'),
  storageDiskSize: Disk.refine((size) => size === 0 || size >= 50, {
    error: (issue) => `${shown(issue.input)} GB is too small; use 0 for no disk, or at least 50`,
  })
    .meta({ not: { minimum: 1, maximum: 49 } })
    .default(50)
    .describe('GB of the extra storage disk of compute nodes; 0 = none.'),
  machineSpec: ManifestMachineSpec.optional().describe('Size of flexible server types, GPUs.'),
  properties: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'Kubeloom: additional settings of a provider of type `plugin`, validated by the schema of that provider.',
    ),
  spot: z.boolean().default(false).describe('Use machines that the provider may reclaim; never for control nodes.'),
  repair: NodeRepair.optional().describe('Kubeloom: what happens to unhealthy nodes. Default: they are reported.'),
});

/** `count: 0` next to an autoscaler counts as not given. */
export const DynamicNodePool = DynamicNodePoolFields.transform(({ count, ...pool }) => ({
  ...pool,
  ...(count === undefined || count === 0 ? {} : { count }),
}));
/** How machines of a group become others. */
export const updates = ['surge', 'replace', 'inPlace', 'refuse'] as const;

/** What only a machine group has. */
export interface MachineGroupFields {
  /** Script that its machines run as root. */
  readonly boot?: string;
  /** Open to all addresses. */
  readonly openPorts?: readonly { readonly protocol: 'tcp' | 'udp'; readonly port: number }[];
  /** What is done when its machines have to be others. */
  readonly update?: (typeof updates)[number];
  /** What its machines are asked. */
  readonly health?: readonly HealthCheck[];
}
export type DynamicNodePool = z.infer<typeof DynamicNodePool> & MachineGroupFields;

const StaticNode = z.strictObject({
  endpoint: NodeAddress.describe('IP address at which the machine is reached.'),
  username: z
    .string()
    .regex(/^\w[\w.@-]*\$?$/, {
      error: ({ input }) =>
        input === ''
          ? 'is empty; give a value'
          : `${shown(input)} is not the name of a user; begin with a letter, a digit or _, and use no others but . @ and - after that`,
    })
    .default('root')
    .describe('User with root or sudo rights.'),
  secretRef: SecretSource.describe('Secret whose field `privatekey` is the SSH key.'),
});

export const StaticNodePool = z.strictObject({
  ...shared,
  nodes: z
    .array(StaticNode)
    .min(1, { error: 'the pool has no nodes; name at least one machine' })
    .max(maxNodesOfPool, { error: `the pool has more than ${maxNodesOfPool} nodes; use a second pool` })
    .describe('The machines.'),
  sshPort: z
    .int()
    .min(1, { error: 'is not a port; use 1 to 65535' })
    .max(65535, { error: 'is not a port; use 1 to 65535' })
    .default(22)
    .describe('SSH port of all machines of the pool.'),
});
export type StaticNodePool = z.infer<typeof StaticNodePool> & MachineGroupFields;
