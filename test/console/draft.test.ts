/** What someone writes is never lost to what others store meanwhile. */
import { describe, expect, it } from 'vitest';
import { freshDraft, handedIn, isChanged, keptOver, received, written } from '../../console/model/draft.ts';

const first = { text: 'count: 1\n', generation: 1 };
const second = { text: 'count: 2\n', generation: 2 };

describe('a draft', () => {
  it('a text that no one changed follows what is stored', () => {
    expect(received(freshDraft(first), second)).toEqual(freshDraft(second));
  });

  it('a changed draft stays when someone else stores a generation, and the user is informed', () => {
    const mine = written(freshDraft(first), 'count: 9\n');
    expect(received(mine, second)).toEqual({ ...mine, newer: second });
    expect(received(received(mine, second), { ...second, generation: 3 }).newer?.generation).toBe(3);
  });

  it('reading the same generation again does not change a draft', () => {
    const mine = written(freshDraft(first), 'count: 9\n');
    expect(received(mine, { ...first })).toEqual(mine);
  });

  it('the writer keeps the own text on top of the newer one, or takes the newer one', () => {
    const mine = received(written(freshDraft(first), 'count: 9\n'), second);
    const kept = keptOver(mine, second);
    expect([kept.text, isChanged(kept), received(kept, second).newer]).toEqual(['count: 9\n', true, undefined]);
    expect(isChanged(freshDraft(second))).toBe(false);
  });

  it('a draft that was stored unchanged follows the stored document', () => {
    const stored = handedIn(written(freshDraft(first), '# mine\ncount: 2\n'));
    expect(isChanged(stored)).toBe(false);
    expect(received(stored, second).text).toBe('count: 2\n');
  });
});
