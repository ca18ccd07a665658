/** When something that waits for a person is reported again: a day after it was first seen, then every week. */
import { z } from 'zod';

const dayMs = 86_400_000;

/** By what waits, ISO 8601: since when, and when it was last reported. */
const Waiting = z.record(z.string(), z.strictObject({ since: z.string(), remindedAt: z.string().optional() }));

export const Reminders = z.strictObject({
  schema: z.literal(1),
  /** When all of it was last compared. */
  at: z.string(),
  waiting: Waiting,
});
export type Reminders = z.infer<typeof Reminders>;

/** What a key of `waiting` begins with, before its first slash. */
const waitingKinds = ['plan', 'rollOut', 'behind'] as const;
export type WaitingKind = (typeof waitingKinds)[number];

/** How many of each kind waited at the last look, and since when the first of them. */
export function waitingNow({
  waiting,
}: Pick<Reminders, 'waiting'>): ReadonlyMap<WaitingKind, { readonly number: number; readonly since?: string }> {
  const entries = Object.entries(waiting);
  return new Map(
    waitingKinds.map((kind) => {
      const times = entries.flatMap(([key, { since }]) => (key.startsWith(`${kind}/`) ? [since] : []));
      const [since] = times.toSorted();
      return [kind, { number: times.length, ...(since !== undefined && { since }) }];
    }),
  );
}

/** Whether it is time to compare all of it. */
export function isLookDue(before: Reminders | undefined, now: Date): boolean {
  return before === undefined || now.getTime() - Date.parse(before.at) >= dayMs;
}

/**
 * `found`: what waits now, and since when, where that is known; else since it was first found. What waits no longer is forgotten. Returns what to
 * report.
 */
export function remind(
  before: Reminders | undefined,
  found: ReadonlyMap<string, string | undefined>,
  now: Date,
): { readonly due: readonly string[]; readonly next: Reminders } {
  const at = now.toISOString();
  const entries = [...found].map(([key, known]) => {
    const { since = known ?? at, remindedAt } = before?.waiting[key] ?? {};
    const due =
      remindedAt === undefined
        ? now.getTime() - Date.parse(since) >= dayMs
        : now.getTime() - Date.parse(remindedAt) >= 7 * dayMs;
    const last = due ? at : remindedAt;
    return { key, due, entry: { since, ...(last !== undefined && { remindedAt: last }) } };
  });
  return {
    due: entries.filter(({ due }) => due).map(({ key }) => key),
    next: { schema: 1, at, waiting: Object.fromEntries(entries.map(({ key, entry }) => [key, entry])) },
  };
}
