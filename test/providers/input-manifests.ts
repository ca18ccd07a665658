/** The manifests of the test sequences, each sequence with its name. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { azureFolder, filesIn, filesOfSequence, sequenceNames } from '#test/manifest/manifest-files.ts';

export interface ManifestSequence {
  readonly name: string;
  readonly steps: readonly InputManifest[];
}

/** Reads them all. The Azure manifests are sequences of one step. */
export function inputSequences(): readonly ManifestSequence[] {
  return [
    ...sequenceNames.map((name) => ({ name, steps: filesOfSequence(name).flatMap(manifestsIn) })),
    ...filesIn(azureFolder, '*.yaml').map((file) => ({
      name: `azure-${basename(file, '.yaml')}`,
      steps: manifestsIn(file),
    })),
  ];
}

function manifestsIn(file: string): readonly InputManifest[] {
  // The Azure manifests were written for a version that cannot be built any more.
  const text = readFileSync(file, 'utf8').replaceAll('v1.26.0', 'v1.36.0');
  const documents = parseAllDocuments(text).flatMap((document) =>
    document.contents ? [document.toJS() as { readonly kind?: string }] : [],
  );
  return documents.filter(({ kind }) => kind === 'InputManifest').map((document) => InputManifest.parse(document));
}
