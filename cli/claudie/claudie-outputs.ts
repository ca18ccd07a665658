/** What Claudie leaves in its management cluster about each cluster that it built: a Secret with the kubeconfig, one with the machines. */
import { z } from 'zod';
import { isMap, parseJson } from '#domain/json.ts';

interface ClaudieMachine {
  readonly node: string;
  /** Name of the pool as Claudie created it: `<name>-<7 char hash>`, or the name of a static one. */
  readonly pool: string;
  /** Machines of load balancers: which one. */
  readonly loadBalancer?: string;
  readonly address: string;
  /** In the VPN; static machines have none here. */
  readonly privateAddress?: string;
  readonly privateKey: string;
  readonly kind: 'dynamic' | 'static';
}

export interface ClaudieCluster {
  /** `<name>-<7 char hash>` */
  readonly id: string;
  readonly name: string;
  /** `<namespace>-<name>` of its manifest. */
  readonly project: string;
  readonly kubeconfig?: string;
  /** Absent: the output with the machines is missing, or cannot be read. */
  readonly machines?: readonly ClaudieMachine[];
}

const Text = z
  .string()
  .nullable()
  .default('')
  .transform((text) => text ?? '');
const Dynamic = z.looseObject({
  node_ips: z
    .record(z.string(), z.looseObject({ public_ip: Text, private_ip: Text }))
    .nullable()
    .default({}),
  nodepool_private_key: Text,
});
const Static = z.looseObject({
  node_info: z
    .record(z.string(), z.looseObject({ endpoint: Text, node_private_key: Text }))
    .nullable()
    .default({}),
});
const poolsOf = <Pool extends z.ZodType>(pool: Pool) => z.record(z.string(), pool).nullable().default({});
const Metadata = z.looseObject({
  dynamic_nodepools: poolsOf(Dynamic),
  static_nodepools: poolsOf(Static),
  dynamic_load_balancer_nodepools: poolsOf(poolsOf(Dynamic)),
  static_load_balancer_nodepools: poolsOf(poolsOf(Static)),
});

const labels = {
  output: 'claudie.io/output',
  name: 'claudie.io/cluster',
  id: 'claudie.io/cluster-id',
  project: 'claudie.io/project',
};

export function isOutput(document: unknown): boolean {
  return labelOf(document, labels.output) !== undefined;
}

/** By id; Secrets that are no output are left out. */
export function claudieClusters(documents: readonly unknown[]): readonly ClaudieCluster[] {
  const found = new Map<string, ClaudieCluster>();
  for (const document of documents) {
    const output = labelOf(document, labels.output);
    if (output === undefined) continue;
    const id = labelOf(document, labels.id) ?? nameOf(document).replace(/-(kubeconfig|metadata)$/, '');
    const before = found.get(id) ?? {
      id,
      name: labelOf(document, labels.name) ?? id.replace(/-[^-]*$/, ''),
      project: labelOf(document, labels.project) ?? '',
    };
    const text = fieldOf(document, output);
    const machines = output === 'metadata' ? machinesIn(text) : undefined;
    const kubeconfig = output === 'kubeconfig' ? text : undefined;
    found.set(id, { ...before, ...(kubeconfig && { kubeconfig }), ...(machines && { machines }) });
  }
  return [...found.values()].sort((left, right) => (left.id < right.id ? -1 : 1));
}

function machinesIn(text: string | undefined): readonly ClaudieMachine[] | undefined {
  const read = Metadata.safeParse(parseJson(text ?? ''));
  if (!read.success) return undefined;
  const { dynamic_nodepools, static_nodepools } = read.data;
  const balancers = [
    ...Object.entries(read.data.dynamic_load_balancer_nodepools ?? {}).map(([name, pools]) => ({
      name,
      machines: dynamicMachines(pools),
    })),
    ...Object.entries(read.data.static_load_balancer_nodepools ?? {}).map(([name, pools]) => ({
      name,
      machines: staticMachines(pools),
    })),
  ];
  return [
    ...dynamicMachines(dynamic_nodepools),
    ...staticMachines(static_nodepools),
    ...balancers.flatMap(({ name, machines }) => machines.map((one) => ({ ...one, loadBalancer: name }))),
  ];
}

function dynamicMachines(pools: Readonly<Record<string, z.infer<typeof Dynamic>>> | null): readonly ClaudieMachine[] {
  return Object.entries(pools ?? {}).flatMap(([pool, { node_ips, nodepool_private_key: privateKey }]) =>
    Object.entries(node_ips ?? {}).map(([node, { public_ip: address, private_ip: privateAddress }]) => ({
      node,
      pool,
      address,
      privateAddress,
      privateKey,
      kind: 'dynamic' as const,
    })),
  );
}

function staticMachines(pools: Readonly<Record<string, z.infer<typeof Static>>> | null): readonly ClaudieMachine[] {
  return Object.entries(pools ?? {}).flatMap(([pool, { node_info }]) =>
    Object.entries(node_info ?? {}).map(([node, { endpoint: address, node_private_key: privateKey }]) => ({
      node,
      pool,
      address,
      privateKey,
      kind: 'static' as const,
    })),
  );
}

function labelOf(document: unknown, label: string): string | undefined {
  const metadata = isMap(document) ? document.metadata : undefined;
  const found = isMap(metadata) && isMap(metadata.labels) ? metadata.labels[label] : undefined;
  return typeof found === 'string' ? found : undefined;
}

function nameOf(document: unknown): string {
  const metadata = isMap(document) ? document.metadata : undefined;
  return isMap(metadata) && typeof metadata.name === 'string' ? metadata.name : '';
}

function fieldOf(document: unknown, field: string): string | undefined {
  if (!isMap(document)) return undefined;
  const plain = isMap(document.stringData) ? document.stringData[field] : undefined;
  if (typeof plain === 'string') return plain;
  const encoded = isMap(document.data) ? document.data[field] : undefined;
  return typeof encoded === 'string' ? Buffer.from(encoded, 'base64').toString() : undefined;
}
