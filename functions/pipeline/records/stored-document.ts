/** The manifest in a record: parsed once for each document, however many ask. */
import type { ManifestRecord } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import { manifestOfDocument, type ReadManifest } from '#domain/manifest/groups/manifest-of-document.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';

type Stored = Pick<ManifestRecord, 'document'>;

const parsed = new WeakMap<object, ReadManifest>();

/** Throws `Unreadable` when an older version accepted what this one does not. */
export function manifestOf(record: Stored & Pick<ManifestRecord, 'namespace' | 'name'>): InputManifest {
  const found = parsedOf(record);
  if ('manifest' in found) return found.manifest;
  const what = `the document of manifest "${record.namespace}/${record.name}"`;
  throw new PipelineError('Unreadable', `${what} is no longer accepted: ${found.reason}; apply its document again`);
}

/** The same; undefined when it cannot be read. */
export function readableManifest(record: Stored): InputManifest | undefined {
  const found = parsedOf(record);
  return 'manifest' in found ? found.manifest : undefined;
}

function parsedOf({ document }: Stored): ReadManifest {
  const known = typeof document === 'object' && document !== null ? parsed.get(document) : undefined;
  const found = known ?? manifestOfDocument(document);
  if (typeof document === 'object' && document !== null) parsed.set(document, found);
  // Parsing it again would change nothing.
  if ('manifest' in found) parsed.set(found.manifest, found);
  return found;
}
