/** Faults and warnings for people: file, line and column, list items by their names, and the lines of a YAML mistake. */
import { placed } from '#documents/text-places.ts';
import { isMap } from '#domain/json.ts';
import { acceptableWarnings, parsePath } from '#domain/manifest/faults/fault.ts';
import { terminalWidth, wrap } from './layout.ts';
import { paint } from './output.ts';

export interface ShownFault {
  readonly path: string;
  readonly reason: string;
  readonly fix?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** File that the line is in. */
  readonly file?: string | undefined;
  /** The path in words, e.g. `nodePools.dynamic "control".count`. */
  readonly place?: string | undefined;
  /** Lines of the file around the mistake. */
  readonly excerpt?: readonly string[] | undefined;
  /** Warnings only: the word by which it can be accepted. */
  readonly id?: string | undefined;
}

const files = new WeakMap<object, string>();

/** Remembers which file a document is from. */
export function keepFile(document: unknown, file: string): void {
  if (typeof document === 'object' && document !== null) files.set(document, file);
}

/** The faults with file, line and column of a document that was read from a file; those of any other stay as they are. */
export function located<Some extends ShownFault>(document: unknown, faults: readonly Some[]): (Some & ShownFault)[] {
  const file = typeof document === 'object' && document !== null ? files.get(document) : undefined;
  if (file === undefined) return [...faults];
  return placed(document, faults).map((fault) => ({ ...fault, file, place: placeInWords(document, fault.path) }));
}

/** One block each: where, what is wrong, what to do; after warnings, the annotation that accepts them. */
export function faultLines(
  faults: readonly ShownFault[],
  kind: 'fault' | 'warning',
  width: number = terminalWidth(),
): string[] {
  const mark = kind === 'fault' ? paint('red', 'fault') : paint('yellow', 'warning');
  const ids = acceptableWarnings.filter((id) => faults.some((fault) => fault.id === id));
  const accept =
    kind === 'warning' && ids.length > 0
      ? `  accept:  metadata.annotations: { kubeloom.dev/accept: "${ids.join(', ')}" }`
      : '';
  const blocks = faults.flatMap(({ path, reason, fix, line, column, file, place, excerpt, id }) => {
    const inFile = file !== undefined && line !== undefined ? `${file}:${line}:${column ?? 1}` : '';
    const where = [inFile, paint('bold', place || path || (inFile ? '' : '(document)'))].filter(Boolean).join('  ');
    return [
      ...wrap(`  ${mark}  ${where}${id ? paint('dim', `  [${id}]`) : ''}`, 11, width),
      ...wrap(`         ${reason}`, 9, width),
      ...(excerpt ?? []).map((text) => `         ${text}`),
      ...(fix ? wrap(`         ${paint('dim', '→')} ${fix}`, 11, width) : []),
    ];
  });
  return accept === '' ? blocks : [...blocks, ...wrap(accept, 11, width)];
}

/** `spec.nodePools.dynamic[0].count` → `nodePools.dynamic "control".count`, where the item has a name. */
function placeInWords(document: unknown, path: string): string {
  let at = document;
  const words = parsePath(path).map((part, index) => {
    at = Array.isArray(at) ? at[Number(part)] : isMap(at) ? at[String(part)] : undefined;
    if (typeof part === 'string') return index === 0 ? part : `.${part}`;
    const name = isMap(at) ? at.name : undefined;
    return typeof name === 'string' && name !== '' ? ` "${name.slice(0, 60)}"` : `[${part}]`;
  });
  return words.join('').replace(/^spec\./, '');
}

/**
 * Three lines of the file up to the mistake, and a `^` below it. None when the document may hold secrets: what is wrong
 * is seen in the file, while this may end up in the log of a pipeline.
 */
export function excerptOf(
  text: string,
  { line, column }: { readonly line: number; readonly column: number },
): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  const around = lines.slice(beginOfDocument(lines, line), endOfDocument(lines, line));
  if (around.some((one) => /kind["']?\s*:\s*["']?Secret|BEGIN [A-Z ]{0,40}PRIVATE KEY/.test(one))) return [];
  const first = Math.max(line - 2, 1);
  const width = String(line).length;
  const shown = lines.slice(first - 1, line).map((one, at) => `${String(first + at).padStart(width)} | ${clean(one)}`);
  return [...shown, `${' '.repeat(width)} | ${' '.repeat(Math.min(column, mostColumns) - 1)}^`];
}

const mostColumns = 100;

/** A tab takes one column, as the mark below counts it. */
function clean(line: string): string {
  return line.slice(0, mostColumns).replaceAll('\t', '→');
}

const mark = /^(---|\.\.\.)(\s|$)/;

function beginOfDocument(lines: readonly string[], line: number): number {
  return lines.slice(0, line - 1).findLastIndex((text) => mark.test(text)) + 1;
}

function endOfDocument(lines: readonly string[], line: number): number {
  const after = lines.findIndex((text, at) => at >= line && mark.test(text));
  return after < 0 ? lines.length : after;
}
