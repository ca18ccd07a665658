/** Text that fits: wrapped or clipped at the width of the terminal, aligned in columns. Counts what is seen, not escape codes. */
import { stripVTControlCharacters } from 'node:util';

/** Columns of the terminal; without one nothing is wrapped, so that what is piped stays one thing a line. */
export function terminalWidth(): number {
  return process.stdout.isTTY ? Math.max(40, process.stdout.columns || 80) : Number.POSITIVE_INFINITY;
}

/** Output of tools and services without characters that move the cursor, ring the bell or control the terminal; colours stay. Those that reorder or hide letters are shown as `\\u202e`. */
export const harmless = (text: string): string =>
  text
    .replace(colourOrControl, (part) => (part.length > 1 || part === '\n' || part === '\t' ? part : ''))
    .replace(reordering, (part) => `\\u${part.codePointAt(0)?.toString(16).padStart(4, '0')}`);

const reordering = /[\p{Cf}\p{Cs}\u2028\u2029]/gu;

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with this very character
const colourOrControl = /\u001b\[[0-9;]*m|\p{Cc}/gu;

/** Letters that are seen. */
export const visible = (text: string): number => stripVTControlCharacters(text).length;

/** Breaks `text` at spaces so that no line is wider than `width`; lines after the first begin with `indent` spaces. */
export function wrap(text: string, indent = 0, width: number = terminalWidth()): string[] {
  return text.split('\n').flatMap((line, place) => wrapLine(line, place === 0 ? 0 : indent, indent, width));
}

function wrapLine(text: string, first: number, indent: number, width: number): string[] {
  const margin = (spaces: number): string => ' '.repeat(spaces);
  if (first + visible(text) <= width) return [margin(first) + text];
  const lines: string[] = [];
  let line = margin(first) + (/^ */.exec(text)?.[0] ?? '');
  let empty = true;
  for (const word of text.trimStart().split(' ')) {
    if (!empty && visible(line) + 1 + visible(word) > width) {
      lines.push(line.trimEnd());
      line = margin(indent);
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line];
}

/** `text` cut to `width` letters, with `…` for what is gone. */
export function clip(text: string, width: number): string {
  if (visible(text) <= width) return text;
  let room = width - 1;
  const kept = text.replace(escapeOrLetter, (part) => {
    if (part.length > 1 && part.startsWith('\u001b')) return part;
    room -= 1;
    return room >= 0 ? part : '';
  });
  return `${kept}…`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with this very character
const escapeOrLetter = /\u001b\[[0-9;]*m|./gsu;

export interface TableOptions {
  /** @default the terminal's */
  readonly width?: number | undefined;
  /** Titles of columns that are left out where the terminal is narrow, the first one first. */
  readonly drop?: readonly string[];
}

/**
 * Rows under a heading, columns as wide as needed, two spaces between. Where that is too wide, columns are left out and
 * the last one wraps. Where even that is too wide, each row becomes a block with a line for each value, none left out.
 */
export function table(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  { width = terminalWidth(), drop = [] }: TableOptions = {},
): string[] {
  return narrowed(heading, rows, { width, drop }) ?? blocks(heading, rows, width);
}

/** Undefined when the columns that may not be left out are too wide. */
function narrowed(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  { width, drop: [first, ...drop] }: { readonly width: number; readonly drop: readonly string[] },
): string[] | undefined {
  const widths = heading.map((title, column) => widest([title, ...rows.map((row) => row[column] ?? '')]));
  const before = widths.slice(0, -1).reduce((sum, each) => sum + each + 2, 0);
  if (before + leastOfLast(heading, rows) <= width) return aligned(heading, rows, { widths, before, width });
  if (first === undefined) return undefined;
  const place = heading.findIndex((title) => stripVTControlCharacters(title) === first);
  const without = (row: readonly string[]): string[] => row.filter((_, column) => column !== place);
  return narrowed(without(heading), rows.map(without), { width, drop });
}

/** What the last column needs: all of it, or room for a few words. */
function leastOfLast(heading: readonly string[], rows: readonly (readonly string[])[]): number {
  const cells = [heading, ...rows].map((row) => row[heading.length - 1] ?? '');
  return Math.min(widest(cells), Math.max(20, widest(cells.flatMap((cell) => cell.split(' ')))));
}

function aligned(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  { widths, before, width }: { readonly widths: readonly number[]; readonly before: number; readonly width: number },
): string[] {
  const last = heading.length - 1;
  return [heading, ...rows].flatMap((row) => {
    const front = row.slice(0, last).map((cell, column) => padded(cell, widths[column] ?? 0));
    const back = wrap(row[last] ?? '', 0, width - before);
    return back.map((text, place) => `${place === 0 ? front.join('') : ' '.repeat(before)}${text}`.trimEnd());
  });
}

function blocks(heading: readonly string[], rows: readonly (readonly string[])[], width: number): string[] {
  const [title = '', ...titles] = heading.map((each) => each.toLowerCase());
  const indent = widest(titles) + 4;
  return rows.flatMap(([first = '', ...values]) => [
    ...wrap(`${title} ${first}`, 2, width),
    ...values.flatMap((value, column) => wrap(`  ${padded(titles[column] ?? '', indent - 4)}${value}`, indent, width)),
  ]);
}

const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map(visible));

const padded = (cell: string, width: number): string => `${cell}${' '.repeat(Math.max(0, width - visible(cell)) + 2)}`;

/** `a, b, c and 7 more`. */
export function shortList(items: readonly string[], most = 3): string {
  if (items.length <= most + 1) return items.join(', ');
  return `${items.slice(0, most).join(', ')} and ${items.length - most} more`;
}
