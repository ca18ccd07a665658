/** The only place of the CLI that writes: aligned columns, colour on terminals, JSON for programs. */
import { stripVTControlCharacters, styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** `text` in `style` where standard output is a terminal that wants colour, else as it is. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout, validateStream: true });
}

export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** For people beside the answer (standard error), so that pipes stay clean. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

const visible = (text: string): number => stripVTControlCharacters(text).length;

/** Rows under a heading, columns as wide as needed, two spaces between; cells may be painted. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...all.map((row) => visible(row[column] ?? ''))));
  const line = (row: readonly string[]): string =>
    heading
      .map((_, column) => {
        const cell = row[column] ?? '';
        return cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - visible(cell)));
      })
      .join('  ')
      .trimEnd();
  return [paint('dim', line(heading)), ...rows.map(line)].join('\n');
}

const statusStyles: Readonly<Record<string, Style>> = {
  Done: 'green',
  Converged: 'green',
  Ready: 'green',
  Succeeded: 'green',
  Failed: 'red',
  NeedsAttention: 'red',
  RolledBack: 'red',
  Aborted: 'red',
  Leftover: 'red',
  Running: 'cyan',
  Joining: 'cyan',
  RollingBack: 'yellow',
  BackingOff: 'yellow',
  Leaving: 'yellow',
  Deleting: 'yellow',
};

/** A status word in the colour people expect. */
export function paintStatus(status: string): string {
  const style = statusStyles[status];
  return style ? paint(style, status) : status;
}

/** `1.2 s`, `3 min 05 s`, `2 h 10 min`. */
export function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(Math.floor(seconds % 60)).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** How long ago `iso` was, as `12 s ago`. */
export function ago(iso: string, now: number = Date.now()): string {
  return `${duration(Math.max(0, now - Date.parse(iso)))} ago`;
}

/** Faults or warnings, one block each: where, what is wrong, what to do. */
export function faultLines(
  faults: readonly { readonly path: string; readonly reason: string; readonly fix?: string | undefined }[],
  kind: 'fault' | 'warning',
): string[] {
  const mark = kind === 'fault' ? paint('red', 'fault') : paint('yellow', 'warning');
  return faults.flatMap((fault) => [
    `  ${mark}  ${paint('bold', fault.path || '(document)')}`,
    `         ${fault.reason}`,
    ...(fault.fix ? [`         ${paint('dim', '→')} ${fault.fix}`] : []),
  ]);
}
