/** Definitions of components against those that the cluster has: none gets older, and no version that is in use is lost. */

import { isMap } from '#domain/json.ts';
import { type KubernetesObject, nameOfObject } from '#domain/kubernetes-objects.ts';
import { compareReleases } from '#domain/planes/release.ts';
import { isDefinition, releaseAnnotation } from '#rendering/documents.ts';
import type { Kubectl } from '../kubernetes/kubectl.ts';
import type { StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { findObjects } from './objects.ts';

/** The definition that is applied, and the one that the cluster has. */
interface Pair {
  readonly definition: KubernetesObject;
  readonly live: KubernetesObject;
}

/** Throws `ComponentDowngrade`, `StoredVersionUnknown` and `ServedVersionMissing`; says which storage versions change. */
export async function checkDefinitions(
  { emit }: Pick<StageContext, 'emit'>,
  kubectl: Kubectl,
  objects: readonly KubernetesObject[],
): Promise<void> {
  const definitions = objects.filter(isDefinition);
  const found = await findObjects(kubectl, definitions.map(nameOfObject));
  const pairs = definitions.flatMap((definition): Pair[] => {
    const live = found.find(({ metadata }) => metadata.name === definition.metadata.name);
    return live === undefined ? [] : [{ definition, live }];
  });
  refuseOlder(pairs);
  refuseUnknownVersions(pairs);
  refuseMissingVersions(pairs);
  reportStorageVersions(emit, pairs);
}

/** The release of the object does not depend on which plane or instance brought it: what exists once in the cluster is of the newest release. */
function refuseOlder(pairs: readonly Pair[]): void {
  const older = pairs.flatMap(({ definition, live }) => {
    const [wanted, installed] = [releaseOf(definition), releaseOf(live)];
    if (wanted === undefined || installed?.provider !== wanted.provider) return [];
    if (compareReleases(wanted.release, installed.release) >= 0) return [];
    return [
      `${definition.metadata.name} of ${wanted.provider} ${wanted.release}, which now has release ${installed.release}`,
    ];
  });
  if (older.length === 0) return;
  throw new StageFailure({
    class: 'user',
    code: 'ComponentDowngrade',
    message: `Definitions would be downgraded: ${shown(older)}: nothing was changed.`,
    hint: 'One instance of the provider must have the release of the definitions or a newer one, because definitions are never downgraded.',
  });
}

/** `infrastructure-vsphere@v1.14.0` */
function releaseOf({
  metadata,
}: KubernetesObject): { readonly provider: string; readonly release: string } | undefined {
  const text = isMap(metadata.annotations) ? metadata.annotations[releaseAnnotation] : undefined;
  const [provider, release] = typeof text === 'string' ? text.split('@') : [];
  return provider === undefined || release === undefined ? undefined : { provider, release };
}

/** Objects are stored in versions that the new definition must know, or they could not be read any more. */
function refuseUnknownVersions(pairs: readonly Pair[]): void {
  const lost = pairs.flatMap(({ definition, live }) => {
    const unknown = missing(storedVersions(live), definition);
    if (unknown.length === 0) return [];
    return [
      `${definition.metadata.name} has objects stored as ${unknown.join(', ')}, which is not among ${names(definition)}`,
    ];
  });
  if (lost.length === 0) return;
  throw new StageFailure({
    class: 'user',
    code: 'StoredVersionUnknown',
    message: `${shown(lost)}: nothing was changed.`,
    hint: 'Install a release in between, which knows both versions, and let it migrate what is stored (status.storedVersions of the definition says when it is done).',
  });
}

/** Clients use the versions that are served: providers stop serving a version some releases before they drop it. */
function refuseMissingVersions(pairs: readonly Pair[]): void {
  const lost = pairs.flatMap(({ definition, live }) => {
    const served = versionsOf(live.spec).filter((version) => version.served);
    const unknown = missing(
      served.map(({ name }) => name),
      definition,
    );
    if (unknown.length === 0) return [];
    return [`${definition.metadata.name} is served as ${unknown.join(', ')}, which is not among ${names(definition)}`];
  });
  if (lost.length === 0) return;
  throw new StageFailure({
    class: 'user',
    code: 'ServedVersionMissing',
    message: `${shown(lost)}: nothing was changed.`,
    hint: 'Install a release in between, which knows the version and no longer serves it. If no one uses the version, set its field served to false in the definition by hand, then retry.',
  });
}

/** What is stored in the old version stays so until someone writes it again. */
function reportStorageVersions(emit: StageContext['emit'], pairs: readonly Pair[]): void {
  const changes = pairs.flatMap(({ definition, live }) => {
    const [from, to] = [storageVersion(live), storageVersion(definition)];
    return from === undefined || to === undefined || from === to ? [] : [{ name: definition.metadata.name, from, to }];
  });
  for (const [step, group] of Map.groupBy(changes, ({ from, to }) => `${from} to ${to}`)) {
    const known = group.map(({ name }) => name);
    const some = known.length > 4 ? `${known.slice(0, 4).join(', ')} and ${known.length - 4} more` : known.join(', ');
    emit({
      kind: 'StorageVersionChanges',
      message: `objects are stored in another version, ${step}: ${some}; existing objects are migrated when their provider writes them, and status.storedVersions of the definition shows when all are migrated`,
    });
  }
}

interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
}

export function versionsOf(spec: unknown): readonly Version[] {
  const versions = isMap(spec) && Array.isArray(spec.versions) ? spec.versions : [];
  return versions.flatMap((one: unknown) =>
    isMap(one) && typeof one.name === 'string'
      ? [{ name: one.name, served: one.served === true, storage: one.storage === true }]
      : [],
  );
}

function storageVersion(definition: KubernetesObject): string | undefined {
  return versionsOf(definition.spec).find(({ storage }) => storage)?.name;
}

function storedVersions({ status }: KubernetesObject): readonly string[] {
  const stored = isMap(status) && Array.isArray(status.storedVersions) ? status.storedVersions : [];
  return stored.filter((one): one is string => typeof one === 'string');
}

function missing(wanted: readonly string[], { spec }: KubernetesObject): readonly string[] {
  const known = new Set(versionsOf(spec).map(({ name }) => name));
  return wanted.filter((name) => !known.has(name));
}

function names({ spec }: KubernetesObject): string {
  return versionsOf(spec)
    .map(({ name }) => name)
    .join(', ');
}

function shown(sentences: readonly string[]): string {
  return sentences.slice(0, 5).join('; ');
}
