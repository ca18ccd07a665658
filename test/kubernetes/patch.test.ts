/** The patch types, where they differ from each other. */
import { expect, test } from 'vitest';
import { mergePatch, strategicPatch } from '#local/kubeone/node/patch.ts';

const node = {
  metadata: { labels: { a: '1' } },
  spec: { taints: [{ key: 'a', effect: 'NoSchedule' }], podCIDRs: ['x'] },
};

test('a merge patch replaces lists and removes what is null', () => {
  expect(mergePatch(node, { metadata: { labels: { a: null, b: '2' } }, spec: { taints: [{ key: 'b' }] } })).toEqual({
    metadata: { labels: { b: '2' } },
    spec: { taints: [{ key: 'b' }], podCIDRs: ['x'] },
  });
});

test('a strategic patch joins lists by their key and can take items out', () => {
  const taints = [
    { key: 'a', $patch: 'delete' },
    { key: 'b', effect: 'NoExecute' },
  ];
  expect(strategicPatch(node, { spec: { taints } })).toEqual({
    ...node,
    spec: { taints: [{ key: 'b', effect: 'NoExecute' }], podCIDRs: ['x'] },
  });
});

test('a strategic patch with $patch: replace replaces a whole keyed list', () => {
  const patched = strategicPatch(node, { spec: { taints: [{ $patch: 'replace' }, { key: 'b' }] } });
  expect(patched).toMatchObject({ spec: { taints: [{ key: 'b' }] } });
});
