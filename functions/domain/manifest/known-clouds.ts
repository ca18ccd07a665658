/** What is known of the clouds that documents name, for the warnings about regions, server types and images. */
import { cataloguesOf } from '../catalogue/catalogues.ts';
import { isMap } from '../json.ts';
import { draftOfDocument } from './groups/groups-as-manifest.ts';
import type { KnownClouds } from './rules/manifest-index.ts';

/** Reads the catalogues of these clouds only. */
export async function knownClouds(documents: readonly unknown[], now: Date): Promise<KnownClouds> {
  return { today: now.toISOString().slice(0, 10), catalogues: await cataloguesOf(documents.flatMap(providerTypesIn)) };
}

function providerTypesIn(document: unknown): readonly string[] {
  const draft = draftOfDocument(document);
  const spec = isMap(draft) ? draft.spec : undefined;
  const providers = isMap(spec) && Array.isArray(spec.providers) ? spec.providers : [];
  return providers.flatMap((provider: unknown) =>
    isMap(provider) && typeof provider.providerType === 'string' ? [provider.providerType] : [],
  );
}
