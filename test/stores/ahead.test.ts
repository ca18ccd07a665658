/** Records are read ahead of their reader, but only some. */
import { expect, it } from 'vitest';
import { aheadOf } from '#functions/ahead.ts';

const numbers = Array.from({ length: 30 }, (_, number) => number);

it('results have the order of the items, and never more than eight are worked on or wait', async () => {
  let [started, most] = [0, 0];
  const finish: (() => void)[] = [];
  const results = aheadOf(numbers, async (number) => {
    started += 1;
    await new Promise<void>((resolve) => {
      finish.unshift(resolve);
      // The last one started ends first.
      if (finish.length === 8 || started === numbers.length) for (const end of finish.splice(0)) end();
      else if (started > 8) resolve();
    });
    return number;
  });
  const given: number[] = [];
  for await (const number of results) {
    given.push(number);
    most = Math.max(most, started - given.length + 1);
  }
  expect(given).toEqual(numbers);
  expect(most).toBe(8);
});

it('the first fault reaches the reader, and later faults end nothing', async () => {
  const failing = aheadOf(numbers, async (number) => {
    if (number >= 3) throw new Error(`item ${number}`);
    return number;
  });
  const given: number[] = [];
  const reading = async () => {
    for await (const number of failing) given.push(number);
  };
  await expect(reading()).rejects.toThrow('item 3');
  expect(given).toEqual([0, 1, 2]);
});
