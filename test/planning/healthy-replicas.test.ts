import { expect, test } from 'vitest';
import { volumesOnlyOn } from '#domain/healthy-replicas.ts';

const on = (node: string, change: { volume?: string; healthy?: boolean; failed?: boolean } = {}) => ({
  volume: 'v',
  node,
  healthy: true,
  failed: false,
  ...change,
});

test.each([
  ['the only replica', [on('a')], ['v']],
  ['a healthy replica elsewhere', [on('a'), on('b')], []],
  ['a healthy replica on a node that does not stay', [on('a'), on('gone')], ['v']],
  ['replicas on several nodes, one of which stays', [on('a'), on('gone'), on('b')], []],
  ['a replica that is placed on no node', [on('a'), on('')], ['v']],
  ['a failed replica elsewhere', [on('a'), on('b', { failed: true })], ['v']],
  ['a replica elsewhere that is not complete yet', [on('a'), on('b', { healthy: false })], ['v']],
  ['two replicas on the same node', [on('a'), on('a')], ['v']],
  ['a failed replica here', [on('a', { failed: true })], []],
  ['no replica here', [on('b')], []],
  ['two volumes', [on('a', { volume: 'z' }), on('a', { volume: 'b' }), on('b')], ['b', 'z']],
  ['no volumes', [], []],
])('volumes that would lose their last healthy replica with the node are found: %s', (_, replicas, volumes) => {
  expect(volumesOnlyOn('a', replicas, new Set(['b', 'c']))).toEqual(volumes);
});
