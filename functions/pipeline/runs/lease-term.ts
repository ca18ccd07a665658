/** How long leases are valid, and when the scheduler checks runs that should have started. */
import type { LeaseTerm } from '../../manifest-store.ts';

/** A run that ended without a report is found after this time. */
const checkAfterSeconds = 300;

/** From `now` for so many seconds; before half of it is over the scheduler checks, and prolongs that of a run that is alive. */
export function leaseTerm(now: Date, seconds: number): LeaseTerm {
  const after = (passed: number): string => new Date(now.getTime() + passed * 1000).toISOString();
  return { now: now.toISOString(), dueAt: after(Math.min(checkAfterSeconds, seconds / 2)), expiresAt: after(seconds) };
}
