/** What someone writes is never lost to what others store meanwhile. */
import { describe, expect, it } from 'vitest';
import { begun, handedIn, isChanged, keptOver, received, written } from '../../console/model/draft.ts';

const first = { text: 'count: 1\n', generation: 1 };
const second = { text: 'count: 2\n', generation: 2 };

describe('a draft', () => {
  it('a text that no one changed follows what is stored', () => {
    expect(received(begun(first), second)).toEqual(begun(second));
  });

  it('a text that was changed stays when someone else stores a generation, and says so', () => {
    const mine = written(begun(first), 'count: 9\n');
    expect(received(mine, second)).toEqual({ ...mine, newer: second });
    expect(received(received(mine, second), { ...second, generation: 3 }).newer?.generation).toBe(3);
  });

  it('the same generation, asked for again, changes nothing', () => {
    const mine = written(begun(first), 'count: 9\n');
    expect(received(mine, { ...first })).toEqual(mine);
  });

  it('the writer keeps the own text on top of the newer one, or takes the newer one', () => {
    const mine = received(written(begun(first), 'count: 9\n'), second);
    const kept = keptOver(mine, second);
    expect([kept.text, isChanged(kept), received(kept, second).newer]).toEqual(['count: 9\n', true, undefined]);
    expect(isChanged(begun(second))).toBe(false);
  });

  it('a text that was stored as it is follows what comes of it', () => {
    const stored = handedIn(written(begun(first), '# mine\ncount: 2\n'));
    expect(isChanged(stored)).toBe(false);
    expect(received(stored, second).text).toBe('count: 2\n');
  });
});
