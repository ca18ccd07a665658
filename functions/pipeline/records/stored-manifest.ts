/** Finds the manifest of a request or a run, with an error for people when it does not exist or cannot be read. */
import type { ManifestHead, ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { isPipelineError, PipelineError } from '#domain/errors.ts';
import type { ManifestRemains, StoredManifests } from '../../manifest-store.ts';
import type { Using } from '../../ports.ts';

/** The stored manifest. Throws `NotFound`, and `Unreadable` with what to do. */
export async function storedManifest(
  deps: Using<'manifests.get' | 'manifests.remainsOf'>,
  key: ManifestKey,
): Promise<ManifestRecord> {
  const found = await storedOrRemains(deps, key);
  if (found && 'reason' in found) throw new PipelineError('Unreadable', wayOut(found));
  if (found) return found;
  throw new PipelineError('NotFound', `there is no manifest "${key.name}" in namespace "${key.namespace}"`);
}

/** The stored manifest, or what is left of it. */
export async function storedOrRemains(
  deps: Using<'manifests.get' | 'manifests.remainsOf'>,
  key: ManifestKey,
): Promise<ManifestRecord | ManifestRemains | undefined> {
  try {
    return await deps.manifests.get(key);
  } catch (error) {
    const remains = isPipelineError(error, 'Unreadable') && (await deps.manifests.remainsOf(key));
    if (remains) return remains;
    throw error;
  }
}

/** What a new document replaces. Throws `Unreadable` when it cannot. */
export async function replaceableManifest(
  deps: Using<'manifests.get' | 'manifests.remainsOf'>,
  key: ManifestKey,
): Promise<ManifestRecord | undefined> {
  const found = await storedOrRemains(deps, key);
  if (found === undefined || !('reason' in found)) return found;
  if (found.replaceable) return found.record;
  throw new PipelineError('Unreadable', wayOut(found));
}

/** Why it cannot be read and what to do, for people. */
export function wayOut({ namespace, name, reason, replaceable }: Omit<ManifestRemains, 'record'>): string {
  const forget = `\`kubeloom delete ${name} -n ${namespace} --orphan all\` forgets it and leaves its machines running`;
  const ways = [
    ...(replaceable ? ['apply its document again'] : []),
    ...['restore a backup', 'install the version of Kubeloom that wrote it'],
  ];
  return `${reason}; ${ways.join(', or ')}; ${forget}`;
}

/** Every manifest of this installation, page by page; those that cannot be read are reported and left out. */
export function everyManifest(
  { manifests }: Using<'manifests.list'>,
  report?: (unreadable: ManifestRemains) => void,
  namespace?: string,
): AsyncGenerator<ManifestRecord> {
  return eachOf((next) => manifests.list(namespace, 200, next), report);
}

/** The same without documents, which are most of what is read. */
export function everyHead(
  { manifests }: Using<'manifests.listHeads'>,
  report?: (unreadable: ManifestRemains) => void,
  namespace?: string,
): AsyncGenerator<ManifestHead> {
  return eachOf((next) => manifests.listHeads(namespace, 200, next), report);
}

async function* eachOf<Stored extends ManifestHead>(
  pageFrom: (next: string | undefined) => Promise<StoredManifests<Stored>>,
  report: (unreadable: ManifestRemains) => void = () => {},
): AsyncGenerator<Stored> {
  let next: string | undefined;
  do {
    const page = await pageFrom(next);
    page.unreadable.forEach(report);
    yield* page.items;
    next = page.next;
  } while (next !== undefined);
}
