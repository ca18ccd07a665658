/** How long leases are good for, and when the scheduler looks after what should have begun. */
import type { LeaseTerm } from '../ports.ts';

/** From `now` for so many seconds; half-way the scheduler prolongs the lease of a run that is alive. */
export function leaseTerm(now: Date, seconds: number): LeaseTerm {
  const after = (share: number): string => new Date(now.getTime() + seconds * 1000 * share).toISOString();
  return { now: now.toISOString(), dueAt: after(0.5), expiresAt: after(1) };
}
