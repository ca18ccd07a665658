/** When something is due: the next check for drift, and the next try of a manifest that failed. */

/** When the next check is due: an interval on, and up to a tenth of it later, so that not all manifests come at once. */
export function nextCheckAt(now: Date, intervalMinutes: number, seed: string): string {
  return later(now, intervalMinutes * (1 + shareOf(seed) / 10));
}

/** When the first check of a manifest that was done long ago is due: some time within an interval, as many may be found at once. */
export function firstCheckAt(now: Date, intervalMinutes: number, seed: string): string {
  return later(now, intervalMinutes * shareOf(seed));
}

/** Pauses in hours before the automatic retries of a manifest that failed; all further ones are as long as the last. */
const retryPauses = [1, 2, 4, 8, 16, 24];

/** Automatic retries of one generation in a row: about four weeks. After them a person has to retry. */
export const mostRetries = 32;
/** The same while it uses templates that moved, and no person asked for that: after some 7 hours those that worked are used again. */
export const mostRetriesOfTemplates = 3;

/**
 * When a failed manifest is retried that was already retried `retriesBefore` times; undefined: never, a person has to retry.
 * Up to a tenth later than the pause, so that manifests that failed for one cause do not all return at the same moment.
 */
export function nextRetryAt(now: Date, retriesBefore: number, seed: string, most = mostRetries): string | undefined {
  if (retriesBefore >= most) return undefined;
  const hours = retryPauses[Math.min(retriesBefore, retryPauses.length - 1)] ?? 24;
  return later(now, hours * 60 * (1 + shareOf(seed) / 10));
}

/** The first of these times, ISO 8601; those that are absent do not count. Undefined: none is there. */
export function earliest(times: readonly (string | undefined)[]): string | undefined {
  return times.filter((at) => at !== undefined).sort()[0];
}

function later(now: Date, minutes: number): string {
  return new Date(now.getTime() + Math.round(minutes * 60_000)).toISOString();
}

/** From 0 to 1, always the same for a text, and far apart for texts that are alike. */
export function shareOf(seed: string): number {
  const hash = [...seed].reduce(
    (sum, letter) => Math.imul(sum ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0,
    0x811c9dc5,
  );
  // What differs at the end only differs in the lowest bits before this.
  return (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0) / 2 ** 32;
}
