/** The word that was meant: for "did you mean …?". */

/** Comparing words is slow: among more than this many, a guess helps no one. */
const maxCandidates = 200;

/** The known word that was most likely meant by `word`; undefined when none is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > 100) return undefined;
  const wanted = word.toLowerCase();
  let closest: { readonly name: string; readonly lower: string } | undefined;
  // What is farther away is not meant, however long it is.
  let distance = Math.max(2, Math.ceil(word.length / 3)) + 1;
  for (const [lower, name] of new Map(known.slice(0, maxCandidates).map((name) => [name.toLowerCase(), name]))) {
    if (Math.abs(lower.length - wanted.length) >= distance) continue;
    const found = editDistance(wanted, lower, distance);
    if (found === undefined) continue;
    distance = found;
    closest = { name, lower };
  }
  if (closest === undefined) return undefined;
  const limit = Math.ceil(Math.min(word.length, closest.lower.length) / 3);
  const isSwapped = sortedLetters(wanted) === sortedLetters(closest.lower);
  return distance <= (isSwapped ? 2 : limit) ? closest.name : undefined;
}

/** The end of a sentence about a word that is not known; empty without a guess. */
export const guessText = (meant: string | undefined): string => (meant === undefined ? '' : `; did you mean ${meant}?`);

/** Levenshtein's: how many letters have to be put in, left out or exchanged; undefined when it is not below a bound. */
function editDistance(from: string, to: string, below: number): number | undefined {
  const line = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    let diagonal = row - 1;
    let left = row;
    line[0] = row;
    let least = row;
    for (let column = 1; column <= to.length; column += 1) {
      const above = line[column] ?? 0;
      const exchanged = diagonal + (from[row - 1] === to[column - 1] ? 0 : 1);
      left = Math.min(exchanged, above + 1, left + 1);
      diagonal = above;
      line[column] = left;
      if (left < least) least = left;
    }
    if (least >= below) return undefined;
  }
  const distance = line[to.length] ?? from.length;
  return distance < below ? distance : undefined;
}

function sortedLetters(word: string): string {
  return [...word].sort().join('');
}
