/** The management planes on the clusters of a manifest: pinned as documents when it is accepted. */
import type { ManifestKey, ManifestRecord } from '#contracts/records.ts';
import type { ClusterFacts } from '#domain/cluster-state.ts';
import { documentName, kindOf } from '#domain/documents/validate-documents.ts';
import { validateInventoryDocument } from '#domain/inventory/validate-inventory.ts';
import { error, type Fault } from '#domain/manifest/faults/fault.ts';
import { planeDocuments, releaseOf } from '#domain/plane-documents.ts';
import { type ManagementPlane as Plane, providerOfDocument } from '#domain/planes/management-plane.ts';
import { compareReleases } from '#domain/planes/release.ts';
import { sameValue } from '#domain/same-value.ts';
import type { KnownPlanes, WantedDocument, WantedPlanes } from './known.ts';

/** Those in `accompanying` take the place of stored ones of their names; those in `withoutPlanes` are deleted. */
export function wantedPlanes(
  key: ManifestKey,
  { accompanying = [], withoutPlanes = [] }: Pick<WantedDocument, 'accompanying' | 'withoutPlanes'>,
  stored: readonly Plane[],
): WantedPlanes {
  const sent = accompanying.flatMap((document) => {
    const isPlane = kindOf(document) === 'ManagementPlane' && documentName(document).namespace === key.namespace;
    const verdict = isPlane ? validateInventoryDocument('ManagementPlane', document).document : undefined;
    return verdict?.kind === 'ManagementPlane' ? [verdict] : [];
  });
  const names = new Set([...withoutPlanes, ...sent.map(({ metadata }) => metadata.name)]);
  const kept = stored.filter(({ metadata }) => !names.has(metadata.name));
  return { stored, sent, wanted: [...kept, ...sent].filter(({ spec }) => spec.cluster.manifest === key.name) };
}

export function pinPlanes({ stored, sent, wanted, installed }: KnownPlanes): {
  readonly planes: NonNullable<ManifestRecord['planes']>;
  readonly faults: readonly Fault[];
} {
  const planes = Object.fromEntries(wanted.map((plane) => [plane.spec.cluster.name, [...planeDocuments(plane)]]));
  const moved = sent.flatMap((plane) => movedFaults(stored, plane, []));
  const older = wanted.flatMap((plane) => downgrades(plane, installed[plane.spec.cluster.name]));
  return { planes, faults: [...moved, ...twinFaults(wanted), ...older] };
}

/** Its old cluster would lose its components with the next change of its manifest, also of another user. `path`: where the fault is. */
export function movedFaults(
  stored: readonly Plane[],
  { metadata: { name }, spec: { cluster } }: Plane,
  path: readonly PropertyKey[],
): readonly Fault[] {
  const before = stored.find(({ metadata }) => metadata.name === name)?.spec.cluster;
  if (before === undefined || sameValue(before, cluster)) return [];
  const reason = `ManagementPlane ${name} is on cluster "${before.name}" of manifest "${before.manifest}", and a stored plane stays on its cluster`;
  return [error(path, reason, 'delete it and store another plane')];
}

function twinFaults(planes: readonly Plane[]): readonly Fault[] {
  return planes.flatMap(({ metadata, spec: { cluster } }, index) => {
    const twin = planes.slice(0, index).find((other) => other.spec.cluster.name === cluster.name);
    if (twin === undefined) return [];
    const reason = `ManagementPlane ${metadata.name} is on cluster "${cluster.name}", which already has ${twin.metadata.name}`;
    return [error([], reason, 'a cluster has one plane: put the components of both into one, or use another cluster')];
  });
}

/** What was started counts as installed: its objects may have been converted. What was only asked for does not. */
function downgrades(plane: Plane, installed: ClusterFacts['documents'] = {}): readonly Fault[] {
  const found = Object.entries(installed).flatMap(([name, applied]) => {
    const release = releaseOf(applied);
    return release === undefined ? [] : [{ name, provider: providerOfDocument(name), release }];
  });
  const documents = planeDocuments(plane).map((document) => ({
    name: document.name,
    provider: providerOfDocument(document.name),
    release: releaseOf(document) ?? '',
  }));
  const isOlder = (one: string, than: string) => compareReleases(one, than) < 0;
  const fix = 'components of Cluster API are never downgraded: name the release that is installed, or a newer one';
  const older = documents.flatMap(({ name, release }) => {
    const own = found.find((one) => one.name === name);
    if (own === undefined || !isOlder(release, own.release)) return [];
    return [error([], `${name} ${release} is older than ${own.release}, which is installed`, fix)];
  });
  if (older.length > 0) return older;
  // Definitions are of the newest instance, also of one that leaves the plane or that was in another plane.
  return [...Map.groupBy(documents, ({ provider }) => provider)].flatMap(([provider, wanted]) => {
    const newest = found.find(
      (one) => one.provider === provider && wanted.every(({ release }) => isOlder(release, one.release)),
    );
    if (newest === undefined) return [];
    const reason = `${provider} would no longer have an instance of ${newest.release}, the release of ${newest.name} and of the definitions`;
    return [error([], reason, fix)];
  });
}
