/** Rules of storage and of documents in a cluster: what each applies can be read, and nothing is applied twice. */
import { isBuiltin } from '#domain/builtin-documents.ts';
import { nameOfObject, objectKey, objectText, type ReadObjects } from '#domain/kubernetes-objects.ts';
import { takesStorage } from '#domain/node-labels.ts';
import { error, type Fault, warning } from '../faults/fault.ts';
import { shown } from '../schema/names.ts';
import type { ManifestIndex, Path } from './manifest-index.ts';
import type { PartialCluster } from './partial-manifest.ts';
import { templatesExist } from './provider-rules.ts';

export function* documentRules(manifestIndex: ManifestIndex): Iterable<Fault> {
  for (const { thing: cluster, path } of manifestIndex.clusters) {
    if (cluster.storage === 'longhorn' && cluster.pools.compute.length === 0) {
      const reason = 'the cluster has no compute pool, and Longhorn keeps its data on compute nodes';
      yield error([...path, 'storage'], reason, 'add a compute pool, or use "none"');
    }
    if (cluster.storage === 'longhorn' && isClosed(cluster, manifestIndex)) {
      const reason = 'all compute pools have taints or are spot pools, and Longhorn does not run on their nodes';
      const fix =
        'add a compute pool without taints, or the label node.longhorn.io/create-default-disk: "true" to one of these';
      yield warning('no-storage-node', [...path, 'storage'], reason, fix);
    }
    yield* entries(manifestIndex, cluster, [...path, 'documents']);
  }
}

/** True when Longhorn as it comes with Kubeloom has no node to run on. */
function isClosed({ pools, documents }: PartialCluster, { poolsByName }: ManifestIndex): boolean {
  if (pools.compute.length === 0 || documents.some(({ name }) => name === 'longhorn')) return false;
  return pools.compute.every((name) => {
    const pool = poolsByName.get(name);
    if (pool === undefined) return false;
    if (takesStorage(pool.thing.labels)) return false;
    const tainted = pool.thing.taints.some((taint) => taint !== undefined && taint.effect !== 'PreferNoSchedule');
    return tainted || (pool.kind === 'dynamic' && pool.thing.spot);
  });
}

function* entries(manifestIndex: ManifestIndex, { documents }: PartialCluster, path: Path): Iterable<Fault> {
  const owners = new Map<string, string>();
  for (const [index, { name = '', enabled, inline, templatesRef }] of documents.entries()) {
    const place = [...path, index];
    const builtin = isBuiltin(name);
    if (name !== '' && documents.findIndex((other) => other.name === name) < index)
      yield error([...place, 'name'], `documents ${shown(name)} already exist`, 'give them another name');
    const isGiven = inline !== undefined || templatesRef !== undefined;
    if (!enabled && isGiven)
      yield error([...place, 'enabled'], 'documents that are not applied have a text', 'leave out one of the two');
    if (inline !== undefined && templatesRef !== undefined)
      yield error(place, 'the documents have a text and a git repository', 'leave out one of the two');
    if (!enabled && name !== '' && !builtin)
      yield error([...place, 'name'], `Kubeloom has no documents ${shown(name)}`, 'leave out the entry');
    if (enabled && !isGiven && name !== '' && !builtin)
      yield error(
        place,
        `the documents ${shown(name)} have no text`,
        'write their objects as inline, or name a git repository as templatesRef',
      );
    if (templatesRef !== undefined) {
      const at = [...place, 'templatesRef'];
      yield* templatesExist(manifestIndex, templatesRef, at, 'leave templatesRef out, or write the objects as inline');
    }
    if (inline !== undefined)
      yield* objects({ name, read: manifestIndex.context.readObjects(inline), owners }, [...place, 'inline']);
  }
}

interface Inline {
  readonly name: string;
  readonly read: ReadObjects;
  /** By `objectKey`: the documents that have it. */
  readonly owners: Map<string, string>;
}

function* objects({ name, read, owners }: Inline, path: Path): Iterable<Fault> {
  for (const { reason, fix } of read.faults) yield error(path, reason, fix);
  for (const object of read.objects) {
    const text = objectText(nameOfObject(object));
    const key = objectKey(nameOfObject(object));
    const owner = owners.get(key);
    if (owner !== undefined) {
      const where = owner === name ? 'twice' : `here and in the documents ${shown(owner)}`;
      yield error(path, `${text} is ${where}`, 'keep one of the two');
    }
    owners.set(key, name);
    if (object.kind === 'Secret' && object.apiVersion === 'v1') {
      const reason = `${text} would be stored in plain text, like the whole manifest`;
      yield error(path, reason, 'create Secrets in the cluster by other means, such as a secret store');
    }
  }
}
