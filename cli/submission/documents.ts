/** Reads manifests (files, folders, https URLs, `-` for standard input) into documents, with every fault of every file at once. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseDocuments } from '#documents/parse-documents.ts';
import { documentName } from '#domain/documents/validate-documents.ts';
import type { Fault } from '#domain/manifest/faults/fault.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { excerptOf, faultLines, keepFile, type ShownFault } from '../print/faults.ts';
import { type FileDocument, type FileNamespace, placeIn } from './placed-in.ts';

/** A document of a file, which may hold many; each request carries one of them. */
const limits = { maxBytes: 6_000_000, maxTokens: 600_000 };

export interface DocumentFaults {
  readonly file: string;
  readonly faults: readonly (Fault & ShownFault)[];
}

/** For a folder, all files that may hold documents; `place` is for those that name no namespace. Throws `CliError` when something cannot be read. */
export async function readDocuments(
  files: readonly string[],
  place?: FileNamespace,
): Promise<{ readonly documents: readonly FileDocument[]; readonly faults: readonly DocumentFaults[] }> {
  const documents: FileDocument[] = [];
  const faults: DocumentFaults[] = [];
  for (const file of (await Promise.all(files.map(filesOf))).flat()) {
    const source = await readSource(file);
    const parsed = parseDocuments(source, limits);
    for (const document of parsed.documents) keepFile(document, file);
    documents.push(...parsed.documents.map((document, index) => ({ file, index, document })));
    if (parsed.faults.length > 0) {
      const text = String(typeof source === 'string' ? source : Buffer.from(source));
      faults.push({ file, faults: parsed.faults.map((fault) => ({ ...fault, ...inFile(file, text, fault) })) });
    }
  }
  if (place) placeIn(documents, place);
  return { documents, faults };
}

/** The documents of files that have no faults, as `readDocuments`. Throws `CliError` with all faults of all files. */
export async function readableDocuments(
  files: readonly string[],
  place?: FileNamespace,
): Promise<readonly FileDocument[]> {
  const { documents, faults } = await readDocuments(files, place);
  if (faults.length === 0) return documents;
  throw new CliError(unreadableLines(faults).join('\n'), exitCodes.invalid);
}

/** The documents of files, all of one namespace, for a request about that; without files: none, of the namespace that is given. */
export async function documentsOfNamespace(
  files: readonly string[] = [],
  { namespace, verb }: { readonly namespace: string; readonly verb: string },
): Promise<{ readonly documents: readonly unknown[]; readonly namespace: string }> {
  const documents = (await readableDocuments(files)).map(({ document }) => document);
  const namespaces = [...new Set(documents.map((document) => documentName(document).namespace))];
  if (namespaces.length <= 1) return { documents, namespace: namespaces[0] ?? namespace };
  const reason = `the documents are in namespaces ${namespaces.join(', ')}: ${verb} one at a time`;
  throw new CliError(reason, exitCodes.usage);
}

export function unreadableLines(faults: readonly DocumentFaults[]): readonly string[] {
  return faults.flatMap(({ file, faults: list }) => [file, ...faultLines(list, 'fault')]);
}

function inFile(file: string, text: string, { line, column }: Fault): Partial<ShownFault> {
  return line === undefined ? {} : { file, excerpt: excerptOf(text, { line, column: column ?? 1 }) };
}

/** The files of a folder, without those in its subfolders. */
async function filesOf(source: string): Promise<readonly string[]> {
  if (source === '-' || isUrl(source)) return [source];
  if (!(await isFolder(source))) return [source];
  const names = await readdir(source).catch((cause: unknown) => unreadable(source, cause));
  const found = names.filter((name) => /\.(ya?ml|json)$/.test(name)).toSorted();
  if (found.length > 0) return found.map((name) => join(source, name));
  throw new CliError(`${source} is a folder without .yaml, .yml or .json files`, exitCodes.usage);
}

export function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function readSource(source: string): Promise<Uint8Array | string> {
  if (source === '-') return text(process.stdin);
  if (isUrl(source)) return download(source);
  return readFile(source).catch((cause: unknown) => unreadable(source, cause));
}

const isUrl = (source: string): boolean => /^https?:\/\//.test(source);

async function download(url: string): Promise<Uint8Array> {
  if (!url.startsWith('https:'))
    throw new CliError(`cannot read ${url}: without TLS it could be changed in transit; use https`, exitCodes.usage);
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) }).catch((cause: unknown) =>
    unreadable(url, cause),
  );
  if (!response.ok) throw new CliError(`cannot read ${url}: it answers HTTP ${response.status}`, exitCodes.usage);
  if (response.headers.get('content-type')?.startsWith('text/html'))
    throw new CliError(`${url} is a web page: use the URL of the plain file`, exitCodes.usage);
  return new Uint8Array(await response.arrayBuffer().catch((cause: unknown) => unreadable(url, cause)));
}

function unreadable(source: string, cause: unknown): never {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const why = inner instanceof Error ? inner.message : String(inner);
  throw new CliError(`cannot read ${source}: ${why}`, exitCodes.usage, { cause });
}
