/** Works on up to `atOnce` items of a sequence concurrently; results keep the order of the items. */

const atOnce = 8;

export async function* aheadOf<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const started: Promise<Result>[] = [];
  for await (const item of items) {
    const result = work(item);
    // The reader of this result gets the error. If nothing reads it, because an earlier item failed, it must not end the process.
    result.catch(() => undefined);
    started.push(result);
    if (started.length === atOnce) yield* started.splice(0, 1);
  }
  yield* started;
}
