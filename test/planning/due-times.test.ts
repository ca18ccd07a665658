/** When a failed manifest is retried. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mostRetries, nextRetryAt } from '#domain/due-times.ts';
import { errorClasses } from '#domain/errors.ts';
import { failurePolicy } from '#domain/failure-policy.ts';
import { propertyRuns } from '#test/property-runs.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const hoursUntil = (at: string | undefined): number => (Date.parse(at ?? '') - now.getTime()) / 3.6e6;

test('automatic retries follow after 1, 2, 4, 8, 16 and then every 24 hours, each up to a tenth later', () => {
  const hours = [0, 1, 2, 3, 4, 5, 6, 20].map((before) => hoursUntil(nextRetryAt(now, before, 'uid/shop')));
  const pauses = [1, 2, 4, 8, 16, 24, 24, 24];
  for (const [index, pause] of pauses.entries()) {
    expect(hours[index]).toBeGreaterThanOrEqual(pause);
    expect(hours[index]).toBeLessThanOrEqual(pause * 1.1);
  }
});

test('automatic retries end: after the last one a person has to retry', () => {
  expect(nextRetryAt(now, mostRetries - 1, 'uid/shop')).toBeDefined();
  expect(nextRetryAt(now, mostRetries, 'uid/shop')).toBeUndefined();
});

test('automatic retries of any manifest never come earlier than the pause before them, and never later than 26.4 hours', () => {
  const retries = fc.integer({ min: 0, max: mostRetries - 1 });
  fc.assert(
    fc.property(
      fc.date({ noInvalidDate: true, max: new Date('2200-01-01') }),
      retries,
      fc.string(),
      (at, before, seed) => {
        const pause = (n: number): number => Date.parse(nextRetryAt(at, n, seed) ?? '') - at.getTime();
        expect(pause(before)).toBeGreaterThanOrEqual(3.6e6);
        expect(pause(before)).toBeLessThanOrEqual(26.4 * 3.6e6);
        if (before > 0) expect(pause(before)).toBeGreaterThanOrEqual(pause(before - 1));
      },
    ),
    { numRuns: propertyRuns(1000) },
  );
});

describe('what starts a failed manifest again', () => {
  test.each(errorClasses)('a failed manifest of class %s is started again by what can remove the cause', (name) => {
    const expected = {
      transient: 'scheduled',
      conflict: 'scheduled',
      capacity: 'scheduled',
      platform: 'scheduled',
      stuck: 'scheduled',
      quota: 'scheduled',
      credentials: 'secretStored',
      user: 'asked',
      bug: 'asked',
    };
    expect(failurePolicy[name].restart).toBe(expected[name]);
  });
});
