/** How often a page asks: what a tab that is left alone asks for is at most six requests a minute. */

/** While something happens. */
export const quickMs = 1000;
const calmMs = 10_000;
const mostMs = 30_000;

/**
 * Where nothing happens; `requests`: how many the page makes each time. All come at about the same moment: in between, either several
 * such moments fit in a minute, or one.
 */
export const calmFor = (requests: number): number =>
  requests > 3 ? Math.max(6, requests) * calmMs : Math.max(1, requests) * calmMs;

/** Ms between reads of a fleet: the API reads the whole fleet for each answer, so a larger fleet is read less often. */
export const fleetMs = (all: number, running: boolean): number =>
  running ? 2 * quickMs * Math.max(1, Math.ceil(all / 500)) : calmFor(1);

/** When it is the turn of the next request; one that fails waits longer each time, no two viewers at once. */
export function waitMs(ms: number, failures: number, random: () => number = Math.random): number {
  if (failures === 0) return ms;
  return Math.max(ms, Math.min(mostMs, 1000 * 2 ** failures) * (0.75 + random() / 2));
}

interface Updates {
  readonly dataUpdateCount: number;
  readonly errorUpdateCount: number;
}

/** Counts failures in a row of each query: one that fails is slowed down, whatever others get. */
export function failureCounter(): (query: { readonly state: Updates }) => number {
  const atSuccess = new WeakMap<object, Updates>();
  return (query) => {
    const { dataUpdateCount, errorUpdateCount } = query.state;
    const known = atSuccess.get(query) ?? { dataUpdateCount: 0, errorUpdateCount: 0 };
    const last = known.dataUpdateCount === dataUpdateCount ? known : { dataUpdateCount, errorUpdateCount };
    atSuccess.set(query, last);
    return errorUpdateCount - last.errorUpdateCount;
  };
}

/** The result of the last read of a log. */
export interface LogRead {
  /** HTTP status of the answer; 0 without an answer. */
  readonly status: number;
  readonly ended: boolean;
  /** Whether it had more text. */
  readonly grew: boolean;
  /** Whether the run is still in progress: it may write more. */
  readonly active: boolean;
  /** Reads in a row that were not answered with a log. */
  readonly failures: number;
  /** Reads in a row that had no more text. */
  readonly still: number;
}

/** Ms until the next read; undefined when there is nothing to wait for. */
export function nextLogRead({ status, ended, grew, active, failures, still }: LogRead): number | undefined {
  if (status === 200) {
    if (ended || (!active && !grew)) return undefined;
    return Math.min(calmMs, quickMs * 2 ** Math.max(0, still - 5));
  }
  if (status === 404) return active ? Math.min(calmMs, quickMs * 2 ** Math.max(0, failures - 5)) : undefined;
  if (status >= 400 && status < 500 && status !== 429) return undefined;
  return waitMs(quickMs, failures);
}
