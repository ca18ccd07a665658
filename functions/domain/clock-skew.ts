/** Whether the clock of a machine is wrong, by what it said while we watched. Pure. */
import { spanText } from './words.ts';

/** What it said at the start and at the end of a visit, in seconds since 1970. */
export interface ClockReading {
  readonly from: number;
  readonly to: number;
}

/** By our clock and in ms since 1970: a time before the visit started, and one after it ended. */
export interface Visit {
  readonly began: number;
  readonly heard: number;
}

/**
 * Seconds by which two clocks may differ. Tokens of service accounts are accepted one minute before they are valid, and one after their end;
 * certificates of kubeadm are valid five minutes before they are made. Those of others, and package lists, have no such allowance, but are
 * older than a minute when a new machine sees them.
 */
export const clockTolerance = 60;

/**
 * By how many seconds its clock is at least ahead (positive) or behind (negative); undefined when it may be right. How long a visit took
 * does not matter: only what no delay can explain counts.
 */
export function clockOff({ from, to }: ClockReading, { began, heard }: Visit): number | undefined {
  const ahead = to - heard / 1000;
  if (ahead > clockTolerance) return Math.round(ahead);
  const behind = from - began / 1000;
  // It may have been set meanwhile.
  const stillBehind = to - heard / 1000 < -clockTolerance;
  return behind < -clockTolerance && stillBehind ? Math.round(behind) : undefined;
}

/** "3 h 20 min ahead of ours", "2 min behind ours", "40 days behind ours" */
export function clockOffText(seconds: number): string {
  return `${spanText(Math.abs(seconds))} ${seconds > 0 ? 'ahead of' : 'behind'} ours`;
}
