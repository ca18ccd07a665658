/** Rules that every list of names shares: no name twice, and what is referred to exists. */
import { closest, distance } from 'fastest-levenshtein';
import { error, type Fault, pathText } from '../fault.ts';
import { shown } from '../names.ts';
import type { Path, Placed } from './survey.ts';

/** One fault for every thing whose name another one before it has. `what` is the word for one of them. */
export function* uniqueNames(
  what: string,
  things: readonly Placed<{ readonly name?: string | undefined }>[],
): Iterable<Fault> {
  const first = new Map<string, Path>();
  for (const { thing, path } of things) {
    if (thing.name === undefined) continue;
    const before = first.get(thing.name);
    if (before === undefined) first.set(thing.name, path);
    else
      yield error(
        [...path, 'name'],
        `the name ${shown(thing.name)} is taken by ${pathText(before)}`,
        `give the ${what} another name`,
      );
  }
}

/** One fault for every text that stands in a list more than once. */
export function* noDuplicates(what: string, names: readonly string[], path: Path): Iterable<Fault> {
  for (const [index, name] of names.entries()) {
    if (name !== '' && names.indexOf(name) < index) {
      yield error([...path, index], `${what} ${shown(name)} is listed twice`, 'remove one of the two');
    }
  }
}

/** The fault of a name that refers to nothing. */
export function unknownName(path: Path, what: string, name: string, known: readonly string[]): Fault {
  const near = nearest(name, known);
  const names = known.length === 0 ? `there is no ${what}` : `use one of ${known.slice(0, 12).join(', ')}`;
  return error(
    path,
    `there is no ${what} ${shown(name)}`,
    near === undefined ? `${names}, or add it` : `did you mean ${shown(near)}?`,
  );
}

/** The known word that `word` is most likely a slip of; undefined when none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const lower = new Map(known.map((name) => [name.toLowerCase(), name]));
  const candidate = closest(word.toLowerCase(), [...lower.keys()]);
  const limit = Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3));
  return distanceWithin(word.toLowerCase(), candidate, limit) ? lower.get(candidate) : undefined;
}

function distanceWithin(left: string, right: string, limit: number): boolean {
  return Math.abs(left.length - right.length) <= limit && distance(left, right) <= limit;
}
