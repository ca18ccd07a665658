/** Which manifests need a Secret or TemplateGitReference, and what for: by their document, and by what exists of earlier ones. */
import type { ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { allNodes, allPools, type ClusterState, type ProviderInstance } from '#domain/cluster-state.ts';
import { isPipelineError } from '#domain/errors.ts';
import { draftOfDocument } from '#domain/manifest/groups/groups-as-manifest.ts';
import { type Reference, referenceName, referencesIn } from '#domain/manifest/references-in.ts';
import { gitSourceSecret } from '#domain/manifest/schema/git-source.ts';
import { notificationSecret } from '#domain/manifest/schema/notification.ts';
import { type SecretUse, secretUses } from '#domain/manifest/secrets/secret-uses.ts';
import { parseLocator } from '#domain/secret-locator.ts';
import { type AdmittedCaller, shownTo } from '../../caller.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';
import { readableManifest } from '../records/stored-document.ts';
import { everyManifest } from '../records/stored-manifest.ts';

type Ports = Pick<ApiPorts, 'manifests' | 'clusters'>;

/** Names of the manifests that use a Secret or a TemplateGitReference, as far as the caller may see them. */
export async function manifestsThatUse(
  deps: Ports,
  caller: AdmittedCaller,
  field: Reference['field'],
  wanted: ManifestKey,
): Promise<readonly string[]> {
  const users: string[] = [];
  // One that cannot be read may need it: what belongs to its namespace is kept.
  const assume = (record: ManifestKey): void => {
    if (record.namespace === wanted.namespace) users.push(`${shownTo(caller, record)} (which cannot be read)`);
  };
  for await (const record of everyManifest(deps, assume)) {
    const used = await uses(deps, record, field, wanted);
    if (used === undefined) assume(record);
    else if (used) users.push(shownTo(caller, record));
  }
  return users;
}

/** Undefined when its clusters cannot be read. */
export async function uses(
  deps: Ports,
  record: ManifestRecord,
  field: Reference['field'],
  wanted: ManifestKey,
): Promise<boolean | undefined> {
  if (namesIn(record, field).includes(referenceName(wanted))) return true;
  return field === 'secretRef' && readable(mayNeed(deps, record, referenceName(wanted)));
}

/** Undefined when it cannot be read. */
async function readable(answer: Promise<boolean>): Promise<boolean | undefined> {
  return answer.catch((error: unknown) => {
    if (isPipelineError(error, 'Unreadable')) return undefined;
    throw error;
  });
}

function namesIn(
  { document, namespace, templateSecrets = {}, planes = {} }: ManifestRecord,
  field: Reference['field'],
): string[] {
  const named = [...referencesIn(draftOfDocument(document), namespace)]
    .filter((reference) => reference.field === field)
    .map(referenceName);
  if (field !== 'secretRef') return named;
  const ofPlanes = Object.values(planes).flatMap((plane) => plane.map(({ component }) => component?.secret));
  return [...named, ...Object.values(templateSecrets), ...ofPlanes.flatMap((text) => (text && storedName(text)) ?? [])];
}

/** A manifest that is done is as in its document. Otherwise machines may exist that only an earlier Secret can remove. */
async function mayNeed(deps: Ports, record: ManifestRecord, secret: string): Promise<boolean> {
  if (record.status === 'Done') return false;
  const clusters = await deps.clusters.list(record);
  const states = clusters.flatMap(({ current, attempted }) => [current, attempted].filter((state) => state !== null));
  return states.flatMap(locatorsIn).some((text) => storedName(text) === secret);
}

function locatorsIn(state: ClusterState): readonly string[] {
  const ofProvider = ({ secret, templatesSecret }: ProviderInstance) => [secret, templatesSecret];
  return [
    ...allPools(state).flatMap(({ source }) => (source.kind === 'dynamic' ? ofProvider(source.provider) : [])),
    ...state.loadBalancers.flatMap(({ dns }) => ofProvider(dns.provider)),
    ...(state.documents ?? []).flatMap(({ templatesSecret, component }) => [templatesSecret, component?.secret]),
    ...allNodes(state).map(({ node }) => node.static?.secret),
  ].filter((text) => text !== undefined);
}

/** The Secret that has to be stored here for it. */
function storedName(text: string): string | undefined {
  const locator = parseLocator(text);
  return locator?.kind === 'vault' ? locator.connection : locator?.name;
}

/** By `<namespace>/<name>` of the Secret; of those in `wanted`. */
export async function storedSecretUses(
  deps: Pick<ApiPorts, 'manifests' | 'gitSources' | 'notifications'>,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly SecretUse[]>> {
  const found = new Map<string, SecretUse[]>();
  if (wanted.size === 0) return found;
  const note = (name: string, uses: readonly SecretUse[]) => {
    if (wanted.has(name)) found.set(name, [...(found.get(name) ?? []), ...uses]);
  };
  for await (const record of everyManifest(deps)) {
    // A Secret cannot break one that can no longer be read.
    const manifest = readableManifest(record);
    if (manifest) for (const [name, uses] of secretUses(manifest)) note(name, uses);
    for (const name of new Set(Object.values(record.templateSecrets ?? {}))) note(name, ['git']);
  }
  for (const { document } of await deps.gitSources.list()) {
    const login = gitSourceSecret(document);
    if (login !== undefined) note(login, ['git']);
  }
  for (const { document } of await deps.notifications.list()) {
    const hook = notificationSecret(document);
    if (hook !== undefined) note(hook, [document.spec.to === 'webhook' ? 'webhook' : 'chat']);
  }
  return found;
}
