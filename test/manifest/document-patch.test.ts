/** The difference of two documents, line by line, also of those that have almost nothing in common. */
import { applyPatch, parsePatch } from 'diff';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { documentPatch } from '#documents/document-patch.ts';
import { propertyRuns } from '../property-runs.ts';

const patchOf = (before: unknown, after: unknown): string =>
  documentPatch({ title: 'before', document: before }, { title: 'after', document: after });
/** Every third line is the same on both sides. */
const side = (name: string, lines: number) => ({
  first: 'same',
  lines: Array.from({ length: lines }, (_, index) => (index % 3 === 0 ? `same ${index}` : `${name} ${index}`)),
  last: 'same',
});

it('each change of documents that are alike has its own place', () => {
  const [before, after] = [side('a', 60), { ...side('a', 60), first: 'other', last: 'other' }];
  expect(parsePatch(patchOf(before, after))[0]?.hunks).toHaveLength(2);
});

it('documents with thousands of different lines are one removed and one added block, between what both have', () => {
  const [before, after] = [side('a', 7500), side('b', 7500)];
  const patch = patchOf(before, after);
  const [hunk, ...others] = parsePatch(patch)[0]?.hunks ?? [];
  expect(others).toEqual([]);
  const marks = (hunk?.lines ?? []).map((line) => line.slice(0, 1));
  const runs = marks.filter((mark, place) => mark !== marks[place - 1]).map((mark, place) => `${place}${mark}`);
  expect(runs).toEqual(['0 ', '1-', '2+', '3 ']);
  expect(applyPatch(stringify(before), patch)).toBe(stringify(after));
});

it('a long list that is new is shown as lines that were added', () => {
  const patch = patchOf({ first: 'same', last: 'same' }, side('a', 3000));
  expect(patch.split('\n').filter((line) => /^-[^-]/.test(line))).toEqual([]);
  expect(applyPatch(stringify({ first: 'same', last: 'same' }), patch)).toBe(stringify(side('a', 3000)));
});

it('a difference makes the second document of the first, however much differs', () => {
  const items = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });
  const times = fc.constantFrom(1, 400);
  fc.assert(
    fc.property(items, items, times, (one, other, repeated) => {
      const text = (list: readonly string[]) => ({ list: Array.from({ length: repeated }, () => list).flat() });
      const [before, after] = [text(one), text(other)];
      const patch = patchOf(before, after);
      expect(patch === '' ? stringify(before) : applyPatch(stringify(before), patch)).toBe(stringify(after));
    }),
    { numRuns: propertyRuns(100) },
  );
});

it('a document that there was not is all lines added', () => {
  const patch = documentPatch({ title: 'not stored' }, { title: 'after', document: side('a', 2000) });
  expect(applyPatch('', patch)).toBe(stringify(side('a', 2000)));
});
