/** By the schedule, and when the bus has an event that someone may want: Notifications that are due send what is new. It makes no event. */
import { z } from 'zod';
import type { NotificationRecord } from '#contracts/notifications.ts';
import { taskHandler } from '../middleware.ts';
import { type SendingPorts, sendingUses } from '../pipeline/notifications/sending-uses.ts';

/** Notifications that work at once: receivers that hang keep the others waiting for ten seconds a message at most. */
const together = 20;
/** After this none is started: the next call continues. */
const longestMs = 150_000;

export const handler = taskHandler(z.unknown(), sendingUses, async (_event, deps) => {
  const now = deps.clock.now();
  const stored = await deps.notifications.list();
  const due = stored
    .filter(({ notBefore }) => notBefore <= now.toISOString())
    .toSorted((one, other) => (one.notBefore < other.notBefore ? -1 : 1));
  // Most installations have none, and load none of it.
  return { notifications: stored.length, ...(due.length > 0 && { steps: await sendDue(due, deps, now) }) };
});

/** Counts by step. A failure of one does not affect the others. */
async function sendDue(due: readonly NotificationRecord[], deps: SendingPorts, start: Date) {
  const { sendNotification } = await import('../pipeline/notifications/send-notification.ts');
  const steps: Record<string, number> = {};
  const faults: unknown[] = [];
  for (let from = 0; from < due.length; from += together) {
    if (deps.clock.now().getTime() - start.getTime() > longestMs) break;
    const some = due.slice(from, from + together);
    for (const outcome of await Promise.allSettled(some.map((one) => sendNotification(deps, one)))) {
      if (outcome.status === 'rejected') faults.push(outcome.reason);
      else steps[outcome.value] = (steps[outcome.value] ?? 0) + 1;
    }
  }
  if (faults.length > 0) throw faults[0];
  return steps;
}
