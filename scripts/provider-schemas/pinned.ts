/** Which provider versions the templates pin, by the provider's address. */
import { templatesOf } from './sources.ts';

/** Provider address → pinned version; throws where two types pin two versions of one provider. */
export function pinnedVersions(templates: string): ReadonlyMap<string, string> {
  const pinned = new Map<string, string>();
  for (const [type, { provider, alsoRequired }] of templatesOf(templates)) {
    for (const { source, version } of [...(provider ? [provider] : []), ...Object.values(alsoRequired)]) {
      const other = pinned.get(source);
      if (other && other !== version) throw new Error(`${type} pins ${source} ${version}, another type ${other}`);
      pinned.set(source, version);
    }
  }
  return pinned;
}

/** What a fixture must say where its version is not the pinned one; undefined where it is. */
export function versionNote(version: string, pinned: string | undefined): string | undefined {
  if (!pinned || pinned === version) return undefined;
  const of = version === 'mixed' ? 'from pages of several commits, not of one release' : `of ${version}`;
  return `provider.json pins ${pinned}, this schema is ${of}: what came or went between them is not seen`;
}
