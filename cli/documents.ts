/** Reads manifest files (or standard input, `-`) into documents, with every fault of every file at once. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Fault } from '#domain/manifest/fault.ts';
import { parseDocuments } from '#domain/manifest/yaml/parse-documents.ts';
import { CliError, exitCodes } from './exit-codes.ts';
import { excerptOf, keepFile, type ShownFault } from './faults.ts';

/** Of a file, which may hold many documents; each request has one of them. */
const limits = { maxBytes: 6_000_000, maxTokens: 600_000 };

export interface FileDocument {
  readonly file: string;
  /** 0-based place in the file. */
  readonly index: number;
  readonly document: unknown;
}

export interface DocumentFaults {
  readonly file: string;
  readonly faults: readonly (Fault & ShownFault)[];
}

/** Throws `CliError` when a file cannot be read. */
export async function readDocuments(
  files: readonly string[],
): Promise<{ readonly documents: readonly FileDocument[]; readonly faults: readonly DocumentFaults[] }> {
  const documents: FileDocument[] = [];
  const faults: DocumentFaults[] = [];
  for (const file of files) {
    const source = await readSource(file);
    const parsed = parseDocuments(source, limits);
    for (const document of parsed.documents) keepFile(document, file);
    documents.push(...parsed.documents.map((document, index) => ({ file, index, document })));
    if (parsed.faults.length > 0) {
      const text = String(typeof source === 'string' ? source : Buffer.from(source));
      faults.push({ file, faults: parsed.faults.map((fault) => ({ ...fault, ...inFile(file, text, fault) })) });
    }
  }
  return { documents, faults };
}

function inFile(file: string, text: string, { line, column }: Fault): Partial<ShownFault> {
  return line === undefined ? {} : { file, excerpt: excerptOf(text, { line, column: column ?? 1 }) };
}

async function readSource(file: string): Promise<Uint8Array | string> {
  if (file === '-') return text(process.stdin);
  return readFile(file).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(`cannot read ${file}: ${why}`, exitCodes.usage, { cause });
  });
}
