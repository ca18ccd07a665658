/** The documents of the files of a repository: those that a GitSource may submit, and every fault with its file and line. */
import type { WireFault } from '#contracts/api-bodies.ts';
import type { SourceFault, SourceFiles } from '#contracts/git-sources.ts';
import { parseDocuments } from '#documents/parse-documents.ts';
import { withPlacesOf } from '#documents/text-places.ts';
import { wireFaults } from '#documents/wire-faults.ts';
import { cutLine, mostOfName } from '#domain/cut-text.ts';
import { documentName, kindOf } from '#domain/documents/validate-documents.ts';
import { isMap } from '#domain/json.ts';
import { error, type Fault } from '#domain/manifest/faults/fault.ts';
import { manifestKinds } from '#domain/manifest/schema/manifest-kinds.ts';

const kinds = [...manifestKinds, 'TemplateGitReference'] as const;
type SourceKind = (typeof kinds)[number];

export interface SourceDocument {
  readonly file: string;
  readonly kind: SourceKind;
  /** As it can be shown: one that cannot be a name is refused later, with all other faults of the document. */
  readonly name: string;
  /** In the namespace of the GitSource. */
  readonly document: unknown;
}

export interface ReadSource {
  /** Those of files without faults. */
  readonly documents: readonly SourceDocument[];
  readonly faults: readonly SourceFault[];
}

/** So many manifests of one commit: each is planned when it changes. */
const mostDocuments = 200;

export function sourceDocuments(
  { files = [], faults: unread = [] }: Pick<SourceFiles, 'files' | 'faults'>,
  { namespace, maxBytes }: { readonly namespace: string; readonly maxBytes: number },
): ReadSource {
  const faults: SourceFault[] = [...unread];
  const found: SourceDocument[] = [];
  const owners = new Map<string, string>();
  for (const { path: file, text } of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const parsed = parseDocuments(text, { maxBytes });
    faults.push(...inFile(file, wireFaults(parsed.faults)));
    for (const document of parsed.documents) {
      const kind = kinds.find((one) => one === kindOf(document));
      const name = cutLine(documentName(document).name, mostOfName);
      const key = `${kind === 'TemplateGitReference' ? kind : 'manifest'} ${name}`;
      const own = [...placeFaults(document, kind, namespace), ...twinFaults(owners.get(key), name)];
      faults.push(...inFile(file, wireFaults(own, document)));
      if (kind === undefined || name === '') continue;
      owners.set(key, owners.get(key) ?? file);
      found.push({ file, kind, name, document: inNamespace(document, namespace) });
    }
  }
  const faulty = new Set(faults.map(({ file }) => file));
  const documents = found.filter(({ file }) => !faulty.has(file));
  if (documents.length <= mostDocuments) return { documents, faults };
  const reason = `the commit has ${documents.length} documents, at most ${mostDocuments} are accepted`;
  return { documents: [], faults: [...faults, { file: '.', path: '', reason, fix: 'make several GitSources' }] };
}

export function inFile(file: string, faults: readonly WireFault[]): readonly SourceFault[] {
  return faults.map((fault) => ({ ...fault, file }));
}

function placeFaults(document: unknown, kind: SourceKind | undefined, namespace: string): readonly Fault[] {
  const metadata = isMap(document) && isMap(document.metadata) ? document.metadata : {};
  if (kind === undefined) {
    const kind = isMap(document) && typeof document.kind === 'string' ? `"${document.kind.slice(0, 60)}"` : 'missing';
    const fix = 'keep other files outside of its path, and store other kinds with `kubeloom apply`';
    return [error(['kind'], `is ${kind}, and a GitSource submits only ${kinds.join(', ')}`, fix)];
  }
  if (typeof metadata.name !== 'string' || metadata.name === '') {
    return [error(['metadata', 'name'], 'is missing', 'give the document a name')];
  }
  const given = metadata.namespace;
  if (given === undefined || given === null || given === namespace) return [];
  const place = typeof given === 'string' ? `"${given.slice(0, 63)}"` : 'not text';
  const reason = `is ${place}, and this GitSource submits only into its own namespace "${namespace}"`;
  return [error(['metadata', 'namespace'], reason, 'leave it out, or make a GitSource in that namespace')];
}

function twinFaults(owner: string | undefined, name: string): readonly Fault[] {
  if (owner === undefined || name === '') return [];
  return [error(['metadata', 'name'], `"${name}" is in ${owner} already`, 'remove or rename one of them')];
}

function inNamespace(document: unknown, namespace: string): unknown {
  if (!isMap(document) || !isMap(document.metadata)) return document;
  return withPlacesOf(document, { ...document, metadata: { ...document.metadata, namespace } });
}
