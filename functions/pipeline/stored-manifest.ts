/** Finding what a request or a run is about, and saying so in words when it is not there. */
import type { ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import type { Deps } from '../ports.ts';

/** The stored manifest. Throws `NotFound`. */
export async function storedManifest(deps: Pick<Deps, 'manifests'>, key: ManifestKey): Promise<ManifestRecord> {
  const record = await deps.manifests.get(key);
  if (record) return record;
  throw new PipelineError('NotFound', `there is no manifest "${key.name}" in namespace "${key.namespace}"`);
}

/** Every manifest of this installation, page by page. */
export async function* everyManifest(deps: Pick<Deps, 'manifests'>): AsyncGenerator<ManifestRecord> {
  let next: string | undefined;
  do {
    const page = await deps.manifests.list(undefined, 200, next);
    yield* page.items;
    next = page.next;
  } while (next !== undefined);
}
