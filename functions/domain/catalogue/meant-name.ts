/** The name of a long list that was meant. */
import { nearest } from '../nearest.ts';

/** What `nearest` compares at most. */
const most = 200;

/** Only those that begin and end most alike are compared: a cloud has a thousand server types. */
export function meantName(word: string, known: readonly string[]): string | undefined {
  const wanted = word.toLowerCase();
  const ranked = known.map((name) => ({ name, alike: alikeEnds(wanted, name.toLowerCase()) }));
  const closest = ranked.toSorted((one, other) => other.alike - one.alike).slice(0, most);
  return nearest(
    word,
    closest.map(({ name }) => name),
  );
}

/** How many letters two words have in common at their begins and ends. */
function alikeEnds(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let first = 0;
  while (first < most && one[first] === other[first]) first += 1;
  let last = 0;
  while (last < most - first && one.at(-1 - last) === other.at(-1 - last)) last += 1;
  return first + last;
}
