/** How long leases are good for, and when the scheduler looks after what should have begun. */
import type { LeaseTerm } from '../../ports.ts';

/** A run that is gone, and of which nobody told, is found after this time. */
const lookAfterSeconds = 300;

/** From `now` for so many seconds; before it is half over the scheduler looks, and prolongs that of a run that is alive. */
export function leaseTerm(now: Date, seconds: number): LeaseTerm {
  const after = (passed: number): string => new Date(now.getTime() + passed * 1000).toISOString();
  return { now: now.toISOString(), dueAt: after(Math.min(lookAfterSeconds, seconds / 2)), expiresAt: after(seconds) };
}
