/** Patches of Kubernetes nodes. */
import { describe, expect, it } from 'vitest';
import type { NodePoolState } from '#domain/cluster-state.ts';
import { type DesiredNode, type LiveNode, nodePatch } from '#rendering/node-patch.ts';
import { workerPool } from './states.ts';

const name = 'workers-bbbbbbb-01';
const node = { name, privateAddress: '192.168.2.3' };
const desired = (change: Partial<NodePoolState> = {}): DesiredNode => ({ node, pool: { ...workerPool, ...change } });

const fresh: LiveNode = {
  name,
  resourceVersion: '7',
  labels: { 'kubernetes.io/hostname': name },
  annotations: {},
  taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }],
  providerId: '',
};

/** The node as the API server has it after the patch. */
function patched(live: LiveNode, patch: ReturnType<typeof nodePatch>): LiveNode {
  const { metadata, spec } = (patch ?? {}) as {
    metadata?: { labels?: Record<string, string | null>; annotations?: Record<string, string | null> };
    spec?: { providerID?: string; taints?: LiveNode['taints'] };
  };
  const merge = (old: Readonly<Record<string, string>>, change: Record<string, string | null> = {}) =>
    Object.fromEntries(
      Object.entries({ ...old, ...change }).filter((pair): pair is [string, string] => pair[1] !== null),
    );
  return {
    ...live,
    labels: merge(live.labels, metadata?.labels),
    annotations: merge(live.annotations, metadata?.annotations),
    taints: spec?.taints ?? live.taints,
    providerId: spec?.providerID ?? live.providerId,
  };
}

describe('node patches', () => {
  it('a patch sets labels, annotations, taints and the provider id of a fresh node', async () => {
    const patch = nodePatch(fresh, desired(), []);
    await expect(`${JSON.stringify(patch, null, 2)}\n`).toMatchFileSnapshot('golden/node-patch.json');
  });

  it('a node in the desired state gets no patch', () => {
    const done = patched(fresh, nodePatch(fresh, desired(), []));
    expect(nodePatch(done, desired(), [desired()])).toBeUndefined();
  });

  it('a patch keeps what others put on the node', () => {
    const done = patched(fresh, nodePatch(fresh, desired(), []));
    expect(done.labels['kubernetes.io/hostname']).toBe(name);
    expect(done.taints).toContainEqual({ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' });
  });

  it('a patch removes labels, annotations and taints that are no longer desired', () => {
    const done = patched(fresh, nodePatch(fresh, desired(), []));
    const after = patched(done, nodePatch(done, desired({ labels: {}, annotations: {}, taints: [] }), [desired()]));
    expect(after.labels).not.toHaveProperty('tier');
    expect(after.annotations).not.toHaveProperty('note');
    expect(after.taints).toEqual([{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }]);
  });

  it('a patch replaces a taint whose value changed', () => {
    const done = patched(fresh, nodePatch(fresh, desired(), []));
    const change = desired({ taints: [{ key: 'gpu', value: 'no', effect: 'NoSchedule' }] });
    const gpu = patched(done, nodePatch(done, change, [desired()])).taints.filter(({ key }) => key === 'gpu');
    expect(gpu).toEqual([{ key: 'gpu', value: 'no', effect: 'NoSchedule' }]);
  });

  it('a patch never changes a provider id that is set', () => {
    const patch = nodePatch({ ...fresh, providerId: 'claudie://other' }, desired(), []);
    expect(patch?.spec).not.toHaveProperty('providerID');
  });
});
