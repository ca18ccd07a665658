/** Each with a key of its own: the same text twice has two. */
export function keyed<Item>(
  items: readonly Item[],
  textOf: (item: Item) => string,
): readonly (readonly [string, Item])[] {
  const seen = new Map<string, number>();
  return items.map((item) => {
    const text = textOf(item);
    const count = (seen.get(text) ?? 0) + 1;
    seen.set(text, count);
    return [count === 1 ? text : `${text} (${count})`, item] as const;
  });
}
