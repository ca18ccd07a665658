/** What follows from the attempt to send a message: bounded attempts with pauses that double. */
import type { DeliveryCause } from './delivery-causes.ts';

export type DeliveryOutcome =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly cause: DeliveryCause; readonly status?: number };

interface Delivery {
  readonly state: 'Waiting' | 'Delivering' | 'Retrying' | 'Refused' | 'Suspended';
  readonly lastSuccess?: string | undefined;
  readonly lastFailure?:
    | { readonly at: string; readonly cause: DeliveryCause; readonly status?: number | undefined }
    | undefined;
  readonly delivered: number;
  readonly dropped: number;
  readonly attempts: number;
}

interface AfterAttempt<Status> {
  readonly status: Status;
  /** Whether the message is done with: accepted, or given up. */
  readonly done: boolean;
  /** Before the next message, or the next attempt. */
  readonly pauseSeconds: number;
}

const mostAttempts = 6;
const firstPauseSeconds = 60;

/** For so long a message waits for a receiver. */
export const longestWaitMs = 24 * 3_600_000;

export function afterAttempt<Status extends Delivery>(before: Status, outcome: DeliveryOutcome, at: string) {
  if (outcome.accepted) {
    const { delivered } = before;
    const status = { ...before, state: 'Delivering' as const, lastSuccess: at, delivered: delivered + 1, attempts: 0 };
    return { status, done: true, pauseSeconds: 0 } satisfies AfterAttempt<Delivery>;
  }
  const { accepted: _, ...failure } = outcome;
  // The recipient may take a day: nothing was tried.
  const attempts = before.attempts + (outcome.cause === 'not-confirmed' ? 0 : 1);
  const failed = { ...before, state: 'Retrying' as const, lastFailure: { at, ...failure }, attempts };
  if (outcome.cause !== 'too-old' && attempts < mostAttempts)
    return { status: failed, done: false, pauseSeconds: firstPauseSeconds * 2 ** Math.max(0, attempts - 1) };
  const status = { ...failed, dropped: before.dropped + 1, attempts: 0 };
  return { status, done: true, pauseSeconds: outcome.cause === 'too-old' ? 0 : firstPauseSeconds };
}
