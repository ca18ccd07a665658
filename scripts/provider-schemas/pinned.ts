/** Which provider versions the templates pin, by the provider's address. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** The part of provider.json that matters here. */
const Pins = z.looseObject({
  provider: z.looseObject({ source: z.string(), version: z.string() }).optional(),
  alsoRequired: z.record(z.string(), z.looseObject({ source: z.string(), version: z.string() })).default({}),
});

/** Provider address → pinned version; throws where two types pin two versions of one provider. */
export function pinnedVersions(templates: string): ReadonlyMap<string, string> {
  const pinned = new Map<string, string>();
  for (const type of readdirSync(templates)) {
    const file = join(templates, type, 'provider.json');
    if (!existsSync(file)) continue;
    const { provider, alsoRequired } = Pins.parse(JSON.parse(readFileSync(file, 'utf8')));
    for (const { source, version } of [...(provider ? [provider] : []), ...Object.values(alsoRequired)]) {
      const other = pinned.get(source);
      if (other && other !== version) throw new Error(`${file} pins ${source} ${version}, another type ${other}`);
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
