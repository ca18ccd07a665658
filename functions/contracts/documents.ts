/** Reads YAML or JSON with any number of documents into plain values; what cannot be read is a fault with its place. */
import { type Document, LineCounter, parseAllDocuments } from 'yaml';
import type { Fault } from '#domain/manifest/fault.ts';
import { lineOf, structureFaults, type TextFault } from './document-structure.ts';

export interface Limits {
  readonly maxBytes?: number;
  readonly maxDocuments?: number;
  /** Lists and maps inside of each other. */
  readonly maxDepth?: number;
  /** How often an anchor may be used, counting those inside of others. */
  readonly maxAliases?: number;
}

export interface ReadDocuments {
  /** The documents that could be read; those with faults and empty ones are left out. */
  readonly documents: readonly unknown[];
  /** For each of them: the line of the text at which a path of it stands, or its nearest part that exists. */
  readonly lines: readonly ((path: string) => number)[];
  readonly faults: readonly Fault[];
}

const usual = { maxBytes: 1_000_000, maxDocuments: 200, maxDepth: 40, maxAliases: 1000 } satisfies Limits;
/** With its aliases written out, a document may be this many times larger than `maxBytes`. */
const maxGrowth = 4;
/** After a slip of the pen most further errors only follow from it. */
const maxSyntaxFaults = 5;

/** Never throws. */
export function parseDocuments(source: string | Uint8Array, limits: Limits = {}): ReadDocuments {
  const bounds = { ...usual, ...limits };
  const size = typeof source === 'string' ? new TextEncoder().encode(source).length : source.byteLength;
  if (size > bounds.maxBytes) {
    return failed(`the text has ${size} bytes, at most ${bounds.maxBytes} are accepted`, 'split it into several files');
  }
  const text = typeof source === 'string' ? source : decoded(source);
  if (text === undefined) return failed('the text is not UTF-8', 'save the file as UTF-8');
  const counter = new LineCounter();
  const parsed = parseAllDocuments(text, {
    lineCounter: counter,
    prettyErrors: false,
    /** Ours is linear, the library's is not. */
    uniqueKeys: false,
    schema: 'core',
    resolveKnownTags: false,
    merge: true,
    logLevel: 'silent',
  });
  const filled = [...parsed].filter((document) => document.errors.length > 0 || hasContent(document));
  if (filled.length === 0) return failed('there is no document', 'write at least one, with apiVersion and kind');
  if (filled.length > bounds.maxDocuments) {
    return failed(
      `there are ${filled.length} documents, at most ${bounds.maxDocuments} are accepted`,
      'split the file',
    );
  }
  const read = filled.map((document) => ({ document, ...readDocument(document, bounds) }));
  const good = read.filter(({ faults }) => faults.length === 0);
  return {
    documents: good.map(({ value }) => value),
    lines: good.map(
      ({ document }) =>
        (path) =>
          lineOf(document, counter, path),
    ),
    faults: read.flatMap(({ faults }) => faults.map((fault) => placed(fault, counter))),
  };
}

function readDocument(document: Document, bounds: Required<Limits>): { value?: unknown; faults: TextFault[] } {
  const wrong = [...document.errors, ...document.warnings];
  if (wrong.length > 0) {
    return { faults: wrong.slice(0, maxSyntaxFaults).map(({ message, pos }) => syntaxFault(message, pos[0])) };
  }
  const faults = structureFaults(document, bounds.maxDepth);
  if (faults.length > 0) return { faults };
  try {
    const value: unknown = document.toJS({ maxAliasCount: bounds.maxAliases });
    if (isLargerThan(value, bounds.maxBytes * maxGrowth)) return { faults: [bomb] };
    return { value, faults };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    return { faults: [message.startsWith('Excessive alias count') ? bomb : syntaxFault(message, undefined)] };
  }
}

const bomb: TextFault = {
  reason: 'the aliases of this document make it far larger than its text',
  fix: 'write the values out instead of using aliases',
};

function syntaxFault(message: string, offset: number | undefined): TextFault {
  if (/call stack/.test(message)) {
    return { reason: 'lists and maps are nested too deeply here', fix: 'no document needs that: flatten it', offset };
  }
  const reason = message.charAt(0).toLowerCase() + message.slice(1).replace(/\s+/g, ' ').slice(0, 200);
  const fix = /tabs/i.test(message) ? 'indent with spaces' : 'mend the YAML at this place';
  return { reason, fix, offset };
}

function placed({ reason, fix, offset }: TextFault, counter: LineCounter): Fault {
  const fault = { path: '', reason, fix, severity: 'error' } as const;
  if (offset === undefined) return fault;
  const { line, col } = counter.linePos(offset);
  return { ...fault, reason: `line ${line}, column ${col}: ${reason}`, line, column: col };
}

function failed(reason: string, fix: string): ReadDocuments {
  return { documents: [], lines: [], faults: [{ path: '', reason, fix, severity: 'error' }] };
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** False for what stands between two `---` when there are only comments. */
function hasContent(document: Document): boolean {
  const { contents } = document;
  return contents !== null && !('value' in contents && contents.value === null && !contents.tag);
}

/** True when the value, written out without sharing, has more than `limit` characters and nodes. */
function isLargerThan(value: unknown, limit: number): boolean {
  let size = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    size += typeof next === 'string' ? next.length + 1 : 1;
    if (size > limit) return true;
    if (typeof next !== 'object' || next === null) continue;
    for (const [key, inner] of Object.entries(next)) {
      size += key.length;
      open.push(inner);
    }
  }
  return false;
}
