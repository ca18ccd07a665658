/** The management planes on the clusters of a manifest: pinned as documents when it is accepted. */
import type { ClusterRecord, ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { documentName, kindOf } from '#domain/documents/validate-documents.ts';
import { validateInventoryDocument } from '#domain/inventory/validate-inventory.ts';
import { error, type Fault } from '#domain/manifest/faults/fault.ts';
import { planeDocuments, releaseOf } from '#domain/plane-documents.ts';
import { type ManagementPlane as Plane, providerOfDocument } from '#domain/planes/management-plane.ts';
import { compareReleases } from '#domain/planes/release.ts';
import { sameValue } from '#domain/same-value.ts';
import type { Using } from '../../ports.ts';
import { readInventoryDocument } from '../inventory/stored-inventory.ts';
import { clusterName } from '../records/cluster-records.ts';
import { knownFacts } from '../records/known-facts.ts';

export interface PinnedPlanes {
  readonly planes: NonNullable<ManifestRecord['planes']>;
  readonly faults: readonly Fault[];
}

/** Those in `accompanying` take the place of stored ones of their names; those in `without` are deleted. */
export async function pinPlanes(
  deps: Using<'artifacts.getText' | 'inventory.list'>,
  key: ManifestKey,
  {
    accompanying,
    without,
    clusters,
  }: {
    readonly accompanying: readonly unknown[];
    readonly without: readonly string[];
    readonly clusters: readonly ClusterRecord[];
  },
): Promise<PinnedPlanes> {
  const sent = accompanying.flatMap((document) => {
    const isPlane = kindOf(document) === 'ManagementPlane' && documentName(document).namespace === key.namespace;
    const verdict = isPlane ? validateInventoryDocument('ManagementPlane', document).document : undefined;
    return verdict?.kind === 'ManagementPlane' ? [verdict] : [];
  });
  const names = new Set([...without, ...sent.map(({ metadata }) => metadata.name)]);
  const before = await storedPlanes(deps, key.namespace);
  const stored = before.filter(({ metadata }) => !names.has(metadata.name));
  const all = [...stored, ...sent].filter(({ spec }) => spec.cluster.manifest === key.name);
  const planes = Object.fromEntries(all.map((plane) => [plane.spec.cluster.name, [...planeDocuments(plane)]]));
  const older = await Promise.all(all.map((plane) => downgrades(deps, plane, clusters)));
  const moved = sent.flatMap((plane) => movedFaults(before, plane, []));
  return { planes, faults: [...moved, ...twinFaults(all), ...older.flat()] };
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

/** All of a namespace. Throws `Unreadable`. */
export async function storedPlanes(deps: Using<'inventory.list'>, namespace: string): Promise<readonly Plane[]> {
  const records = await deps.inventory.list(namespace, 'ManagementPlane');
  return records
    .map(readInventoryDocument)
    .flatMap(({ document }) => (document.kind === 'ManagementPlane' ? [document] : []));
}

function twinFaults(planes: readonly Plane[]): readonly Fault[] {
  return planes.flatMap(({ metadata, spec: { cluster } }, index) => {
    const twin = planes.slice(0, index).find((other) => other.spec.cluster.name === cluster.name);
    if (twin === undefined) return [];
    const reason = `ManagementPlane ${metadata.name} is on cluster "${cluster.name}", which already has ${twin.metadata.name}`;
    return [error([], reason, 'a cluster has one plane: put the components of both into one, or use another cluster')];
  });
}

/** What runners started to apply counts as installed: its objects may have been converted. What was only asked for does not. */
async function downgrades(
  deps: Using<'artifacts.getText'>,
  plane: Plane,
  clusters: readonly ClusterRecord[],
): Promise<readonly Fault[]> {
  const record = clusters.find((one) => clusterName(one) === plane.spec.cluster.name);
  const installed = Object.entries((record && (await knownFacts(deps, record)).documents) ?? {});
  const found = installed.flatMap(([name, applied]) => {
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
