/** The manifests of `inputs/`: sets of manifests that are applied one after another, each named. */
import { readdirSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { InputManifest } from '#domain/manifest/input-manifest.ts';

export interface ManifestSequence {
  readonly name: string;
  readonly steps: readonly InputManifest[];
}

const inputs = new URL('../../../shared/inputs/', import.meta.url);

/** Reads them all. Machines of the user's own get addresses of documentation, other ones in each step. */
export function inputSequences(): readonly ManifestSequence[] {
  const sets = readdirSync(new URL('claudie-e2e/', inputs)).toSorted();
  const seeds = readdirSync(new URL('seeds/', inputs)).toSorted();
  return [
    ...sets.map((set) => {
      const files = readdirSync(new URL(`claudie-e2e/${set}/`, inputs)).toSorted((left, right) =>
        left.localeCompare(right, 'en', { numeric: true }),
      );
      return { name: set, steps: files.flatMap((file) => manifestsIn(`claudie-e2e/${set}/${file}`)) };
    }),
    ...seeds.map((file) => ({ name: file.replace(/\.yaml$/, ''), steps: manifestsIn(`seeds/${file}`) })),
  ];
}

function manifestsIn(file: string): readonly InputManifest[] {
  let machine = 0;
  // The seeds were written for a version that nobody can build any more.
  const written = readFileSync(new URL(file, inputs), 'utf8').replaceAll('v1.26.0', 'v1.36.0');
  const text = written.replaceAll('replace-me', () => `203.0.113.${++machine}`);
  const documents = parseAllDocuments(text).flatMap((document) =>
    document.contents ? [document.toJS() as { readonly kind?: string }] : [],
  );
  return documents.filter(({ kind }) => kind === 'InputManifest').map((document) => InputManifest.parse(document));
}
