/** Errors quote what they are about, and that may be a million characters, or some that a terminal obeys: here they are cut and printed as text. */
import { printableText } from './observed/printable-text.ts';

/** Words of a text that is too long are cut to so many characters. */
const mostOfWord = 60;

/**
 * The text itself where it has at most `most` characters. Otherwise its long words are cut, and if that is not enough, its middle is left
 * out: it begins with what is wrong, and ends with what to do. Escaped characters count once.
 */
export function cutText(text: string, most: number): string {
  return printableText(cut(text, most), most);
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const words = text.split(' ').map((word) => (word.length > mostOfWord ? withoutMiddle(word, mostOfWord) : word));
  return withoutMiddle(words.join(' '), most);
}

function withoutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = Math.floor(most / 4);
  return `${text.slice(0, most - end - 1)}…${text.slice(-end)}`;
}

/** Characters of the parts of a fault: a path may have a long key, the other parts a list of what is known. */
const mostOf = { path: 500, reason: 1000, fix: 1000 } as const;

/** The same in one line, as names are. */
export const cutLine = (text: string, most: number): string => cutText(text, most).replaceAll('\n', '\\u000a');

/** Characters of a name that is shown; no name that Kubernetes takes is longer. */
export const mostOfName = 253;

/** A fault as it is reported: each part is one line. */
export function cutFault<
  Fault extends { readonly path: string; readonly reason: string; readonly fix?: string | undefined },
>(fault: Fault): Fault {
  const { path, reason, fix } = fault;
  return {
    ...fault,
    path: cutLine(path, mostOf.path),
    reason: cutLine(reason, mostOf.reason),
    ...(fix !== undefined && { fix: cutLine(fix, mostOf.fix) }),
  };
}
