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
  /** False: a provider instance refers to it, and it is not stored. */
  readonly stored: boolean;
  readonly users: readonly Instance[];
}

const keyOf = ({ namespace, name }: Named): string => `${namespace}/${name}`;

/** By name; those that are missing first. */
export function secretRows(stored: readonly Named[], instances: readonly Instance[]): readonly SecretRow[] {
  const rows = new Map<string, SecretRow>(stored.map((one) => [keyOf(one), { ...one, stored: true, users: [] }]));
  for (const instance of instances)
    for (const wanted of instance.secrets) {
      const row = rows.get(keyOf(wanted)) ?? { ...wanted, stored: false, users: [] };
      rows.set(keyOf(wanted), { ...row, users: [...row.users, instance] });
    }
  return [...rows.values()].sort(
    (one, other) => Number(one.stored) - Number(other.stored) || (keyOf(one) < keyOf(other) ? -1 : 1),
  );
}

/** Those in which each word of the search occurs. */
export function found<Row>(rows: readonly Row[], search: string, textOf: (row: Row) => string): readonly Row[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => words.every((word) => textOf(row).toLowerCase().includes(word)));
}

/** All that are named anywhere, in order. */
export function namespacesOf(...lists: readonly (readonly Pick<Named, 'namespace'>[])[]): readonly string[] {
  return [...new Set(['default', ...lists.flat().map(({ namespace }) => namespace)])].sort();
}
