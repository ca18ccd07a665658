/** What is known of the clouds that documents name, for the warnings about regions, server types and images. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { cataloguesOf } from '../catalogue/catalogues.ts';
import { fieldOf, listFrom } from '../unread-json.ts';
import { draftOfDocument } from './groups/groups-as-manifest.ts';
import type { KnownClouds } from './rules/manifest-index.ts';

/** A list that takes the place of the one that comes with Kubeloom; undefined: none does. */
export type NewerCatalogue = (type: string, shipped: Catalogue) => Promise<Catalogue | undefined>;

/** Reads the catalogues of these clouds only. */
export async function knownClouds(
  documents: readonly unknown[],
  now: Date,
  newer: NewerCatalogue = async () => undefined,
): Promise<KnownClouds> {
  const shipped = await cataloguesOf(documents.flatMap(providerTypesIn));
  const used = [...shipped].map(async ([type, one]) => [type, (await newer(type, one)) ?? one] as const);
  return { today: now.toISOString().slice(0, 10), catalogues: new Map(await Promise.all(used)) };
}

function providerTypesIn(document: unknown): readonly string[] {
  return listFrom(fieldOf(fieldOf(draftOfDocument(document), 'spec'), 'providers')).flatMap((provider) => {
    const type = fieldOf(provider, 'providerType');
    return typeof type === 'string' ? [type] : [];
  });
}
