import { describe, expect, test } from 'vitest';
import { sameValue } from '#domain/same-value.ts';

describe('sameValue', () => {
  test.each([
    ['texts', 'a', 'a'],
    ['maps in another order', { a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }],
    ['a field that is undefined and one that is not there', { a: 1, b: undefined }, { a: 1 }],
    ['null', { a: null }, { a: null }],
  ])('these values are the same: %s', (_, left, right) => {
    expect(sameValue(left, right)).toBe(true);
  });

  test.each([
    ['a field more', { a: 1 }, { a: 1, b: 2 }],
    ['a field less', { a: 1, b: 2 }, { a: 1 }],
    ['a list in another order', [1, 2], [2, 1]],
    ['a list and a map', [1], { 0: 1 }],
    ['null and nothing', { a: null }, {}],
    ['a difference deep inside', { a: [{ b: 1 }] }, { a: [{ b: 2 }] }],
  ])('these values differ: %s', (_, left, right) => {
    expect(sameValue(left, right)).toBe(false);
  });
});
