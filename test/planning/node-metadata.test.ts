import { describe, expect, test } from 'vitest';
import type { NodePoolState } from '#domain/cluster-state.ts';
import { nodeAnnotations, nodeLabels, nodeTaints, storageTag } from '#domain/planning/desired/node-metadata.ts';
import { desiredOf } from './arbitraries.ts';
import { compute, control, type ManifestSpec, manifestOf } from './manifests.ts';

function poolOf(desired: ManifestSpec, name: string): NodePoolState {
  const pool = desiredOf({ manifest: manifestOf(desired) }).pools.find((candidate) => candidate.name === name);
  if (pool === undefined) throw new Error(`no pool ${name}`);
  return pool;
}

const node = { name: 'n', privateAddress: '192.168.2.9' };

describe('nodes of a dynamic pool', () => {
  const pool = poolOf(
    {
      dynamic: [
        control(1),
        compute(1, {
          providerSpec: { name: 'aws-1', region: 'Germany West Central', zone: 'AD:1' },
          labels: { 'claudie.io/provider': 'mine', Tier: 'Front_End' },
          spot: true,
          taints: [{ key: 'claudie.io/spot', value: 'true', effect: 'NoSchedule' }],
        }),
      ],
    },
    'compute',
  );

  test('carry our labels, in values that Kubernetes accepts, and the user cannot replace them', () => {
    expect(nodeLabels(pool, node)).toEqual({
      tier: 'front-end',
      'claudie.io/nodepool': 'compute',
      'claudie.io/provider': 'aws',
      'claudie.io/provider-instance': 'aws-1',
      'claudie.io/node-type': 'compute',
      'claudie.io/spot': 'true',
      'topology.kubernetes.io/region': 'germany-west-central',
      'topology.kubernetes.io/zone': 'ad-1',
      'kubernetes.io/os': 'linux',
      'v1.kubeone.io/operating-system': 'ubuntu',
    });
  });

  test('carry each taint once', () => {
    expect(nodeTaints(pool, node)).toEqual([{ key: 'claudie.io/spot', value: 'true', effect: 'NoSchedule' }]);
  });

  test('get the storage tag of their provider instance', () => {
    expect(nodeAnnotations(pool, node)).toEqual({ 'node.longhorn.io/default-node-tags': '["aws-1-zone"]' });
    const tagged = { ...pool, annotations: { 'node.longhorn.io/default-node-tags': '["fast"]' } };
    expect(nodeAnnotations(tagged, node)['node.longhorn.io/default-node-tags']).toBe('["fast","aws-1-zone"]');
    expect(storageTag(pool)).toBe('aws-1-zone');
  });
});

describe('other nodes', () => {
  test('control nodes carry the taint of the control plane, and no storage tag', () => {
    const pool = poolOf({}, 'control');
    expect(nodeTaints(pool, node)).toEqual([{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }]);
    expect(nodeAnnotations(pool, node)).toEqual({});
  });

  test('users may say where their static machines are, and nothing else of ours', () => {
    const desired = {
      static: [{ name: 'rack', endpoints: ['203.0.113.1'] }],
      compute: ['rack'],
      dynamic: [control(1)],
    };
    const labels = { 'topology.kubernetes.io/zone': 'cellar', 'claudie.io/nodepool': 'mine' };
    const pool = { ...poolOf(desired, 'rack'), labels };
    expect(nodeLabels(pool, node)).toMatchObject({
      'topology.kubernetes.io/zone': 'cellar',
      'claudie.io/nodepool': 'rack',
      'claudie.io/provider': 'static',
    });
  });
});
