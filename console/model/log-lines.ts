/** A log that grows, as lines. */

export interface LogLines {
  readonly lines: readonly string[];
  /** What follows the last line end. */
  readonly rest: string;
}

export const noLines: LogLines = { lines: [], rest: '' };

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of tools
const colours = /\u001b\[[0-9;?]*[A-Za-z]/g;

/** Tools write colours for terminals; here they would be noise. */
export function withText({ lines, rest }: LogLines, text: string): LogLines {
  const parts = `${rest}${text}`.replace(colours, '').split(/\r?\n/);
  const last = parts.pop() ?? '';
  return { lines: [...lines, ...parts], rest: last };
}

export interface Shown {
  readonly from: number;
  readonly to: number;
}

/** Which of `count` lines are drawn, where `top` px of them are scrolled away: those in view, and some around. */
export function shownLines(count: number, lineHeight: number, top: number, height: number, around = 30): Shown {
  const from = Math.max(0, Math.floor(top / lineHeight) - around);
  return { from: Math.min(from, count), to: Math.min(count, Math.ceil((top + height) / lineHeight) + around) };
}
