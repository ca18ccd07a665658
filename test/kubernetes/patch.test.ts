/** The patch types, where they differ from each other. */
import { expect, test } from 'vitest';
import { jsonPatch, mergePatch, strategicPatch } from '#local/kubeone/node/patch.ts';

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

test('a strategic patch replaces a keyed list whole when it says so', () => {
  const patched = strategicPatch(node, { spec: { taints: [{ $patch: 'replace' }, { key: 'b' }] } });
  expect(patched).toMatchObject({ spec: { taints: [{ key: 'b' }] } });
});

test('a JSON patch adds, replaces, moves, removes and tests by path', () => {
  const operations = [
    { op: 'test', path: '/metadata/labels/a', value: '1' },
    { op: 'add', path: '/metadata/labels/x~1y', value: '2' },
    { op: 'move', from: '/metadata/labels/a', path: '/metadata/labels/c' },
    { op: 'add', path: '/spec/taints/-', value: { key: 'b' } },
    { op: 'remove', path: '/spec/taints/0' },
  ];
  expect(jsonPatch(node, operations)).toEqual({
    metadata: { labels: { 'x/y': '2', c: '1' } },
    spec: { taints: [{ key: 'b' }], podCIDRs: ['x'] },
  });
});

test('a JSON patch that fails changes nothing and names the path', () => {
  const before = structuredClone(node);
  const operations = [
    { op: 'add', path: '/metadata/labels/b', value: '2' },
    { op: 'remove', path: '/metadata/labels/gone' },
  ];
  expect(() => jsonPatch(node, operations)).toThrow('the path /metadata/labels/gone does not exist');
  expect(node).toEqual(before);
});
