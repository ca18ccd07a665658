/** What a place is called: in the title of the tab, and for who does not see the page. */

const names: Readonly<Record<string, string>> = { '': 'Fleet', attention: 'Needs you', new: 'New manifest' };

/** `shop (team) · Nodes`; a place that has no name of its own is called by its path. */
export function titleOf(path: readonly string[]): string {
  const [first = '', namespace, name, tab = 'run'] = path;
  if (first !== 'manifests' || namespace === undefined || name === undefined)
    return Object.hasOwn(names, first) ? (names[first] ?? '') : path.map(capital).join(' · ');
  return `${name} (${namespace}) · ${capital(tab)}`;
}

const capital = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

/** Pages are what one goes to; views of one manifest, and what is chosen in them, are the same page. */
export const pageOf = (path: readonly string[]): string =>
  JSON.stringify(path[0] === 'manifests' ? path.slice(0, 3) : path.slice(0, 1));
