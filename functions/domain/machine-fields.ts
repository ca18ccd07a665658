/**
 * The fields of a machine: all that a dynamic pool says about its machines, in one table. What a manifest, a plan, a
 * refusal and a Terraform module know of a field follows from its row; a field without a row does not compile. Only a new
 * machine can have another value: a change in place is refused.
 */
import type { DynamicSource, MachineSpec } from './cluster-state.ts';
import { canonicalJson } from './json.ts';
import type { DynamicNodePool } from './manifest/schema/node-pools.ts';

/** Place of a field in a dynamic pool of a manifest. */
type Place = keyof DynamicNodePool | `providerSpec.${keyof DynamicNodePool['providerSpec']}`;

interface MachineField {
  /** Where the manifest has it; absent when Kubeloom decides about it. */
  readonly document?: Place;
  /** Name in the variable `pool` of node pool modules; absent when they learn of it in another way. */
  readonly module?: string;
  /** Its type there, as Terraform writes it. */
  readonly type?: string;
}

type MachineFieldName = keyof DynamicSource;

/** Fields of `machineSpec`, in the words of the modules. */
const machineSpecWords = {
  cpuCount: ['cpu_count', 'number'],
  memory: ['memory', 'number'],
  nvidiaGpuCount: ['nvidia_gpu_count', 'number'],
  nvidiaGpuType: ['nvidia_gpu_type', 'string'],
} as const satisfies Record<keyof MachineSpec, readonly [name: string, type: string]>;
const specWords = Object.entries(machineSpecWords) as [keyof MachineSpec, readonly [name: string, type: string]][];
const specType = `object({ ${specWords.map(([, [name, type]]) => `${name} = optional(${type})`).join(', ')} })`;

/** In the order of the module's variable. */
export const machineFields = {
  kind: {},
  provider: { document: 'providerSpec.name' },
  region: { document: 'providerSpec.region', module: 'region', type: 'string' },
  zone: { document: 'providerSpec.zone', module: 'zone', type: 'optional(string)' },
  serverType: { document: 'serverType', module: 'server_type', type: 'string' },
  image: { document: 'image', module: 'image', type: 'string' },
  storageDiskSize: { document: 'storageDiskSize', module: 'storage_disk_size', type: 'number' },
  externalNetworkName: {
    document: 'providerSpec.externalNetworkName',
    module: 'external_network_name',
    type: 'optional(string)',
  },
  machineSpec: { document: 'machineSpec', module: 'machine_spec', type: `optional(${specType})` },
  // A variable of their own, and only in modules of types that have a schema for it.
  properties: { document: 'properties' },
  spot: { document: 'spot', module: 'spot', type: 'bool' },
  subnet: { module: 'subnet', type: 'string' },
} as const satisfies Record<MachineFieldName, MachineField>;

/** Fields of a dynamic pool that say nothing about its machines. */
type OtherPlace =
  | ('name' | 'count' | 'autoscaler' | 'labels' | 'annotations' | 'taints' | 'protect' | 'maxUnavailable' | 'repair')
  | ('boot' | 'openPorts' | 'health' | 'update')
  | 'providerSpec';
type DocumentPlace = Extract<(typeof machineFields)[MachineFieldName], { readonly document: Place }>['document'];
/** Names the fields of a manifest that have a row neither here nor there; then this does not compile. */
type Forgotten = Exclude<Place, DocumentPlace | OtherPlace>;
type MustBeNever<Nothing extends never> = Nothing;
/** @public It is a check, which no one imports. */
export type ForgottenFields = MustBeNever<Forgotten>;

const rows = Object.entries(machineFields) as [MachineFieldName, MachineField][];

/** What the manifest decides, without the provider instance; a text that is empty counts as not given. */
type FromManifest = Omit<DynamicSource, 'kind' | 'provider' | 'subnet'>;

/** What a pool of a manifest says about its machines. */
export function machineOf(pool: DynamicNodePool): FromManifest {
  const values = rows.flatMap(([name, { document }]) => {
    const value = document === undefined || name === 'provider' ? undefined : valueAt(pool, document);
    return value === undefined || value === '' ? [] : [[name, value]];
  });
  return Object.fromEntries(values) as FromManifest;
}

/** Names of the fields for which machines would have to be different ones. */
export function changedMachineFields(from: DynamicSource, to: DynamicSource): MachineFieldName[] {
  return rows.flatMap(([name]) => (from[name] === to[name] || textOf(from, name) === textOf(to, name) ? [] : [name]));
}

/** What the modules of node pools learn of a machine. */
export function moduleInputs(source: DynamicSource): Readonly<Record<string, unknown>> {
  const values = rows.flatMap(([name, { module }]) => {
    const value = name === 'machineSpec' ? specInputs(source.machineSpec) : source[name];
    return module === undefined || value === undefined ? [] : [[module, value]];
  });
  return Object.fromEntries(values);
}

/** Name and type of each, as modules declare them. */
export const moduleTypes: readonly (readonly [name: string, type: string])[] = rows.flatMap(([, { module, type }]) =>
  module === undefined || type === undefined ? [] : [[module, type]],
);

/** Place of a field in a pool of the manifest. */
export function documentPlace(name: string): string {
  return new Map<string, MachineField>(rows).get(name)?.document ?? name;
}

function specInputs(spec: MachineSpec | undefined): Readonly<Record<string, unknown>> | undefined {
  if (spec === undefined) return undefined;
  return Object.fromEntries(
    specWords.flatMap(([name, [word]]) => (spec[name] === undefined ? [] : [[word, spec[name]]])),
  );
}

/** Equal for fields that mean the same. Where the credentials and templates of a provider are is not about the machine. */
function textOf(source: DynamicSource, name: MachineFieldName): string {
  if (name === 'provider') return `${source.provider.name} (${source.provider.type})`;
  if (name === 'properties') return canonicalJson(source.properties ?? {});
  if (name === 'machineSpec') return JSON.stringify(specInputs(source.machineSpec ?? {}));
  return String(source[name] ?? '');
}

function valueAt(pool: DynamicNodePool, place: Place): unknown {
  let at: unknown = pool;
  for (const key of place.split('.')) at = (at as Readonly<Record<string, unknown>>)[key];
  return at;
}
