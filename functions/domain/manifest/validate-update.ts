/** Rules between the manifest that stands and the one that shall replace it: what cannot be changed in place. */
import { compareVersions } from '#domain/kubernetes-versions.ts';
import { error, type Fault, type pathText } from './fault.ts';
import type { InputManifest } from './input-manifest.ts';
import { shown } from './names.ts';
import type { DynamicNodePool } from './node-pools.ts';
import { replaceAnnotation, replaceablePools } from './replaceable-pools.ts';

type Path = Parameters<typeof pathText>[0];

/** Fields of a dynamic pool of which its machines are made; those of `providerSpec` are compared one by one. */
const immutable = [
  'serverType',
  'image',
  'storageDiskSize',
  'machineSpec',
  'spot',
] as const satisfies readonly (keyof DynamicNodePool)[];

/** Every change that is refused; paths are those of the new manifest, or of the old one for what is gone. */
export function validateUpdate(old: InputManifest, next: InputManifest): readonly Fault[] {
  return [...providerFaults(old, next), ...poolFaults(old, next), ...clusterFaults(old, next)];
}

/** Why a manifest may not be deleted; none when it may. */
export function deletionFaults(manifest: InputManifest): readonly Fault[] {
  const { deletionProtection, kubernetes, nodePools } = manifest.spec;
  const guarded: [Path, string, boolean][] = [
    [['spec', 'deletionProtection'], 'the manifest', deletionProtection],
    ...kubernetes.clusters.map(({ name, protect }, i): [Path, string, boolean] => [
      ['spec', 'kubernetes', 'clusters', i, 'protect'],
      `the cluster ${shown(name)}`,
      protect,
    ]),
    ...(['dynamic', 'static'] as const).flatMap((kind) =>
      nodePools[kind].map(({ name, protect }, i): [Path, string, boolean] => [
        ['spec', 'nodePools', kind, i, 'protect'],
        `the pool ${shown(name)}`,
        protect,
      ]),
    ),
  ];
  return guarded
    .filter(([, , isGuarded]) => isGuarded)
    .map(([path, what]) => error(path, `${what} is protected`, 'set it to false and apply that first'));
}

function* providerFaults(old: InputManifest, next: InputManifest): Iterable<Fault> {
  for (const [index, provider] of next.spec.providers.entries()) {
    const before = old.spec.providers.find(({ name }) => name === provider.name);
    if (before === undefined || before.providerType === provider.providerType) continue;
    yield error(
      ['spec', 'providers', index, 'providerType'],
      `cannot change from ${before.providerType} to ${provider.providerType}: machines of ${shown(provider.name)} exist`,
      'add a provider with another name',
    );
  }
}

function* poolFaults(old: InputManifest, next: InputManifest): Iterable<Fault> {
  const { dynamic } = next.spec.nodePools;
  const replaceable = replaceablePools(next);
  for (const [index, pool] of dynamic.entries()) {
    const before = old.spec.nodePools.dynamic.find(({ name }) => name === pool.name);
    if (before === undefined || replaceable.has(pool.name)) continue;
    const changed = changedFields(before, pool);
    if (changed.length === 0) continue;
    // One fault for a pool, however many fields of it have changed.
    yield error(
      ['spec', 'nodePools', 'dynamic', index, ...(changed.length === 1 ? (changed[0]?.split('.') ?? []) : [])],
      `${changed.join(', ')} of the pool ${shown(pool.name)} cannot be changed in place: existing machines keep what they were created with`,
      `to have its machines replaced pool by pool, name it in the annotation ${replaceAnnotation} (or apply with --allow-replace ${pool.name}); or add a pool with another name and remove this one`,
    );
  }
  for (const name of replaceable) {
    if (dynamic.some((pool) => pool.name === name)) continue;
    yield error(
      ['metadata', 'annotations', replaceAnnotation],
      `there is no dynamic pool ${shown(name)} that could be replaced`,
      'use names of dynamic pools, separated by commas',
    );
  }
  for (const kind of ['dynamic', 'static'] as const) {
    const otherKind = kind === 'dynamic' ? 'static' : 'dynamic';
    for (const [index, pool] of next.spec.nodePools[kind].entries()) {
      if (!old.spec.nodePools[otherKind].some(({ name }) => name === pool.name)) continue;
      yield error(
        ['spec', 'nodePools', kind, index, 'name'],
        `the ${otherKind} pool ${shown(pool.name)} cannot become ${kind}`,
        'give the new pool another name',
      );
    }
  }
  yield* protectedPools(old, next);
}

/** `serverType`, `providerSpec.region`, …: what differs of that which machines are made of. */
function changedFields(before: DynamicNodePool, after: DynamicNodePool): readonly string[] {
  const places = [...new Set([...Object.keys(before.providerSpec), ...Object.keys(after.providerSpec)])];
  const [from, to]: Readonly<Record<string, unknown>>[] = [before.providerSpec, after.providerSpec];
  return [
    ...places.filter((field) => from?.[field] !== to?.[field]).map((field) => `providerSpec.${field}`),
    ...immutable.filter((field) => canonical(before[field]) !== canonical(after[field])),
  ];
}

function* protectedPools(old: InputManifest, next: InputManifest): Iterable<Fault> {
  const { nodePools } = next.spec;
  for (const kind of ['dynamic', 'static'] as const) {
    for (const [index, before] of old.spec.nodePools[kind].entries()) {
      if (!before.protect) continue;
      const at = nodePools[kind].findIndex(({ name }) => name === before.name);
      const after = nodePools[kind][at];
      if (after === undefined) yield guarded(['spec', 'nodePools', kind, index], `the pool ${shown(before.name)}`);
      else if (after.protect && sizeOf(after) < sizeOf(before)) {
        yield error(
          ['spec', 'nodePools', kind, at, 'nodes' in after ? 'nodes' : 'count'],
          `the pool ${shown(before.name)} is protected, no node of it may be removed`,
          'set protect to false',
        );
      }
    }
  }
}

function* clusterFaults(old: InputManifest, next: InputManifest): Iterable<Fault> {
  const { clusters } = next.spec.kubernetes;
  for (const [index, before] of old.spec.kubernetes.clusters.entries()) {
    const at = clusters.findIndex(({ name }) => name === before.name);
    const cluster = clusters[at];
    const path = ['spec', 'kubernetes', 'clusters', at];
    if (cluster === undefined) {
      if (before.protect) yield guarded(['spec', 'kubernetes', 'clusters', index], `the cluster ${shown(before.name)}`);
      continue;
    }
    if (cluster.network !== before.network) {
      yield error(
        [...path, 'network'],
        `the network of the cluster ${shown(cluster.name)} cannot be changed from ${before.network}: every node has its address out of it`,
        `keep ${before.network}, or make a new cluster with another name`,
      );
    }
    if (compareVersions(cluster.version, before.version) < 0) {
      yield error(
        [...path, 'version'],
        `Kubernetes cannot go back from ${before.version} to ${cluster.version}`,
        `keep ${before.version} or use a newer version`,
      );
    }
  }
}

function guarded(path: Path, what: string): Fault {
  return error(
    path,
    `${what} is protected and would be removed`,
    'keep it, or set protect to false and apply that first',
  );
}

/** Fewest nodes the pool may come to have. */
function sizeOf(pool: InputManifest['spec']['nodePools']['dynamic' | 'static'][number]): number {
  if ('nodes' in pool) return pool.nodes.length;
  return pool.autoscaler?.min ?? pool.count ?? 0;
}

/** Text that is equal for equal values, whatever the order of their keys. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  return JSON.stringify(Object.entries(value).sort(([left], [right]) => left.localeCompare(right)));
}
