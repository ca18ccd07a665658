/** How often pages ask, without a clock. */
import { describe, expect, it } from 'vitest';
import { calmFor, failureCounter, type LogRead, nextLogRead, waitMs } from '../../console/model/pace.ts';

describe('a page that is left alone', () => {
  it('a page makes at most six requests a minute where nothing happens, however many it needs each time', () => {
    for (const requests of [0, 1, 2, 3, 4, 5, 6])
      expect(Math.ceil(60_000 / calmFor(requests)) * Math.max(1, requests)).toBeLessThanOrEqual(6);
    expect((60_000 / calmFor(10)) * 10).toBeLessThanOrEqual(6);
  });

  it('a request that fails waits longer each time, at most half a minute and some, and never less than one that succeeds', () => {
    const waits = [0, 1, 2, 3, 4, 5, 6].map((failures) => waitMs(1000, failures, () => 0.5));
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    expect(waitMs(60_000, 3)).toBe(60_000);
  });

  it('failures are counted by query, and end with its own success', () => {
    const count = failureCounter();
    const query = { state: { dataUpdateCount: 0, errorUpdateCount: 0 } };
    const counted = (dataUpdateCount: number, errorUpdateCount: number): number => {
      query.state = { dataUpdateCount, errorUpdateCount };
      return count(query);
    };
    expect([counted(0, 1), counted(0, 2), counted(1, 2), counted(1, 3), counted(2, 3)]).toEqual([1, 2, 0, 1, 0]);
    expect(count({ state: { dataUpdateCount: 0, errorUpdateCount: 1 } })).toBe(1);
  });
});

describe('the log of a stage', () => {
  const read = (more: Partial<LogRead>): number | undefined =>
    nextLogRead({ status: 200, ended: false, grew: false, active: true, failures: 0, still: 0, ...more });

  it('a log is read each second while it grows, and less often while it does not', () => {
    expect([read({ grew: true }), read({ still: 3 }), read({ still: 7 }), read({ still: 60 })]).toEqual([
      ...[1000, 1000, 4000, 10_000],
    ]);
  });

  it('a log that has ended, or of a run that is over, is not read again', () => {
    expect([read({ ended: true }), read({ active: false }), read({ status: 404, active: false })]).toEqual([
      ...[undefined, undefined, undefined],
    ]);
    expect(read({ active: false, grew: true })).toBe(1000);
  });

  it('the console waits for a missing log while the run is in progress', () => {
    expect([read({ status: 404, failures: 1 }), read({ status: 404, failures: 40 })]).toEqual([1000, 10_000]);
  });

  it('a refusal is not asked for again, and a fault less often each time', () => {
    expect([read({ status: 401 }), read({ status: 403 })]).toEqual([undefined, undefined]);
    expect(read({ status: 500, failures: 10 })).toBeGreaterThan(20_000);
    expect(read({ status: 0, failures: 10 })).toBeGreaterThan(20_000);
    expect(read({ status: 429, failures: 10 })).toBeGreaterThan(20_000);
  });
});
