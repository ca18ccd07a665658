/** What is compared with the cluster before components are applied: contracts, releases, versions of definitions. */

import { groupOf, type KubernetesObject, nameOfObject } from '#domain/kubernetes-objects.ts';
import { isMap } from '#domain/manifest/kubernetes-document.ts';
import { releaseOf } from '#domain/planes/plane-documents.ts';
import { compareReleases } from '#domain/planes/release.ts';
import type { Kubectl } from '../kubernetes/kubectl.ts';
import type { StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { componentContracts, refuseOtherContracts } from './component-contracts.ts';
import { findObjects } from './objects.ts';
import type { PreparedDocument } from './prepare-documents.ts';

/** Refuses before anything of the cluster is touched. Returns the contract of each component, by the name of its documents. */
export async function checkComponents(
  context: StageContext,
  kubectl: Kubectl,
  prepared: readonly PreparedDocument[],
): Promise<ReadonlyMap<string, string>> {
  const components = prepared.filter(({ document }) => document.component !== undefined);
  if (components.length === 0) return new Map();
  const all = (context.target?.documents ?? []).filter(({ component }) => component !== undefined);
  const contracts = await componentContracts(context, all);
  refuseOtherContracts(all, contracts);
  refuseDowngrades(context, components);
  const definitions = components.flatMap(({ objects }) => objects.filter(isDefinition));
  const live = await findObjects(kubectl, definitions.map(nameOfObject));
  refuseUnknownVersions(definitions, live);
  await refuseMissingKinds(kubectl, components);
  reportStorageVersions(context, definitions, live);
  return contracts;
}

function refuseDowngrades({ facts }: StageContext, components: readonly PreparedDocument[]): void {
  const older = components.flatMap(({ document }) => {
    const applied = facts.current.documents?.[document.name];
    const [wanted, installed] = [releaseOf(document), applied && releaseOf(applied)];
    if (wanted === undefined || installed === undefined || compareReleases(wanted, installed) >= 0) return [];
    return [`${document.name} ${wanted} is older than ${installed}, which is installed`];
  });
  if (older.length === 0) return;
  throw new StageFailure({
    class: 'user',
    code: 'ComponentDowngrade',
    message: `${older.join('; ')}: nothing was changed.`,
    hint: 'Components of Cluster API are never downgraded; name the release that is installed, or a newer one.',
  });
}

/** Objects are stored in versions that the new definition must know, or they could not be read any more. */
function refuseUnknownVersions(definitions: readonly KubernetesObject[], live: readonly KubernetesObject[]): void {
  const lost = definitions.flatMap((definition) => {
    const stored = storedVersions(definitionNamed(live, definition));
    const known = versionsOf(definition.spec).map(({ name }) => name);
    const unknown = stored.filter((version) => !known.includes(version));
    return unknown.length === 0
      ? []
      : [
          `${definition.metadata.name} has objects stored as ${unknown.join(', ')}, which is not among ${known.join(', ')}`,
        ];
  });
  if (lost.length === 0) return;
  throw new StageFailure({
    class: 'user',
    code: 'StoredVersionUnknown',
    message: `${lost.slice(0, 5).join('; ')}: nothing was changed.`,
    hint: 'Install a release in between, which knows both versions, and let it migrate what is stored (status.storedVersions of the definition says when it is done).',
  });
}

/** Kinds of others, as those of cert-manager are, must be there or come with the same components. */
async function refuseMissingKinds(kubectl: Kubectl, components: readonly PreparedDocument[]): Promise<void> {
  const objects = components.flatMap(({ objects }) => objects);
  const own = new Set(
    objects
      .filter(isDefinition)
      .flatMap(({ spec }) => (isMap(spec) ? versionsOf(spec).map(({ name }) => `${spec.group}/${name}`) : [])),
  );
  const foreign = new Set(
    objects
      .map(({ apiVersion }) => apiVersion)
      .filter((version) => groupOf(version).includes('.') && !own.has(version)),
  );
  if (foreign.size === 0) return;
  const { stdout } = await kubectl.run(['api-versions', '--request-timeout=30s']);
  const served = new Set(stdout.split('\n').map((line) => line.trim()));
  const missing = [...foreign].filter((version) => !served.has(version)).sort();
  if (missing.length === 0) return;
  throw new StageFailure({
    class: 'user',
    code: 'ComponentNeedsMore',
    message: `The components need ${missing.join(', ')}, which the cluster does not have: nothing was changed.`,
    hint: 'Add what has it to the ManagementPlane as a component of kind prerequisite, such as cert-manager.',
  });
}

/** What is stored in the old version stays so until someone writes it again. */
function reportStorageVersions(
  { emit }: StageContext,
  definitions: readonly KubernetesObject[],
  live: readonly KubernetesObject[],
): void {
  const changes = definitions.flatMap((definition) => {
    const before = definitionNamed(live, definition);
    const [from, to] = [before && storageVersion(before), storageVersion(definition)];
    return from === undefined || to === undefined || from === to ? [] : [{ name: definition.metadata.name, from, to }];
  });
  const groups = Map.groupBy(changes, ({ from, to }) => `${from} to ${to}`);
  for (const [step, group] of groups) {
    const names = group.map(({ name }) => name);
    const shown = names.length > 4 ? `${names.slice(0, 4).join(', ')} and ${names.length - 4} more` : names.join(', ');
    emit({
      kind: 'StorageVersionChanges',
      message: `objects are stored in another version, ${step}: ${shown}; those that exist are migrated when their provider writes them, and status.storedVersions of the definition says when all are`,
    });
  }
}

interface Version {
  readonly name: string;
  readonly storage: boolean;
}

function versionsOf(spec: unknown): readonly Version[] {
  const versions = isMap(spec) && Array.isArray(spec.versions) ? spec.versions : [];
  return versions.flatMap((one: unknown) =>
    isMap(one) && typeof one.name === 'string' ? [{ name: one.name, storage: one.storage === true }] : [],
  );
}

function storageVersion(definition: KubernetesObject): string | undefined {
  return versionsOf(definition.spec).find(({ storage }) => storage)?.name;
}

function storedVersions(definition: KubernetesObject | undefined): readonly string[] {
  const status = definition?.status;
  const stored = isMap(status) && Array.isArray(status.storedVersions) ? status.storedVersions : [];
  return stored.filter((one): one is string => typeof one === 'string');
}

function isDefinition({ kind }: KubernetesObject): boolean {
  return kind === 'CustomResourceDefinition';
}

function definitionNamed(
  live: readonly KubernetesObject[],
  { metadata }: KubernetesObject,
): KubernetesObject | undefined {
  return live.find((one) => one.metadata.name === metadata.name);
}
