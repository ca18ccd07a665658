/** Reads manifest files (or standard input, `-`) into documents, with every fault of every file at once. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Fault } from '#domain/manifest/fault.ts';
import { parseDocuments } from '#domain/manifest/yaml/parse-documents.ts';
import { CliError, exitCodes } from './exit-codes.ts';

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
  readonly faults: readonly Fault[];
}

/** Throws `CliError` when a file cannot be read. */
export async function readDocuments(
  files: readonly string[],
): Promise<{ readonly documents: readonly FileDocument[]; readonly faults: readonly DocumentFaults[] }> {
  const documents: FileDocument[] = [];
  const faults: DocumentFaults[] = [];
  for (const file of files) {
    const bytes = await readSource(file);
    const parsed = parseDocuments(bytes, limits);
    documents.push(...parsed.documents.map((document, index) => ({ file, index, document })));
    if (parsed.faults.length > 0) faults.push({ file, faults: parsed.faults });
  }
  return { documents, faults };
}

async function readSource(file: string): Promise<Uint8Array | string> {
  if (file === '-') return text(process.stdin);
  return readFile(file).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(`cannot read ${file}: ${why}`, exitCodes.usage, { cause });
  });
}
