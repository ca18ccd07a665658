/** Reads YAML or JSON with any number of documents into plain values; what cannot be read is a fault with its place. */
import { Composer, type CST, type Document, LineCounter, type ParsedNode } from 'yaml';
import type { Fault } from '#domain/manifest/faults/fault.ts';
import { fromKadende, kadendePath } from '#domain/manifest/groups/kadende-document.ts';
import { boundedTokens } from './bounded-tokens.ts';
import { offsetOf, structureFaults } from './document-structure.ts';
import { type ListItem, listItems, pathOfItem } from './list-items.ts';
import { TextFault } from './text-fault.ts';
import { keepPlaces, type TextPlace } from './text-places.ts';

export interface Limits {
  readonly maxBytes?: number;
  readonly maxDocuments?: number;
  /** Lists and maps inside of each other. */
  readonly maxDepth?: number;
  /** How often an anchor may be used, counting those inside of others. */
  readonly maxAliases?: number;
  /** Keys, values and marks of all documents together. */
  readonly maxTokens?: number;
}

export interface ReadDocuments {
  /**
   * The documents that could be read; those with faults and empty ones are left out, those of a `kind: List` are there
   * in its place. `placeOf` knows where they are.
   */
  readonly documents: readonly unknown[];
  readonly faults: readonly Fault[];
}

/** A hundred clusters of fifty pools have some 80,000 tokens. */
const usual = {
  maxBytes: 1_000_000,
  maxDocuments: 200,
  maxDepth: 40,
  maxAliases: 1000,
  maxTokens: 100_000,
} satisfies Limits;
/** With its aliases written out, a document may be this many times larger than `maxBytes`. */
const maxGrowth = 4;

type Bounds = Required<Limits>;
type Parsed = Document.Parsed<ParsedNode> | TextFault;

/** Never throws. The time it takes grows with the size of the text only, whatever is in it. */
export function parseDocuments(source: string | Uint8Array, limits: Limits = {}): ReadDocuments {
  const bounds = { ...usual, ...limits };
  const size = typeof source === 'string' ? new TextEncoder().encode(source).length : source.byteLength;
  if (size > bounds.maxBytes) {
    return failed(`the text has ${size} bytes, at most ${bounds.maxBytes} are accepted`, 'split it into several files');
  }
  const text = typeof source === 'string' ? source : decoded(source);
  if (text === undefined) return failed('the text is not UTF-8', 'save the file as UTF-8');
  const counter = new LineCounter();
  const parsed = composed(text, counter, bounds);
  const filled = parsed.filter((document) => document instanceof TextFault || hasContent(document));
  if (filled.length === 0) return failed('there is no document', 'write at least one, with apiVersion and kind');
  if (filled.length > bounds.maxDocuments) return tooMany(bounds);
  const read = filled.map((document) => ({ document, ...readDocument(document, bounds) }));
  const good = read.flatMap(({ document, items }) =>
    document instanceof TextFault ? [] : items.map((item) => ({ document, item })),
  );
  if (good.length > bounds.maxDocuments) return tooMany(bounds);
  for (const { document, item } of good) {
    keepPlaces(item.value, (path) => placeAt(counter, offsetOf(document, pathOfItem(item, path))));
  }
  return {
    documents: good.map(({ item }) => item.value),
    faults: read.flatMap(({ faults }) => faults.map((fault) => faultAt(fault, counter))),
  };
}

function tooMany({ maxDocuments }: Bounds): ReadDocuments {
  return failed(`there are more documents than the ${maxDocuments} that are accepted`, 'split the file');
}

/** One document after the other; in place of one with a mistake, the first thing that is wrong with it. */
function composed(text: string, counter: LineCounter, bounds: Bounds): readonly Parsed[] {
  const found: Parsed[] = [];
  const composer = stopsAtFirstError();
  let parts = 0;
  try {
    for (const token of boundedTokens(text, counter, bounds)) {
      if (token.type === 'document' || token.type === 'doc-end') parts += 1;
      // Between two documents there may be nothing but comments, and each may have a mark for its end.
      if (parts > 4 * bounds.maxDocuments || found.length > bounds.maxDocuments) return found;
      found.push(...composer.add(token));
    }
    found.push(...composer.end());
  } catch (cause) {
    found.push(...composer.end(), asTextFault(cause));
  }
  return found;
}

/** The library reports an error for every mistake, however many there are; only the first one is useful. */
function stopsAtFirstError(): {
  readonly add: (token: CST.Token) => readonly Parsed[];
  readonly end: () => readonly Parsed[];
} {
  let first: TextFault | undefined;
  const composer = new Composer<ParsedNode>({
    /** Ours is linear, the library's is not. */
    uniqueKeys: false,
    schema: 'core',
    resolveKnownTags: false,
    merge: true,
    logLevel: 'silent',
  });
  const onError = (source: number | readonly number[] | { readonly offset: number }, _: string, message: string) => {
    const offset = typeof source === 'number' ? source : 'offset' in source ? source.offset : source[0];
    // The library catches errors that are thrown inside of a list or map, and reports them for the whole list or map.
    first ??= TextFault.syntax(message, offset);
    throw first;
  };
  const next = (documents: Iterable<Document.Parsed<ParsedNode>>): readonly Parsed[] => {
    first = undefined;
    try {
      return [...documents].map((document) => faultOf(document) ?? document);
    } catch (cause) {
      return [asTextFault(cause)];
    }
  };
  Object.assign(composer, { onError });
  return {
    add: (token) => next(composer.next(token)),
    end: () => next(composer.end()),
  };
}

function faultOf({ errors, warnings }: Document): TextFault | undefined {
  const [first] = [...errors, ...warnings];
  return first && TextFault.syntax(first.message, first.pos[0]);
}

function asTextFault(cause: unknown): TextFault {
  if (cause instanceof TextFault) return cause;
  return TextFault.syntax(cause instanceof Error ? cause.message : String(cause), undefined);
}

/** The documents of one document of the text: itself, or the items of a List. */
function readDocument(
  document: Parsed,
  bounds: Bounds,
): { readonly items: readonly ListItem[]; readonly faults: readonly TextFault[] } {
  const refuse = (...faults: TextFault[]) => ({ items: [], faults });
  if (document instanceof TextFault) return refuse(document);
  const found = structureFaults(document, bounds.maxDepth);
  if (found.length > 0) return refuse(...found);
  try {
    const value: unknown = document.toJS({ maxAliasCount: bounds.maxAliases });
    if (isLargerThan(value, bounds.maxBytes * maxGrowth)) return refuse(bomb());
    const { items, fault } = listItems(value);
    if (fault) return refuse(new TextFault({ ...fault, offset: offsetOf(document, fault.path) }));
    return { items: items.map(ofThisKind), faults: [] };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    return refuse(message.startsWith('Excessive alias count') ? bomb() : asTextFault(cause));
  }
}

/** A document without a kind that is known by its fields, in the form of its kind. */
function ofThisKind(item: ListItem): ListItem {
  const groups = fromKadende(item.value);
  return groups === undefined ? item : { ...item, value: groups, written: kadendePath };
}

function bomb(): TextFault {
  return new TextFault({
    reason: 'the aliases of this document make it far larger than its text',
    fix: 'write the values out instead of using aliases',
  });
}

function faultAt({ reason, fix, offset }: TextFault, counter: LineCounter): Fault {
  const fault = { path: '', reason, fix, severity: 'error' } as const;
  return offset === undefined ? fault : { ...fault, ...placeAt(counter, offset) };
}

function placeAt(counter: LineCounter, offset: number): TextPlace {
  const { line, col } = counter.linePos(offset);
  return { line, column: col };
}

function failed(reason: string, fix: string): ReadDocuments {
  return { documents: [], faults: [{ path: '', reason, fix, severity: 'error' }] };
}

/** Undefined for what is not UTF-8. */
export function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** False for what is between two `---` when there are only comments. */
function hasContent({ contents }: Document): boolean {
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
