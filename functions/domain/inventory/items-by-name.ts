/** Items of a list that are merged by their `name`. */
import { isMap } from '../json.ts';

export interface NamedItems {
  readonly items: readonly {
    readonly name: string;
    readonly item: Readonly<Record<string, unknown>>;
    readonly removes: boolean;
  }[];
  readonly faults: readonly { readonly index: number; readonly reason: string; readonly fix: string }[];
}

/** The word in an item that removes what lower levels have under its name. */
export const removeWord = '$remove';

export function itemsByName(list: readonly unknown[]): NamedItems {
  const seen = new Set<string>();
  const items: NamedItems['items'][number][] = [];
  const faults: NamedItems['faults'][number][] = [];
  for (const [index, item] of list.entries()) {
    const name = isMap(item) ? item.name : undefined;
    if (!isMap(item) || typeof name !== 'string') {
      faults.push({
        index,
        reason: 'has no name, but the items of this list are merged by name',
        fix: 'give it a name',
      });
    } else if (seen.has(name)) {
      faults.push({
        index,
        reason: `the name "${name}" is in this list twice`,
        fix: 'remove or rename one of the two',
      });
    } else {
      seen.add(name);
      const removes = Object.hasOwn(item, removeWord);
      if (removes && (item[removeWord] !== true || Object.keys(item).length > 2)) {
        faults.push({
          index,
          reason: 'has `$remove` together with other fields',
          fix: `write { name: ${name}, ${removeWord}: true }`,
        });
      }
      items.push({ name, item, removes });
    }
  }
  return { items, faults };
}
