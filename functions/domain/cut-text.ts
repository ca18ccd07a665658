/** Errors quote what they are about, and what they are about may have a million characters: here, and only here, they are cut. */

/** Words of a text that is too long are cut to so many characters. */
const mostOfWord = 60;

/**
 * The text itself where it has at most `most` characters. Otherwise its long words are cut, and if that is not enough, its middle is left
 * out: it begins with what is wrong, and ends with what to do.
 */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const words = text.split(' ').map((word) => (word.length > mostOfWord ? withoutMiddle(word, mostOfWord) : word));
  return withoutMiddle(words.join(' '), most);
}

function withoutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = Math.floor(most / 4);
  return `${text.slice(0, most - end - 1)}…${text.slice(-end)}`.toWellFormed();
}

/** Characters of the parts of a fault: a path may have a long key, the other parts a list of what is known. */
const mostOf = { path: 500, reason: 1000, fix: 1000 } as const;

/** A fault as it is reported. */
export function cutFault<
  Fault extends { readonly path: string; readonly reason: string; readonly fix?: string | undefined },
>(fault: Fault): Fault {
  const { path, reason, fix } = fault;
  return {
    ...fault,
    path: cutText(path, mostOf.path),
    reason: cutText(reason, mostOf.reason),
    ...(fix !== undefined && { fix: cutText(fix, mostOf.fix) }),
  };
}
