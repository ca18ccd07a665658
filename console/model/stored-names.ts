/** Secrets that are stored, and who refers to which: also to those that are not there. */

export interface Named {
  readonly namespace: string;
  readonly name: string;
}

export interface Instance extends Named {
  readonly manifest: string;
  readonly type: string;
  readonly secrets: readonly Named[];
  readonly templates: readonly Named[];
}

export interface SecretRow extends Named {
  /** Missing: a provider instance refers to it, and it is not stored. Unseen: whether it is stored is not shown to the caller. */
  readonly state: 'missing' | 'unseen' | 'stored';
  readonly users: readonly Instance[];
}

const keyOf = ({ namespace, name }: Named): string => `${namespace}/${name}`;

const order: readonly SecretRow['state'][] = ['missing', 'unseen', 'stored'];

/** By name; those that are missing first. `sees`: whether the caller may see a namespace. */
export function secretRows(
  stored: readonly Named[],
  instances: readonly Instance[],
  sees: (namespace: string) => boolean,
): readonly SecretRow[] {
  const rows = new Map<string, SecretRow>(stored.map((one) => [keyOf(one), { ...one, state: 'stored', users: [] }]));
  for (const instance of instances)
    for (const wanted of instance.secrets) {
      const state = sees(wanted.namespace) ? 'missing' : 'unseen';
      const row = rows.get(keyOf(wanted)) ?? { ...wanted, state, users: [] };
      rows.set(keyOf(wanted), { ...row, users: [...row.users, instance] });
    }
  return [...rows.values()].sort(
    (one, other) => order.indexOf(one.state) - order.indexOf(other.state) || (keyOf(one) < keyOf(other) ? -1 : 1),
  );
}

/** Those in which each word of the search occurs. */
export function found<Row>(rows: readonly Row[], search: string, textOf: (row: Row) => string): readonly Row[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => words.every((word) => textOf(row).toLowerCase().includes(word)));
}

/** All that are named anywhere, in order. */
export function namespacesOf(...lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(['default', ...lists.flat()])].sort();
}
