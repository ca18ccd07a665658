/** Where the catalogue of a provider type is read: each has a file in `clouds/`, named like its type. */
import { existsSync } from 'node:fs';
import type { CatalogueFile } from '#domain/catalogue/catalogue.ts';
import type { ReadPublicFile } from './public-file.ts';

export interface CatalogueReading {
  readonly today: string;
  readonly file: ReadPublicFile;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the catalogue says now; undefined for a new one. */
  readonly before: CatalogueFile | undefined;
}

export type CatalogueSource = (reading: CatalogueReading) => Promise<CatalogueFile>;

/** Undefined for a provider type that nothing reads: its file stays as it is. */
export async function catalogueSourceOf(type: string): Promise<CatalogueSource | undefined> {
  const file = new URL(`./clouds/${type}.ts`, import.meta.url);
  if (!existsSync(file)) return undefined;
  const { catalogue }: { readonly catalogue: CatalogueSource } = await import(file.href);
  return catalogue;
}
