/** Runs work concurrently, with a limit; every item is tried, also when others fail. */

/**
 * Outcomes in the order of the items. Never throws. `keepsPlace`: an item with such a result still counts towards the limit; items
 * for which no place is left are not started, and have no outcome.
 */
export async function settleBounded<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
  keepsPlace: (result: Result) => boolean = () => false,
): Promise<readonly PromiseSettledResult<Result>[]> {
  const outcomes: PromiseSettledResult<Result>[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      const [outcome] = await Promise.allSettled([work(item)]);
      outcomes[index] = outcome;
      if (outcome.status === 'fulfilled' && keepsPlace(outcome.value)) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return Object.values(outcomes);
}

/** The results; throws what the first failed item threw. */
export function unwrap<Result>(outcomes: readonly PromiseSettledResult<Result>[]): readonly Result[] {
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}
