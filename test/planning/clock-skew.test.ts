/** When the clock of a machine counts as wrong: never because a visit took long. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clockOff, clockOffText, clockTolerance } from '#domain/clock-skew.ts';
import { propertyRuns } from '#test/property-runs.ts';

/** A visit from second 10000 on that took so long, and how a clock that is off by `off` read at its start and end. */
const visit = (took: number) => ({ began: 10_000_000, heard: 10_000_000 + took * 1000 });
const reading = (off: number, took: number) => ({ from: 10_000 + off, to: 10_000 + took + off });

describe('the clock of a machine', () => {
  it.each([
    ['right', 0, 30, undefined],
    ['a minute ahead', 60, 30, undefined],
    ['a minute behind', -60, 30, undefined],
    ['more than a minute ahead', 61, 30, 61],
    ['more than a minute behind', -61, 300, -61],
    ['a day behind', -86_400, 600, -86_400],
    ['ten years ahead', 315_360_000, 1, 315_360_000],
  ])('a clock that is %s is judged, however long the visit takes', (_, off, took, judged) => {
    expect(clockOff(reading(off, took), visit(took))).toBe(judged);
  });

  it('a clock that was set during the visit is right', () => {
    expect(clockOff({ from: 5000, to: 10_030 }, visit(30))).toBeUndefined();
  });

  it('a clock within the tolerance is right whatever delays there are before, within and after the script', () => {
    const delay = fc.integer({ min: 0, max: 100_000 });
    const off = fc.integer({ min: -clockTolerance, max: clockTolerance });
    fc.assert(
      fc.property(off, delay, delay, delay, (skew, before, within, after) => {
        const from = 10_000 + before + skew;
        const judged = clockOff({ from, to: from + within }, visit(before + within + after));
        expect(judged).toBeUndefined();
      }),
      { numRuns: propertyRuns(2000) },
    );
  });

  it.each([
    [61, '1 min ahead of ours'],
    [-12_000, '3 h 20 min behind ours'],
    [-90_000, '25 h 0 min behind ours'],
    [172_800, '2 days ahead of ours'],
  ])('a difference of %d s reads: %s', (seconds, text) => {
    expect(clockOffText(seconds)).toBe(text);
  });
});
