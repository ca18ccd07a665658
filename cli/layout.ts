/** Text that fits: wrapped or clipped at the width of the terminal, aligned in columns. Counts what is seen, not escape codes. */
import { stripVTControlCharacters } from 'node:util';

/** Columns of the terminal; without one nothing is wrapped, so that what is piped stays one thing a line. */
export function terminalWidth(): number {
  return process.stdout.isTTY ? Math.max(40, process.stdout.columns || 80) : Number.POSITIVE_INFINITY;
}

/** What tools and services said, without what would move the cursor, ring, or give the terminal orders; colours stay. */
export const harmless = (text: string): string =>
  text.replace(colourOrControl, (part) => (part.length > 1 || part === '\n' || part === '\t' ? part : ''));

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
      lines.push(line);
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

/** Rows under a heading, columns as wide as needed, two spaces between. Where that is too wide, the last column wraps. */
export function table(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  width: number = terminalWidth(),
): string[] {
  const last = heading.length - 1;
  const widths = heading.map((title, column) =>
    Math.max(visible(title), ...rows.map((row) => visible(row[column] ?? ''))),
  );
  const before = widths.slice(0, last).reduce((sum, each) => sum + each + 2, 0);
  return [heading, ...rows].flatMap((row) => {
    const cells = heading.map((_, column) => row[column] ?? '');
    const front = cells.slice(0, last).map((cell, column) => padded(cell, widths[column] ?? 0));
    const back = wrap(cells[last] ?? '', 0, Math.max(16, width - before));
    return back.map((text, place) => `${place === 0 ? front.join('') : ' '.repeat(before)}${text}`.trimEnd());
  });
}

const padded = (cell: string, width: number): string => `${cell}${' '.repeat(Math.max(0, width - visible(cell)) + 2)}`;

/** `a, b, c and 7 more`. */
export function listed(items: readonly string[], most = 3): string {
  if (items.length <= most + 1) return items.join(', ');
  return `${items.slice(0, most).join(', ')} and ${items.length - most} more`;
}

/** `1 node`, `2 nodes`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
