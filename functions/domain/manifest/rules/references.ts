/** Rules that every list of names shares: no name twice, and every reference exists. */
import { nearest } from '#domain/nearest.ts';
import { error, type Fault, pathText } from '../faults/fault.ts';
import { shown } from '../schema/names.ts';
import type { AtPath, Path } from './manifest-index.ts';

/**
 * One fault for every thing that has the name of an earlier one. `what` is the word for one of them. With `form`,
 * names of one form are one name.
 */
export function* uniqueNames(
  what: string,
  things: readonly AtPath<{ readonly name?: string | undefined }>[],
  form: (name: string) => string = (name) => name,
): Iterable<Fault> {
  const first = new Map<string, { readonly name: string; readonly path: Path }>();
  for (const { thing, path } of things) {
    const { name } = thing;
    if (name === undefined) continue;
    const before = first.get(form(name));
    if (before === undefined) first.set(form(name), { name, path });
    else {
      const reason =
        before.name === name
          ? `the name ${shown(name)} is taken by ${pathText(before.path)}`
          : `${shown(name)} and ${shown(before.name)} (${pathText(before.path)}) both become ${shown(form(name))} in names of machines`;
      yield error([...path, 'name'], reason, `give the ${what} another name`);
    }
  }
}

/** One fault for every text that is in a list more than once. */
export function* noDuplicates(what: string, names: readonly string[], path: Path): Iterable<Fault> {
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    const isTwin = seen.has(name);
    seen.add(name);
    if (name !== '' && isTwin) {
      yield error([...path, index], `${what} ${shown(name)} is listed twice`, 'remove one of the two');
    }
  }
}

/** The fault of a name that refers to nothing. */
export function unknownName(path: Path, what: string, name: string, known: readonly string[]): Fault {
  const near = nearest(name, known);
  const choice = known.length > 1 ? `use one of ${known.slice(0, 12).join(', ')}` : `use ${known[0]}`;
  return error(
    path,
    `there is no ${what} ${shown(name)}`,
    near !== undefined ? `did you mean ${shown(near)}?` : known.length === 0 ? 'add it' : `${choice}, or add it`,
  );
}
