/** Pools whose machines the user lets Kubeloom replace when something changes that machines are made of. */
import type { InputManifest } from './input-manifest.ts';

/** Annotation of the manifest: names of dynamic pools, separated by commas. */
export const replaceAnnotation = 'kubeloom.dev/replace';

export function replaceablePools({ metadata }: Pick<InputManifest, 'metadata'>): ReadonlySet<string> {
  const names = (metadata.annotations?.[replaceAnnotation] ?? '').split(',').map((name) => name.trim());
  return new Set(names.filter(Boolean));
}
