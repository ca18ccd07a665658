/** Rules of `spec.kubernetes.clusters`. */
import { isSupportedVersion, minorOf, supportedVersionsText } from '#domain/kubernetes-versions.ts';
import { error, type Fault, pathText, warning } from '../faults/fault.ts';
import { shown } from '../schema/names.ts';
import { type ManifestIndex, named, type Path, poolNamed } from './manifest-index.ts';
import type { PartialCluster } from './partial-manifest.ts';
import { noDuplicates, uniqueNames, unknownName } from './references.ts';

/** Names, version and pools of every cluster. */
export function* clusterRules(manifestIndex: ManifestIndex): Iterable<Fault> {
  yield* uniqueNames('cluster', manifestIndex.clusters);
  if (manifestIndex.clusters.length === 0 && manifestIndex.complete.clusters) {
    yield warning(
      'no-cluster',
      ['spec'],
      'the manifest defines no cluster: all existing clusters will be deleted',
      'add a Kubernetes cluster',
    );
  }
  for (const { thing: cluster, path } of manifestIndex.clusters) {
    const { version, pools } = cluster;
    if (version !== undefined && minorOf(version) !== undefined && !isSupportedVersion(version)) {
      yield error(
        [...path, 'version'],
        `Kubernetes ${version.replace(/^v/, '')} is not supported`,
        `use one of ${supportedVersionsText()}`,
      );
    }
    yield* poolsExist(manifestIndex, pools.control, [...path, 'pools', 'control']);
    yield* poolsExist(manifestIndex, pools.compute, [...path, 'pools', 'compute']);
    yield* controlPlaneAdvice(manifestIndex, cluster, path);
    if (pools.control.length > 0 && pools.compute.length === 0) {
      yield warning(
        'no-compute-pool',
        [...path, 'pools', 'compute'],
        'the cluster has no compute pool, so no ordinary pod will run',
        'add a compute pool',
      );
    }
  }
  for (const { thing: balancer, path } of manifestIndex.loadBalancers) {
    const namesake = named(manifestIndex.clusters, balancer.name);
    if (namesake === undefined) continue;
    yield error(
      [...path, 'name'],
      `the name ${shown(balancer.name)} is taken by ${pathText(namesake.path)}`,
      'give the load balancer another name',
    );
  }
}

/** Pools in a list exist, and none is listed twice. */
export function* poolsExist(manifestIndex: ManifestIndex, pools: readonly string[], path: Path): Iterable<Fault> {
  yield* noDuplicates('the pool', pools, path);
  if (!manifestIndex.complete.pools) return;
  const known = manifestIndex.pools.flatMap(({ thing }) => thing.name ?? []);
  for (const [index, name] of pools.entries()) {
    if (name === '' || manifestIndex.poolsByName.has(name)) continue;
    yield unknownName([...path, index], 'node pool', name, known);
  }
}

/** Number of nodes that a pool of the manifest begins with; undefined when it is not known. Only compute pools are scaled from there. */
export function nodesOf(manifestIndex: ManifestIndex, name: string): number | undefined {
  const pool = poolNamed(manifestIndex, name);
  if (pool === undefined) return undefined;
  if (pool.kind === 'static') return pool.thing.nodes.length;
  return pool.thing.autoscaler?.min ?? pool.thing.count;
}

function* controlPlaneAdvice(manifestIndex: ManifestIndex, cluster: PartialCluster, path: Path): Iterable<Fault> {
  const counts = cluster.pools.control.map((pool) => nodesOf(manifestIndex, pool));
  if (counts.length === 0 || counts.some((count) => count === undefined || count === 0)) return;
  const nodes = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  const place = [...path, 'pools', 'control'];
  if (nodes === 1) {
    yield warning(
      'single-control-node',
      place,
      'the cluster has a single control node: if it is lost, the cluster is lost',
      'use 3 or 5',
    );
  } else if (nodes % 2 === 0) {
    yield warning(
      'even-control-nodes',
      place,
      `the cluster has ${nodes} control nodes: an even number survives no more losses than ${nodes - 1} would`,
      nodes === 2 ? 'use 3' : `use ${nodes - 1} or ${nodes + 1}`,
    );
  }
}
