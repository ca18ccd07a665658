/** The difference of two documents as the history shows it. */
import { expect, it } from 'vitest';
import { documentPatch } from '#documents/document-patch.ts';
import { patchLines } from '../../console/model/patch-lines.ts';

const side = (lines: readonly string[]) => ({ title: 'shop', document: { lines } });
const many = Array.from({ length: 20 }, (_, index) => `line ${index}`);

it('each line of a difference has its number in the document before and after', () => {
  const patch = documentPatch(side(many), side([...many.slice(0, 10), '+++ new', ...many.slice(11), '-- last']));
  expect(patchLines(patch).filter(({ mark }) => mark !== ' ')).toEqual([
    { mark: '@', text: 'line 9' },
    { mark: '-', text: '  - line 10', before: 12 },
    { mark: '+', text: '  - +++ new', after: 12 },
    { mark: '@', text: 'line 19' },
    { mark: '+', text: '  - -- last', after: 22 },
  ]);
  expect(patchLines(patch).find(({ text }) => text === '  - line 11')).toMatchObject({ before: 13, after: 13 });
});

it('a difference of equal documents has no lines', () => {
  expect(patchLines(documentPatch(side(many), side(many)))).toEqual([]);
});
