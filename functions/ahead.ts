/** Some of what arrives one after the other is worked on at once; the results have its order, and few are held at a time. */

const atOnce = 8;

export async function* aheadOf<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const started: Promise<Result>[] = [];
  for await (const item of items) {
    const result = work(item);
    // Its reader gets the error; without a reader, because an earlier one failed, it must not end the process.
    result.catch(() => undefined);
    started.push(result);
    if (started.length === atOnce) yield* started.splice(0, 1);
  }
  yield* started;
}
