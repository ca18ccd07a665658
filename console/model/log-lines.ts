/** A log that grows, as lines. */

export interface LogLines {
  readonly lines: readonly string[];
  /** What follows the last line end, as it was written. */
  readonly rest: string;
}

export const noLines: LogLines = { lines: [], rest: '' };

/** Terminal sequences: colours and moves of the cursor (CSI), titles and links (OSC), character sets. */
const sequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what tools write for terminals
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[()*+][0-9A-Za-z]|[=>78cDEHMNOZ])/g;
/** What is left of them when they are not complete, and what would change the order in which text is read. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: what tools write for terminals
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** A sequence that may continue in the next piece; longer ones are not sequences. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: what tools write for terminals
const openSequence = /\u001b(?:\[[0-?]*[ -/]*|\][^\u0007\u001b]{0,4000}\u001b?|[()*+])?$/;

/** Adds a piece; the same lines when it is empty. A line that was written over, as progress is, shows what was written last. */
export function withText(log: LogLines, text: string): LogLines {
  if (text === '') return log;
  const parts = `${log.rest}${text}`.split('\n');
  const rest = parts.pop() ?? '';
  return {
    lines: parts.length === 0 ? log.lines : [...log.lines, ...parts.map(shownLine)],
    rest: withoutOverwritten(rest),
  };
}

/** What a person reads of a line. */
function shownLine(line: string): string {
  const written = line.replace(sequences, '').split('\r');
  return (written.findLast((text) => text !== '') ?? '').replace(controls, '');
}

/** All of it, with the last line, which may still grow. */
export const allLines = ({ lines, rest }: LogLines): readonly string[] => {
  const last = shownLine(rest.replace(openSequence, ''));
  return last === '' ? lines : [...lines, last];
};

/** A line without an end does not grow with each step of its progress; a last `\r` may be half of a line end. */
function withoutOverwritten(rest: string): string {
  const end = rest.endsWith('\r') ? rest.length - 1 : rest.length;
  return rest.slice(rest.lastIndexOf('\r', end - 1) + 1);
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

/** Index of the next line in which the text occurs, in whatever case, from the one that was found before on, and round; undefined without any. */
export function nextMatch(
  lines: readonly string[],
  text: string,
  before: number | undefined,
  step: 1 | -1 = 1,
): number | undefined {
  const wanted = text.toLowerCase();
  if (wanted === '') return undefined;
  const start = before ?? (step === 1 ? -1 : lines.length);
  for (let count = 1; count <= lines.length; count += 1) {
    const index = (((start + step * count) % lines.length) + lines.length) % lines.length;
    if (lines[index]?.toLowerCase().includes(wanted)) return index;
  }
  return undefined;
}
