import { afterAll, expect } from 'vitest';
import { type Canary, openCanary } from './lies.ts';

/** A canary for the tests of one file. When they have ended, it has not sung, and is gone. */
export function silentCanary(): Canary {
  const canary = openCanary();
  afterAll(() => {
    expect(canary.sings()).toBe(false);
    canary.remove();
  });
  return canary;
}
