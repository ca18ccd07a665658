/** The only place of the CLI that writes: lines, tables, colour on terminals, JSON for programs. */
import { styleText } from 'node:util';
import { harmless, type TableOptions, table, wrap } from './layout.ts';

type Style = Parameters<typeof styleText>[0];

/** `text` in `style` where standard output is a terminal that wants colour, else as it is. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout, validateStream: true });
}

export function print(line = ''): void {
  process.stdout.write(`${harmless(line)}\n`);
}

/** Prints the output of a tool, unchanged; on a terminal without harmful control characters. */
export function printRaw(text: string): void {
  process.stdout.write(process.stdout.isTTY ? harmless(text) : text);
}

/** Prints a sentence, wrapped at the width of the terminal; what follows the first line is indented. */
export function printWrapped(text: string, indent = 0): void {
  for (const line of wrap(text, indent)) print(line);
}

/** Prints rows under a heading. */
export function printTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  options?: TableOptions,
): void {
  for (const line of paintedTable(heading, rows, options)) print(line);
}

/** Rows under a heading that does not stand out. */
export function paintedTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  options?: TableOptions,
): string[] {
  const titles = heading.map((title) => paint('dim', title));
  return table(titles, rows, options);
}

/** Notes for people (standard error), so that pipes get only the answer. */
export function note(line: string): void {
  process.stderr.write(`${harmless(line)}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

const statusStyles: readonly (readonly [Style, readonly string[]])[] = [
  ['green', ['Done', 'Converged', 'Ready', 'Succeeded']],
  [
    'red',
    ['Failed', 'NeedsAttention', 'RolledBack', 'Aborted', 'Leftover', 'Unreachable', 'NotReady', 'Unhealthy', 'Gone'],
  ],
  ['yellow', ['Degraded', 'RollingBack', 'BackingOff', 'Leaving', 'Deleting', 'Proposed', 'paused']],
  ['cyan', ['Running', 'Planning', 'Checking', 'Joining']],
];

/** A status word in the usual colour. */
export function paintStatus(status: string): string {
  const [style] = statusStyles.find(([, statuses]) => statuses.includes(status)) ?? [];
  return style ? paint(style, status) : status;
}
