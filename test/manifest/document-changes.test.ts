/** What a person reads about the difference between two documents. */
import { expect, it } from 'vitest';
import { documentChanges } from '#domain/manifest/document-changes.ts';
import { aManifest } from '#test/api/documents.ts';

it('equal documents have no changes, whatever the order of their keys', () => {
  const { spec, ...rest } = aManifest();
  expect(documentChanges(aManifest(), { spec, ...rest })).toEqual([]);
});

it('a changed value is shown with both values, and its pool by its name', () => {
  expect(documentChanges(aManifest({ compute: 2 }), aManifest({ compute: 3 }))).toEqual([
    'nodePools.dynamic "compute".count 2 → 3',
  ]);
});

it('added and removed pools are shown by their names, also when others move up in the list', () => {
  const before = aManifest();
  const after = aManifest();
  const [control] = before.spec.nodePools.dynamic;
  if (control) after.spec.nodePools.dynamic = [{ ...control, name: 'extra' }, control];
  expect(documentChanges(before, after)).toEqual([
    'removed nodePools.dynamic "compute"',
    'added nodePools.dynamic "extra"',
  ]);
});

it('a list of words is shown as a whole, a new setting with its value', () => {
  const before = { spec: { pools: ['a'], rest: [{ x: 1 }] } };
  const after = { spec: { pools: ['a', 'b'], rest: [{ x: 1 }], deletionProtection: true, taints: [] } };
  expect(documentChanges(before, after)).toEqual(['pools: a → a, b', 'added deletionProtection true', 'added taints']);
});
