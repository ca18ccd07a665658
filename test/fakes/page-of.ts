/** Pages of a list in memory: the cursor is the number of items before it. */
import { PipelineError } from '#domain/errors.ts';
import type { Page } from '#functions/page.ts';

export function pageOf<Item>(items: readonly Item[], limit: number, next?: string): Page<Item> {
  const from = cursorOf(next);
  const end = from + limit;
  return {
    items: structuredClone(items.slice(from, end)),
    ...(end < items.length && { next: String(end) }),
  };
}

/** Throws `InvalidInput` for anything that is no cursor. */
export function cursorOf(next: string | undefined): number {
  if (next === undefined) return 0;
  if (/^\d+$/.test(next)) return Number(next);
  throw new PipelineError('InvalidInput', '`next` is not a cursor of this listing');
}
